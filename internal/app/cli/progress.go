package cli

import (
	"fmt"
	"io"
	"time"

	"parley/internal/text/catalog"
)

// progress reports the progress of long work: on a terminal in one line that it
// overwrites, elsewhere in a line now and then.
type progress struct {
	w    io.Writer
	p    catalog.Printer
	live bool
	now  func() time.Time
	last time.Time // when it last reported
}

// How often it reports.
const (
	tellLive = 200 * time.Millisecond
	tellLog  = 10 * time.Second
)

func newProgress(s *Streams) *progress {
	return &progress{w: s.Err, p: Speaks(), live: s.Watched, now: time.Now, last: time.Now()}
}

// of returns a function that reports progress in the words of say.
func (p *progress) of(say func(done, of int64) catalog.Phrase) func(done, of int64) {
	return func(done, of int64) {
		every, start, end := tellLog, "", "\n"
		if p.live {
			every, start, end = tellLive, "\r", "\x1b[K"
		}
		if now := p.now(); now.Sub(p.last) >= every {
			p.last = now
			_, _ = io.WriteString(p.w, start+say(done, of).In(p.p)+end)
		}
	}
}

func copying(done, of int64) catalog.Phrase {
	return catalog.Fill("copying and comparing rows: %d of %d", done, of)
}
func indexing(done, of int64) catalog.Phrase {
	return catalog.Fill("making the search: %d of %d rows", done, of)
}
func reading(done, of int64) catalog.Phrase {
	return catalog.Fill("reading: %d of %d MB", done>>20, of>>20)
}
func storing(done, of int64) catalog.Phrase {
	return catalog.Fill("storing messages: %d of %d", done, of)
}

// end clears a terminal's line.
func (p *progress) end() {
	if p.live {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
}
