package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
)

// TestALongAnswerGoesOn: an answer that the model did not finish has a button that has
// it go on.
func TestALongAnswerGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.serve(t)
	w.llm.Queue(llmtest.Turn{Text: "One, two, three,", Finish: "length"}, llmtest.Turn{Text: "four, five."})
	w.dc.Message("", "10", "42", "count to five")
	whole := func() bool { // not a preview that grows
		s := w.dc.Sent()
		return len(s) > 0 && len(s[0].Buttons) > 0
	}
	w.dc.Wait(time.Minute, whole)
	first := w.discordSent(t, 1)[0]
	if !strings.Contains(first.Content, "cut short") || !slices.Contains(first.Buttons, "/session more") {
		t.Fatalf("got %+v", first)
	}
	w.dc.Press("", "10", "42", first.ID, "/session more")
	w.dc.Wait(time.Minute, func() bool { s := w.dc.Sent(); return strings.Contains(s[len(s)-1].Content, "four, five.") })
	sent := w.dc.Sent()
	if last := sent[len(sent)-1]; !strings.Contains(last.Content, "four, five.") || len(last.Buttons) > 0 {
		t.Fatalf("got %+v", last)
	}
	asked := w.llm.Requests()[1].Messages
	if n := len(asked); !strings.Contains(asked[n-1].Text(), "where you stopped") || !strings.Contains(asked[n-2].Text(), "One, two, three,") {
		t.Errorf("asked %+v", asked)
	}
}
