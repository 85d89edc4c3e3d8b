package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
)

// TestRecallFitsTheModel: what the tool returns takes as many tokens as it says, in Chinese too,
// and up to 4,000 if the model asks.
func TestRecallFitsTheModel(t *testing.T) {
	store, err := memory.Open(t.Context(), filepath.Join(t.TempDir(), "data"), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, `{"platform":"x","channel":"c","user":"ann","name":"Ann","text":"第%d次会议的时间改到星期五下午三点。","at":"2024-05-01T10:00:00Z","id":"%d"}`+"\n", i, i)
	}
	if _, err = store.Import(t.Context(), strings.NewReader(lines.String())); err != nil {
		t.Fatal(err)
	}
	tool := RecallConversation(store, nil)
	for asked, most := range map[int]int{0: 1000, 4000: 4000, 9000: 4000} {
		args, _ := json.Marshal(map[string]any{"query": "会议的时间", "tokens": asked})
		r, err := tool.Call(t.Context(), Call{Who: chat.User{ID: "x:ann"}, Where: chat.Key{Platform: "x", Channel: "c"}, Args: args})
		if err != nil {
			t.Fatal(err)
		}
		n := llm.EstimateTokens(llm.Message{Content: r.Content})
		if n > most || n < most*8/10 {
			t.Errorf("asked for %d it returns %d tokens (%d letters), want up to %d", asked, n, utf8.RuneCountInString(r.Content), most)
		}
	}
}

// TestRecallGoesOn: the first page has what fits well, each later one goes on where the one
// before ended, and none repeats a message or a day.
func TestRecallGoesOn(t *testing.T) {
	store, err := memory.Open(t.Context(), filepath.Join(t.TempDir(), "data"), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	var lines strings.Builder
	for i := range 120 {
		said := fmt.Sprintf("Number %d is about the weather, and what the river did to the old bridge that week.", i)
		if i == 60 {
			said = "We paid 900 for the mortgage of the blue house in spring."
		}
		fmt.Fprintf(&lines, `{"platform":"x","channel":"c","user":"ann","name":"Ann","text":%q,"at":"2024-05-%02dT10:00:00Z","id":"%d"}`+"\n", said, 1+i/30, i)
	}
	if _, err = store.Import(t.Context(), strings.NewReader(lines.String())); err != nil {
		t.Fatal(err)
	}
	tool, seen := RecallConversation(store, nil), map[string]int{}
	for page := range 6 {
		args, _ := json.Marshal(map[string]any{"query": "mortgage of the blue house", "page": page})
		r, err := tool.Call(t.Context(), Call{Who: chat.User{ID: "x:ann"}, Where: chat.Key{Platform: "x", Channel: "c"}, Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if page == 0 {
			continue // the same as the first
		}
		if n := llm.EstimateTokens(llm.Message{Content: r.Content}); page == 1 && n > 300 || n > 1000 {
			t.Errorf("page %d has %d tokens:\n%s", page, n, r.Content)
		}
		days := map[string]bool{}
		for line := range strings.Lines(r.Content) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
				if days[line] {
					t.Errorf("page %d has the day %s twice", page, line)
				}
				days[line] = true
			} else if seen[line]++; seen[line] > 1 && !strings.HasPrefix(line, "Nothing") {
				t.Errorf("page %d repeats %q", page, line)
			}
		}
		if page == 1 && !strings.Contains(r.Content, "We paid 900 for the mortgage of the blue house in spring.") {
			t.Errorf("the first page lacks the answer:\n%s", r.Content)
		}
	}
	if len(seen) < 100 {
		t.Errorf("five pages have %d messages", len(seen))
	}
}
