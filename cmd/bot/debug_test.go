package main

import (
	"regexp"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// figures are what /debug adds to an answer.
var figuresBelow = regexp.MustCompile("(?s)^(.*)\n\n(\\w[^\n]* · (\\d+) model calls? · (\\d+) tools? · \\d+ tokens? · \\d+ ms · /trace ([0-9a-f]{8}))$")

// TestDebugSaysWhatIsTrue: the figures below an answer are those of its own record, stand whole
// and once, also below an answer in several parts and one that tells of a failure; they are
// shown to nobody else, who reads the answer as it is even if the platform does not say who they
// are; and neither the transcript nor the model has them, in the next process either.
func TestDebugSaysWhatIsTrue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tg.AddChat(-100)
	child := w.start(t)
	w.answered(t, -100, 1, "@parley_bot /debug on")
	asks := func(who int64, turns ...llmtest.Turn) string {
		t.Helper()
		w.llm.Queue(turns...)
		n := len(w.in(-100))
		w.answered(t, -100, who, "@parley_bot go on")
		w.settled(t)
		all := ""
		for _, m := range w.in(-100)[n:] {
			all += m.Text
		}
		return all
	}
	long := strings.Repeat("a long answer, ", 500) + "and its end."
	for _, tt := range []struct {
		turns        []llmtest.Turn
		calls, tools string
		said         string
	}{
		{[]llmtest.Turn{says("Fine.")}, "1", "0", "Fine."},
		{[]llmtest.Turn{callTool("list_tasks", "{}"), says("None.")}, "2", "1", "None."},
		{[]llmtest.Turn{says(long)}, "1", "0", "and its end."},
	} {
		got := asks(1, tt.turns...)
		below := figuresBelow.FindStringSubmatch(got)
		if below == nil || !strings.HasSuffix(below[1], tt.said) || strings.Count(got, "/trace") != 1 {
			t.Fatalf("%q", got)
		}
		if below[3] != tt.calls || below[4] != tt.tools || !strings.HasPrefix(below[2], "answered") {
			t.Errorf("%q: %q, want %s calls and %s tools", tt.said, below[2], tt.calls, tt.tools)
		}
		if n := w.count(t, "SELECT count(*) FROM decisions WHERE id LIKE '"+below[5]+"%'"); n != 1 {
			t.Errorf("/trace %s names %d decisions", below[5], n)
		}
	}
	if got := asks(1, llmtest.Turn{Status: 400, Body: `{"error":{"message":"no"}}`}); strings.Contains(got, "answered ·") {
		t.Errorf("a failure is told as an answer: %q", got)
	}
	lift := w.tg.Fail(telegramtest.Fault{Method: "getChatMember", Status: 500, Description: "Internal Server Error"})
	if got := asks(8, says("For everybody.")); got != "For everybody." {
		t.Errorf("somebody else reads %q", got)
	}
	lift()
	if n := w.count(t, "SELECT count(*) FROM decisions WHERE outcome = 'failed'"); n != 1 {
		t.Errorf("%d failed, and one did", n)
	}
	kept := func() {
		t.Helper()
		if n := w.count(t, "SELECT count(*) FROM messages WHERE content LIKE '%/trace%' OR content LIKE '%model call%'"); n != 0 {
			t.Errorf("the transcript has the figures %d times", n)
		}
		if last := w.lastAsked(); !strings.Contains(last, "and its end.") || strings.Contains(last, "/trace") {
			t.Errorf("the model reads %s", last)
		}
	}
	asks(1, says("And on."))
	kept()
	kill(child)
	w.start(t)
	if got := asks(1, says("Still here.")); got != "Still here." {
		t.Errorf("in the next process: %q", got)
	}
	kept()
}
