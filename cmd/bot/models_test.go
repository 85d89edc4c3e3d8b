package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestSeveralModels: the second answers while the first is down, everybody who
// asks is told who answered and what it cost, and a limit of money holds.
func TestSeveralModels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	down := llmtest.NewServer()
	t.Cleanup(down.Close)
	down.Respond(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Status: 503, Header: map[string]string{"Retry-After": "600"}}
	})
	w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "hello", Usage: [2]int{1_000_000, 0}} })
	w.modelsInFile()
	w.file = filepath.Join(t.TempDir(), "bot.yaml")
	settings := fmt.Sprintf(`models:
  - {name: main, base_url: %q, model: test}
  - {name: spare, base_url: %q, model: test, price: {input: 2, output: 10}}
routes: {answer: [main, spare]}
limits: {user_money_per_day: 3, currency: EUR}
`, down.URL(), w.llm.URL())
	must(t, os.WriteFile(w.file, []byte(settings), 0o600))
	w.run(t)
	for _, s := range []struct{ say, want string }{
		{"hi", "hello"},
		{"/why", "2.00 EUR; spare (test) answered"},
		{"/trace last", "2.00 EUR"},
		{"/stats", "spare: 1 call"},
		{"/model show", "main (rests until"},
		{"/status", "1.00 EUR"},
		{"and again", "hello"},
		{"once more", "renews at midnight UTC"},
	} {
		if got := w.saying(t, 1, 1, s.say); !strings.Contains(got, s.want) {
			t.Errorf("%s: %q lacks %q", s.say, got, s.want)
		}
	}
	if n := len(down.Requests()); n != 1 {
		t.Errorf("the one that is down was asked %d times", n)
	}
	for _, r := range w.llm.Requests() {
		if strings.Contains(string(r.Raw), "prompt_cache_key") {
			t.Error("a cache key went to a server that may not take it")
		}
	}
}
