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
