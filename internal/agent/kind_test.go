package agent

import (
	"slices"
	"strings"
	"testing"
)

// TestMarksOfKindsAreNeverSeen: not in the answer, not while it grows and not in
// what the model is shown later; and whatever else begins with a bracket is seen
// whole.
func TestMarksOfKindsAreNeverSeen(t *testing.T) {
	for said, want := range map[string]string{
		"[ask] A list, or a reminder?":        "A list, or a reminder?",
		" [OUT OF SCOPE]\n\nThat is private.": "That is private.",
		"[asking] is a word":                  "[asking] is a word",
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
