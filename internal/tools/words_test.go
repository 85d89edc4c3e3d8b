package tools

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/notes/index"
)

// ran returns what the model reads after a call.
func ran(t *testing.T, set Set, name, args string) (string, Class) {
	t.Helper()
	var r Runner
	c := Call{ID: "1", Name: name, Args: json.RawMessage(args), Who: chat.User{ID: "telegram:1"}, Direct: true,
		Confirmed: true, Caller: Caller{Agent: Librarian},
		Where: chat.Key{Platform: "telegram", Channel: "1"}}
	o := r.Run(t.Context(), set, c)
	return o.Result.Content, o.Class
}

func realTools(t *testing.T) Set {
	t.Helper()
	store := memorytest.Open(t, memory.Options{})
	v, err := index.Open(t.Context(), index.Options{Index: filepath.Join(t.TempDir(), "vault.db"),
		Sources: []index.Source{{Name: "notes", Dir: t.TempDir(), Kind: index.KindNotes}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	if err := v.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	zone := func(context.Context, chat.User) string { return "UTC" }
	plan := Planner{Store: store, Now: time.Now, Zone: zone, Next: func(string, string, time.Time) (time.Time,
		error) {
		return time.Time{}, nil
	}}
	list := append(VaultTools(Notes{Vault: v}), Tools(TaskOperations(store))...)
	list = append(append(list, Tools(ReminderOperations(plan))...), Tools(LogOperations(plan))...)
	return NewSet(append(list, Tools(FactOperations(store.Facts, nil))...)...)
}

// A failed call says what went wrong, and no placeholder of ours.
func TestFailedWriteHasNoPlaceholder(t *testing.T) {
	set := realTools(t)
	for name, args := range map[string]string{
		"vault_write":        `{"path":"../out.md","content":"x"}`,
		"vault_create_index": `{"path":"../out.md","title":"x","notes":[{"path":"none.md"}]}`,
		"vault_move":         `{"from":"none.md","to":"other.md"}`,
	} {
		text, class := ran(t, set, name, args)
		if class != Broken || strings.Contains(text, "%!") {
			t.Errorf("%s: %s %q", name, class, text)
		}
	}
	if text, class := ran(t, set, "vault_write", `{"path":"ideas.md","content":"x"}`); class != "" ||
		text != "The note agent-notes/ideas.md was created." {
		t.Errorf("created: %s %q", class, text)
	}
	if text, class := ran(t, set, "vault_write", `{"path":"ideas.md","content":"y"}`); class != "" ||
		text != "The note agent-notes/ideas.md was updated." {
		t.Errorf("updated: %s %q", class, text)
	}
}

// A hint about a wrong argument names an argument that the tool has.
func TestHintsNameRealArguments(t *testing.T) {
	set := realTools(t)
	long := strings.Repeat("word ", 2500)
	if text, class := ran(t, set, "add_task", `{"description":"milk"}`); class != "" {
		t.Fatal(text)
	}
	if text, class := ran(t, set, "save_fact", `{"content":"likes tea"}`); class != "" {
		t.Fatal(text)
	}
	hint := regexp.MustCompile(`arguments/(\w+)`)
	for _, tt := range []struct{ name, args string }{
		{"add_task", `{"description":"` + long + `"}`},
		{"update_task", `{"id":1,"description":"` + long + `"}`},
		{"set_reminder", `{"text":"` + long + `","when":"in 10 minutes"}`},
		{"log_entry", `{"content":"` + strings.Repeat(long, 4) + `"}`},
		{"save_fact", `{"content":"` + long + `"}`},
		{"save_fact", `{"content":"rides a bike","tags":["two words!"]}`},
		{"update_fact", `{"id":1,"content":"` + long + `"}`},
	} {
		text, class := ran(t, set, tt.name, tt.args)
		named := hint.FindAllStringSubmatch(text, -1)
		if class != Invalid || len(named) == 0 {
			t.Errorf("%s: %s %.200q", tt.name, class, text)
		}
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(set.find(tt.name).spec.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		for _, n := range named {
			if schema.Properties[n[1]] == nil {
				t.Errorf("%s has no argument %q, which its hint names: %q", tt.name, n[1], text)
			}
		}
	}
}

func TestTasksByStatus(t *testing.T) {
	set := realTools(t)
	if text, _ := ran(t, set, "list_tasks", `{"status":"done"}`); text != "You have no tasks here that are done." {
		t.Errorf("none: %q", text)
	}
	ran(t, set, "add_task", `{"description":"milk"}`)
	ran(t, set, "add_task", `{"description":"bread"}`)
	ran(t, set, "complete_task", `{"id":1}`)
	for args, want := range map[string]string{
		`{}`: "bread milk", `{"status":"all"}`: "bread milk", `{"status":"open"}`: "bread", `{"status":"done"}`: "milk",
	} {
		text, class := ran(t, set, "list_tasks", args)
		var got []string
		for _, w := range []string{"bread", "milk"} {
			if strings.Contains(text, w) {
				got = append(got, w)
			}
		}
		if class != "" || strings.Join(got, " ") != want {
			t.Errorf("%s: %s %q", args, class, text)
		}
	}
	if _, class := ran(t, set, "list_tasks", `{"status":"purple"}`); class != Invalid {
		t.Errorf("an unknown status: %q", class)
	}
}

// TestWhatChangesMoreThanRows: of what is not marked as changing rows alone, each tool is here
// with what it does besides. A new one is looked at before it is marked.
func TestWhatChangesMoreThanRows(t *testing.T) {
	more := map[string]string{"log_entry": "tells of the line, for the note of the day",
		"vault_write": "a file", "vault_move": "files", "vault_create_index": "a file",
		"forget_fact": "may erase for good, which empties the log", "forget_decision": "takes words away for good"}
	set := realTools(t)
	store := memorytest.Open(t, memory.Options{})
	set = set.With(NewSet(append(Tools(DecisionOperations(store, nil)), SaveDecision(store))...))
	for _, s := range set.All() {
		if marked := s.Rows; !s.ReadOnly && marked == (more[s.Name] != "") || s.ReadOnly && marked {
			t.Errorf("%s: Rows is %v, and besides it does: %q", s.Name, marked, more[s.Name])
		}
	}
}
