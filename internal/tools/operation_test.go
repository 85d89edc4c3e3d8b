package tools

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
)

// TestByHand: what people give as words is done, and asked about, as the model's call is.
func TestByHand(t *testing.T) {
	store := memorytest.Open(t, memory.Options{})
	_, n := office(t, map[string]string{"notes/garden.md": "# Garden\n\nThe roses are red. See [[plan]]. #plants",
		"notes/plan.md": "# Plan\n\nOn 2026-05-01: dig."})
	all := slices.Concat(TaskOperations(store), FactOperations(store.Facts, nil), NoteOperations(n))
	who := Call{Who: chat.User{ID: "telegram:1"}, Where: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	for _, tt := range []struct {
		command, args    string
		asked, said, not string
	}{
		{command: "tasks add", args: "text=dig", said: "Task #1 added: dig"},
		{command: "tasks delete", args: "number=1", asked: "Delete the task \"dig\"?", said: "Deleted: #1 dig"},
		{command: "tasks list", said: "You have no tasks here."},
		{command: "facts add", args: "text=Ann likes tea,scope=guild", said: "Here are only you and me"},
		{command: "facts add", args: "text=Ann likes tea", said: "Remembered (#1): Ann likes tea"},
		{command: "facts change", args: "number=1", said: "Fact #1 says: “Ann likes tea”."},
		{command: "facts forget", args: "number=1,when=now", asked: "Erase this for good, without Undo: \"Ann likes tea\"?",
			said: "Erased: “Ann likes tea”."},
		{command: "notes search", said: "What shall I look for?"},
		{command: "notes search", args: "query=roses,tag=plants", said: "- **Garden** — garden.md", not: "[1]"},
		{command: "notes search", args: "query=dig,when=in March 2020", said: "Nothing is from that time"},
		{command: "notes search", args: "property=status:open", said: "Nothing was found in the notes."},
		{command: "notes show", args: "path=garden#Garden", said: "**Garden** — garden.md"},
		{command: "notes recent", said: "- "},
	} {
		o := Operated(all, tt.command)
		words := map[string]string{}
		for _, pair := range strings.Split(tt.args, ",") {
			if name, value, ok := strings.Cut(pair, "="); ok {
				words[name] = value
			}
		}
		asked, err := o.Question(t.Context(), who, o.Given(words))
		if err != nil || asked != tt.asked {
			t.Errorf("%s: asks %q, %v", tt.command, asked, err)
		}
		r, err := o.Do(t.Context(), who, o.Given(words))
		if err != nil || !strings.HasPrefix(r.Content, tt.said) || tt.not != "" && strings.Contains(r.Content, tt.not) || !r.Private {
			t.Errorf("%s %s: %+v, %v", tt.command, tt.args, r, err)
		}
	}
	if got := n.suggest(t.Context(), chat.Message{From: who.Who, Direct: true}, "gar"); len(got) != 1 || got[0] != "Garden" {
		t.Errorf("completed: %q", got)
	}
}
