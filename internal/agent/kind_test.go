package agent

import (
	"context"
	"parley/internal/chat"
	"parley/internal/llm"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestMarksOfKindsAreNeverSeen: not in the answer, not while it grows and not in
// what the model is shown later; and whatever else begins with a bracket is seen
// whole.
func TestMarksOfKindsAreNeverSeen(t *testing.T) {
	for said, want := range map[string]string{
		"[ask] A list, or a reminder?":        "A list, or a reminder?",
		" [OUT OF SCOPE]\n\nThat is private.": "That is private.",
		"[ask]: Which list?":                  "Which list?",
		"[ask]Which list?":                    "Which list?",
		"**[ask]** Which list?":               "Which list?",
		"**[ask]:** Which list?":              "Which list?",
		"**[ask] Which list?** I have two.":   "**Which list?** I have two.",
		"`[unsafe]` – no.":                    "no.",
		"[ask] [out of scope] Which list?":    "Which list?",
		"[out of scope][unsafe]: No.":         "No.",
		"**[unsafe]** **[ask]** No.":          "No.",
		"[ask] - bread\n- milk?":              "- bread\n- milk?",
		"[asking] is a word":                  "[asking] is a word",
		"**bold** words":                      "**bold** words",
		"**[1]** says so":                     "**[1]** says so",
		"`[ask` is no mark":                   "`[ask` is no mark",
		"* one\n* two":                        "* one\n* two",
		"[ask][1] them":                       "[ask][1] them",
		"[ask](https://example.org/a) them":   "[ask](https://example.org/a) them",
		"[1] is a source":                     "[1] is a source",
		"[":                                   "[",
		"plain":                               "plain",
	} {
		model := &letters{}
		model.Say(said)
		b := newBench(t, Options{Model: model})
		w := &viewer{}
		m := b.accept(sent("hello"))
		a := b.shown(m, w)
		if got := b.finish(m, a); got != want {
			t.Errorf("%q is answered as %q", said, got)
		}
		if w.now != want && want != "[" {
			t.Errorf("%q was shown as %q", said, w.now)
		}
		if i := slices.IndexFunc(w.frames, func(s string) bool { return !strings.HasPrefix(want, s) }); i >= 0 {
			t.Errorf("%q was shown as %q meanwhile", said, w.frames[i])
		}
	}
}

// TestPeopleSeeWhichToolsAreAtWork: whoever waits is told of each call as it runs.
func TestPeopleSeeWhichToolsAreAtWork(t *testing.T) {
	var ran atomic.Int32
	b := newBench(t, Options{}, adder(&ran))
	b.model.Call(llm.ToolCall{ID: "1", Name: "add", Args: `{"text":"milk"}`}).Say("3")
	w := &viewer{}
	m := b.accept(sent("hello"))
	_, err := b.Handle(context.Background(), m, w)
	must(t, err)
	if want := []string{"addtrue", "addfalse"}; !slices.Equal(w.told, want) {
		t.Errorf("told of %q, want %q", w.told, want)
	}
}

// failing returns a model that answers nothing.
func failing(class error) func(llm.Request) (llm.Response, error) {
	return func(llm.Request) (llm.Response, error) { return llm.Response{}, &llm.Error{Class: class} }
}

// TestEndsAreTold: the record says how a message ended, what the model took it
// for, how often it was asked and why a tool was not run.
func TestEndsAreTold(t *testing.T) {
	var ran atomic.Int32
	for name, tt := range map[string]struct {
		script func(b *bench)
		want   chat.End
		intent string
		class  string // of the last call
	}{
		"a question mark is no question": {func(b *bench) { b.model.Say("Done. Anything else?") }, chat.End{Outcome: chat.Answered},
			"an answer", ""},
		"a question": {func(b *bench) { b.model.Say("[ask] A list, or a reminder?") },
			chat.End{Outcome: chat.Asked, Reason: chat.Unclear}, "something unclear", ""},
		"a question after a tool": {func(b *bench) { b.model.Call(call("1", "add", `{"text":"milk"}`)).Say("[Ask]\nHow much?") },
			chat.End{Outcome: chat.Asked, Reason: chat.Unclear}, "add", ""},
		"a refusal": {func(b *bench) { b.model.Say("[out of scope] I keep them private.") },
			chat.End{Outcome: chat.Refused, Reason: chat.OutOfScope}, "something out of scope", ""},
		"an unsafe wish": {func(b *bench) { b.model.Say("[unsafe] No.") }, chat.End{Outcome: chat.Refused,
			Reason: chat.Unsafe}, "something unsafe", ""},
		"a mark further on": {func(b *bench) { b.model.Say("It says [ask] there.") }, chat.End{Outcome: chat.Answered},
			"an answer", ""},
		"a link": {func(b *bench) { b.model.Say("[ask](https://example.org) them.") },
			chat.End{Outcome: chat.Answered}, "an answer", ""},
		"a mark and no words": {func(b *bench) { b.model.Say("[ask]") }, chat.End{Outcome: chat.Failed, Reason: chat.Unreadable},
			"", ""},
		"a tool": {func(b *bench) { b.model.Call(call("1", "add", `{"text":"milk"}`)).Say("Added.") },
			chat.End{Outcome: chat.Answered}, "add", ""},
		"a tool that is not there": {func(b *bench) { b.model.Call(call("1", "nope", `{}`)).Say("I cannot.") },
			chat.End{Outcome: chat.Answered}, "nope", "TOOL_NOT_FOUND"},
		"a filter": {func(b *bench) { b.model.Answer = failing(llm.ErrFiltered) },
			chat.End{Outcome: chat.Refused, Reason: chat.Filtered}, "", ""},
		"a dead model": {func(b *bench) { b.model.Answer = failing(llm.ErrUnavailable) },
			chat.End{Outcome: chat.Failed, Reason: chat.Unavailable}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, Options{Persona: Persona{ModelName: "qwen3"}}, adder(&ran))
			tt.script(b)
			b.say("hello")
			d := b.decision()
			if d.End.Outcome != tt.want.Outcome || d.End.Reason != tt.want.Reason || d.Detail.Intent.Is != tt.intent {
				t.Errorf("ended %+v, meant %+v", d.End, d.Detail.Intent)
			}
			if (d.End.ErrorID != "") != (d.Detail.Error != "") {
				t.Errorf("error %q, id %q", d.Detail.Error, d.End.ErrorID)
			}
			calls, err := b.store.Decisions.Calls(context.Background(), d.ID)
			must(t, err)
			if d.Detail.Requests == 0 || d.Model == "" {
				t.Errorf("%d requests to %q", d.Detail.Requests, d.Model)
			}
			class := ""
			for _, c := range calls {
				class = c.Class
			}
			if class != tt.class {
				t.Errorf("class %q, want %q", class, tt.class)
			}
			asked, err := b.store.Decisions.Asked(context.Background(), d)
			must(t, err)
			if asked != "hello" {
				t.Errorf("asked %q", asked)
			}
		})
	}
}
