package openai

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// Each way to be endless ends at its own bound, long before an answer's.
func TestCapped(t *testing.T) {
	const piece = 32 << 10 // what is read at once
	for _, tt := range []struct {
		name, text string
		stream     bool
		most       int
	}{
		{"a body", "x", false, maxAnswer},
		{"data lines", "data: x\n\n", true, maxAnswer},
		{"one data line", "data: x", true, maxLine},
		{"one line that is none", "x", true, maxBeside},
		{"comments", ": keep-alive\n\n", true, maxBeside * 14 / 12},
	} {
		body := io.NopCloser(strings.NewReader(strings.Repeat(tt.text, 2*maxAnswer/len(tt.text))))
		n, err := io.CopyBuffer(onlyWriter{io.Discard}, &capped{ReadCloser: body, left: maxAnswer, stream: tt.stream, start: true},
			make([]byte, piece))
		if !errors.Is(err, errOverlong) || int(n) > tt.most+piece || int(n) < tt.most-piece-8 {
			t.Errorf("%s: %d bytes, at most %d: %v", tt.name, n, tt.most, err)
		}
	}
}

// onlyWriter hides how a writer reads by itself.
type onlyWriter struct{ io.Writer }

// An answer of nothing but calls has an end.
func TestCallsAreBounded(t *testing.T) {
	a := &answer{}
	for n := range 1000 {
		index := n
		a.addCall(fragment{Index: &index})
	}
	if len(a.calls) > 200 {
		t.Errorf("%d calls", len(a.calls))
	}
}
