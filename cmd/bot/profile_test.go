package main

import (
	"testing"
	"unicode/utf8"
)

// TestSmallProfile: what a small local model has to read before it can answer
// "hi", persona, rules and tools together, stays under 2,100 tokens (of four
// characters), with notes and without.
func TestSmallProfile(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{"plain": nil, "notes": {"BOT_VAULT_DIR=" + copyNotes(t)}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, env...)
			w.run(t)
			w.saying(t, 1, 1, "hi")
			n := (utf8.RuneCount(w.llm.Requests()[0].Raw) + 3) / 4
			t.Logf("%d tokens", n)
			if n > 2100 {
				t.Errorf("%d tokens for hi", n)
			}
		})
	}
}
