package wrap

import (
	"strings"
	"testing"

	"parley/internal/text"
)

// TestStreamHoldsBack: however a stream is cut, no piece shows the beginning
// of a secret that goes on, and nothing else is lost.
func TestStreamHoldsBack(t *testing.T) {
	d := Discreet{Hide: text.Redactor{"canary-1234"}}
	const said = "a canary-1234, a cabin and a canary-12"
	for size := 1; size < len(said); size++ {
		var shown []string
		show, end := d.stream(func(s string) { shown = append(shown, s) })
		for i := 0; i < len(said); i += size {
			show(said[i:min(len(said), i+size)])
		}
		end()
		if got := strings.Join(shown, ""); got != "a (hidden), a cabin and a canary-12" {
			t.Errorf("pieces of %d: %q", size, got)
		}
	}
}
