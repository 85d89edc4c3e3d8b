package cli

import (
	"strings"
	"testing"
	"time"
)

// TestProgress: progress takes one line on a terminal, and few lines in a log.
func TestProgress(t *testing.T) {
	for name, want := range map[string]string{"terminal": "\rcopying and comparing rows: 2 of 4\x1b[K\rcopying and " +
		"comparing rows: 4 of 4\x1b[K\r\x1b[K", "log": "copying and comparing rows: 3 of 4\n"} {
		var said strings.Builder
		at := time.Unix(0, 0)
		p := &progress{w: &said, live: name == "terminal", now: func() time.Time { return at }, last: at}
		tell := p.of(copying)
		for n := range int64(4) {
			at = at.Add(map[bool]time.Duration{true: tellLive / 2, false: tellLog / 3}[p.live] + 1)
			tell(n+1, 4)
		}
		p.end()
		if said.String() != want {
			t.Errorf("%s: %q", name, said.String())
		}
	}
}
