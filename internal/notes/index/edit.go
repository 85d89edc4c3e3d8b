package index

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// written is an existing note. Added text gets the same line ends, and a final line end
// if the note has one. Everything else stays as it is, byte for byte.
type written struct {
	raw string
	eol string // of each line
	end string // of the note: eol or nothing
}

// bom is the byte order mark that some editors put at the start of a UTF-8 file.
const bom = "\uFEFF"

// asWritten reads a note. A note that is not UTF-8 is never changed, because any decoding
// would be a guess.
func asWritten(raw []byte) (written, error) {
	if !utf8.Valid(raw) {
		return written{}, text.Tell("%w: what is there is not UTF-8, and writing to it could damage it; save it as UTF-8 in your editor first",
			ErrContent)
	}
	w := written{raw: string(raw), eol: "\n"}
	if crlf := bytes.Count(raw, []byte("\r\n")); 2*crlf > bytes.Count(raw, []byte("\n")) {
		w.eol = "\r\n"
	}
	if w.raw == "" || w.raw == bom || strings.HasSuffix(w.raw, "\n") {
		w.end = w.eol
	}
	return w, nil
}

// lines returns a text with the note's line ends, except after the last line.
func (w written) lines(text string) string {
	return strings.ReplaceAll(strings.Trim(clean(text), "\n"), "\n", w.eol)
}

// appended returns the note with a text at its end, after an empty line.
func (w written) appended(text string) string {
	gap := ""
	for text := clean(w.raw); text != "" && !strings.HasSuffix(text+gap, "\n\n"); {
		gap += "\n"
	}
	return w.raw + strings.ReplaceAll(gap, "\n", w.eol) + w.lines(text) + w.end
}

// replaced returns the note with new text below one of its headings.
func (w written) replaced(n Note) (string, error) {
	all := noteSpans(clean(w.raw))
	i := slices.IndexFunc(all, func(s span) bool { return sameHeading(s.heading, n.Heading) })
	if i < 0 {
		names := make([]string, len(all))
		for i, s := range all {
			names[i] = s.heading
		}
		return "", text.Tell("%w: no heading %.200q; there are: %.2000s", ErrNotFound, n.Heading, strings.Join(names, " | "))
	}
	lines := strings.SplitAfter(w.raw, "\n")
	before, after := strings.Join(lines[:all[i].body-1], ""), strings.Join(lines[all[i].to:], "")
	if !strings.HasSuffix(before, "\n") {
		before += w.eol
	}
	part := w.eol + w.lines(n.Content)
	if after == "" {
		return before + part + w.end, nil
	}
	return before + part + w.eol + w.eol + after, nil
}
