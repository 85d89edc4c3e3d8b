package links

import (
	"cmp"
	"slices"
	"strings"

	"parley/internal/text"
)

// parseNote lists the links of a Markdown text.
func parseNote(text string) (all []Link) {
	head := frontEnd(text)
	s := &scan{text: text}
	s.wiki(0, head, yamlQuote(text[:head]))
	for _, p := range prose(text, head) {
		s.masked, s.at = p.masked(text), p.from
		s.wiki(p.from, p.to, nil)
		s.markdown()
		s.definitions()
	}
	slices.SortStableFunc(s.all, func(a, b Link) int { return cmp.Compare(a.From, b.From) })
	return s.all
}

// maxFront limits the bytes of frontmatter. Longer frontmatter counts as text.
const maxFront = 64 << 10

// frontEnd returns where the frontmatter of a note ends, 0 without one.
func frontEnd(text string) int {
	begin := 0
	if strings.HasPrefix(text, "\uFEFF") {
		begin = len("\uFEFF")
	}
	at := begin
	for line := range strings.Lines(text[begin:min(len(text), begin+maxFront)]) {
		mark := strings.TrimRight(line, " \t\r\n")
		if at == begin && mark != "---" {
			return 0
		}
		at += len(line)
		if at > begin+len(line) && (mark == "---" || mark == "...") {
			return at
		}
	}
	return 0
}

// yamlQuote returns a function that tells the quote around a place in YAML, 0 for none.
// Call it for ascending places.
func yamlQuote(front string) func(at int) byte {
	next, quote := 0, byte(0)
	return func(at int) byte {
		for ; next < at; next++ {
			switch c := front[next]; {
			case c == '\n':
				quote = 0
			case quote == 0 && (c == '\'' || c == '"') && (next == 0 || strings.IndexByte("\n \t[,-:{", front[next-1]) >= 0):
				quote = c
			case quote == c:
				quote = 0
			}
		}
		return quote
	}
}

// part is a paragraph of a note that is no code.
type part struct{ from, to int }

var (
	fence = text.Pattern("^(`{3,}|~{3,})")
	item  = text.Pattern(`^([-*+]|\d{1,9}[.)])[ \t]+`)
)

// blocks separates prose from code, as exactly as links need it.
type blocks struct {
	parts []part
	open  part   // the current part; empty for none
	fence string // that opened the current code block
	list  bool   // in a list, where deep indents are no code
	blank bool   // the line before was empty, or code
}

// prose lists the parts of a note after an offset.
func prose(text string, from int) []part {
	b := &blocks{blank: true, open: part{from, from}}
	at := from
	for line := range strings.Lines(text[from:]) {
		if !b.line(strings.TrimRight(line, "\r\n")) {
			b.end()
			b.open = part{at + len(line), at + len(line)}
		} else {
			b.open.to = at + len(line)
		}
		at += len(line)
	}
	b.end()
	return b.parts
}

func (b *blocks) end() {
	if b.open.to > b.open.from {
		b.parts = append(b.parts, b.open)
	}
}

// line reports whether a line is prose and not empty.
func (b *blocks) line(line string) bool {
	bare := strings.TrimLeft(line, " \t>")
	deep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	for m := item().FindString(bare); m != ""; m = item().FindString(bare) {
		if !deep || b.list {
			b.list = true
		}
		bare = bare[len(m):]
	}
	mark := fence().FindString(bare)
	switch {
	case b.fence != "":
		if strings.HasPrefix(mark, b.fence) && strings.TrimSpace(strings.TrimLeft(bare, b.fence[:1])) == "" {
			b.fence = ""
		}
		b.blank = true
		return false
	case mark != "" && (mark[0] == '~' || !strings.Contains(bare[len(mark):], "`")):
		b.fence, b.blank = mark, true
		return false
	case bare == "":
		b.blank = true
		return false
	case deep && b.blank && !b.list:
		return false // code that is only indented
	}
	if b.blank && !deep && !strings.HasPrefix(line, " ") && !item().MatchString(line) {
		b.list = false
	}
	b.blank = false
	return true
}

// masked returns a part with its code spans replaced by backticks, in the same length.
func (p part) masked(text string) string {
	s := text[p.from:p.to]
	if !strings.Contains(s, "`") {
		return s
	}
	b := []byte(s)
	all := runs(s)
	for i := 0; i < len(all); {
		open := all[i]
		i++
		if escapedAt(s, open.at) {
			continue
		}
		for j := i; j < min(len(all), i+maxRuns); j++ {
			if all[j].n != open.n {
				continue
			}
			for k := open.at; k < all[j].at+all[j].n; k++ {
				if b[k] != '\n' {
					b[k] = '`'
				}
			}
			i = j + 1
			break
		}
	}
	return string(b)
}

// maxRuns limits the runs of backticks inside a code span.
const maxRuns = 200

// ticks is a run of backticks.
type ticks struct{ at, n int }

func runs(s string) (all []ticks) {
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			continue
		}
		n := 1
		for i+n < len(s) && s[i+n] == '`' {
			n++
		}
		all = append(all, ticks{i, n})
		i += n
	}
	return all
}
