package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/sessions"
	"parley/internal/memory/transcript"
)

// TestThePageHoldsWhatIsKept: over sixty sessions the page for later ones holds what a
// summarizer chose to keep, and not what it left out. Sentences that code finds are there
// only where no model chose, and go first.
func TestThePageHoldsWhatIsKept(t *testing.T) {
	var page []sessions.Line
	for i := range 60 {
		se := memory.Session{ID: fmt.Sprint(i)}
		at := time.Date(2026, 5, 1+i, 10, 0, 0, 0, time.UTC)
		f := sessions.Folded{Summary: "They talked.", Keep: []string{fmt.Sprintf("Anna likes town%d.", i)}}
		if i == 3 {
			f.Keep = []string{"Anna's lawyer is Zoltan Fekete."}
		}
		if i%10 == 9 {
			f.Keep = nil
		}
		var entries []memory.Entry
		for j := range 5 {
			entries = append(entries, memory.Entry{Role: llm.RoleUser, User: "telegram:7", Name: "Anna", At: at, Content: fmt.Sprintf(
				"On %d May 2026 I paid %d euros to Mr Smith%d for bus %d to Vienna.", 1+j, 100*i+j, i, 7*i+j)})
		}
		entries[0].Content += fmt.Sprintf(" I like town%d.", i)
		if i == 3 {
			entries[0].Content += " Zoltan Fekete is my lawyer."
		}
		page = sessions.Page(page, transcript.Lines(se, f, entries)...)
	}
	text := sessions.Text(page)
	if !strings.Contains(text, "Zoltan Fekete") {
		t.Errorf("the name is gone:\n%s", text)
	}
	for _, l := range page {
		if !l.Kept && !strings.HasSuffix(l.Session, "9") {
			t.Errorf("session %s left out %q", l.Session, l.Text)
		}
	}
	if strings.Count(text, "Smith") < 3 {
		t.Errorf("where nobody chose, nothing is left:\n%s", text)
	}
}
