package sessions

import (
	"fmt"
	"slices"
	"testing"
)

// Thirty decisions of an ordinary length all stay, and what has no room any more is named.
func TestNoDecisionIsDroppedUnseen(t *testing.T) {
	var list, out []string
	for i := range 30 {
		list, out = Decide(list, fmt.Sprintf("We paint room %d green, with a white ceiling and grey doors.", i))
		if len(out) > 0 || len(list) != i+1 {
			t.Fatalf("after %d: %d stay, %q go", i+1, len(list), out)
		}
	}
	gone := 0
	for i := range 200 {
		before := slices.Clone(list)
		list, out = Decide(list, fmt.Sprintf("We paint house %d green, with a white ceiling and grey doors.", i))
		if got := append(slices.Clone(out), list...); len(got) != len(before)+1 || !slices.Equal(got[:len(before)], before) {
			t.Fatalf("%q and %q are not %q and one more", out, list, before)
		}
		gone += len(out)
	}
	if gone == 0 {
		t.Error("there is no bound")
	}
}
