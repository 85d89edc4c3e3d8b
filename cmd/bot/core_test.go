package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/llm/llmtest"
	"parley/internal/memory"
)

// words returns the requests for words: those for summaries are left out.
func (w *world) words() []llmtest.Request {
	return slices.DeleteFunc(w.llm.Requests(), func(r llmtest.Request) bool { return len(r.ResponseFormat) > 0 })
}

// summarizing answers requests for summaries: what was decided in the first
// turn stays decided.
func summarizing(folds *atomic.Int32) func(llmtest.Request) llmtest.Turn {
	return func(r llmtest.Request) llmtest.Turn {
		folds.Add(1)
		text := "They talked about many things."
		if strings.Contains(string(r.Raw), "heron") {
			text += " The code word is heron."
		}
		return llmtest.Turn{Text: `{"summary":"` + text + `","title":"Talk","decisions":[],"facts":[]}`}
	}
}

// TestSixtyTurns: a long conversation on a small budget. The model server
// refuses tool results without their calls, requests stay within the limit,
// and what was said first is known last.
func TestSixtyTurns(t *testing.T) {
	t.Parallel()
	for name, front := range fronts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "terminal" && os.Getenv("PARLEY_FAULTS") == "" {
				t.Skip("takes 20 s at a pipe; make faults plays it")
			}
			w := newWorld(t, "BOT_CONTEXT_TOKEN_BUDGET=4000")
			var folds atomic.Int32
			w.llm.Structured(summarizing(&folds))
			say := front(t, w)
			w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "a", Name: "save_decision", Args: `{"content":"We ship on Fridays"}`}}},
				llmtest.Turn{Text: "Decided."})
			say("The code word is heron. We ship on Fridays, save that.")
			for i := range 59 {
				if i%3 == 0 {
					w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: fmt.Sprint("t", i), Name: "current_time", Args: "{}"}}})
				}
				answer := fmt.Sprintf("Answer %d. %s", i, strings.Repeat("As long as answers are. ", 8))
				w.llm.Queue(llmtest.Turn{Text: answer})
				if got := say(fmt.Sprintf("Question %d: %s", i, strings.Repeat("what about it? ", 8))); !strings.Contains(got,
					fmt.Sprintf("Answer %d.", i)) {
					t.Fatalf("turn %d: %q", i, got)
				}
				if i == 20 {
					checkTokens(t, w, say("/session info"), answer)
				}
			}
			most := 0
			for i, r := range w.words() {
				most = max(most, r.Tokens())
				if n := r.Tokens(); n > 4000 {
					t.Errorf("request %d: %d tokens", i, n)
				}
			}
			last := w.words()[len(w.words())-1]
			users := 0
			for _, m := range last.Messages {
				if m.Role == "user" {
					users++
				}
			}
			// The tools leave room for about three exchanges.
			if s := last.System(); !strings.Contains(s, "heron") || !strings.Contains(s, "We ship on Fridays") || users < 3 {
				t.Errorf("%d exchanges left, told %q", users, s)
			}
			t.Logf("%d folds, the largest request is %d tokens", folds.Load(), most)
			if n := folds.Load(); n == 0 || n > 12 {
				t.Errorf("%d folds in 60 turns", n)
			}
		})
	}
}

// checkTokens holds what /session info says against what was sent last, without
// the tools, and the answer to it: after five calls it is within a tenth of what
// the server counts.
func checkTokens(t *testing.T, w *world, info, answer string) {
	t.Helper()
	var said int
	_, rest, _ := strings.Cut(info, "tokens: ")
	_, _ = fmt.Sscan(rest, &said)
	list := w.words()
	last := list[len(list)-1]
	last.Tools = nil
	want := last.Tokens() + (len([]rune(strings.TrimSpace(answer)))+3)/4
	if said*10 < want*9 || said*10 > want*11 {
		t.Errorf("said %d tokens, sent %d", said, want)
	}
}

// TestPromptPrefix: with the real tools, nearly all of a request is what the
// request before began with, which is what providers' caches go by. A fold
// begins anew after the tools and the persona.
func TestPromptPrefix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	say := onTelegram(t, w)
	for i := range 20 {
		w.llm.Queue(llmtest.Turn{Text: fmt.Sprintf("Answer %d, with a sentence or two, as answers have.", i)})
		say(fmt.Sprintf("What about number %d, please?", i))
	}
	list := w.words()
	share := func(i int) (same, all int) {
		x, y := list[i-1].Raw, list[i].Raw
		for same < min(len(x), len(y)) && x[same] == y[same] {
			same++
		}
		return same, len(y)
	}
	var same, all int
	least := 1.0
	for i := 1; i < len(list); i++ {
		s, n := share(i)
		same, all, least = same+s, all+n, min(least, float64(s)/float64(n))
		if i < 10 && float64(s) < 0.9*float64(n) {
			t.Errorf("request %d: %d bytes of %d are as before", i, s, n)
		}
	}
	t.Logf("%.1f %% of %d bytes a request over 20 turns; the least, after a fold, is %.1f %%", 100*float64(same)/float64(all),
		all/(len(list)-1), 100*least)
	if float64(same) < 0.9*float64(all) {
		t.Errorf("only %d bytes of %d are as before", same, all)
	}
}

// open opens the world's database once its bot has ended.
func (w *world) open(t *testing.T) *memory.Store {
	t.Helper()
	store, err := memory.Open(context.Background(), w.dir, memory.Options{URL: w.url})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}
