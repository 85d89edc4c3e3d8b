package chat

import (
	"regexp"
	"strings"
)

type line struct {
	start, end int    // end is before the line break
	body       int    // where its text begins, after quotation marks, list marks and number signs
	quotes     string // its quotation marks
	indent     int    // of its text, after the quotation marks
	column     int    // where the text of the list item begins that it lies in, 0 for none
	kind       lineKind
	opens      *fence // the fence that it begins
	fence      *fence // the fence it lies in, its first line excepted
	table      string // the head of the table that it is a row of, with line breaks
}

type lineKind int

const (
	linePlain lineKind = iota
	lineBlank
	lineBlock // begins a block: a heading, an item, a table, a fence
	lineRow   // of a table
	lineClose // ends a fence
)

// fence is a block of code.
type fence struct {
	marker string
	again  string // what opens it once more, quotation marks included
	end    string // what closes it
	depth  int    // how many quotation marks it lies in
	indent int
}

var (
	quoteMark = regexp.MustCompile(`^ {0,3}> ?`)
	itemMark  = regexp.MustCompile(`^(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]+|$)`)
	headMark  = regexp.MustCompile(`^#{1,6}[ \t]+`)
	fenceMark = regexp.MustCompile("^(?:(`{3,})[^`]*|(~{3,}).*)$")
	tableRule = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
)

// maxInfo is how long a line that opens a fence, or the head of a table, may be
// to be written again.
const (
	maxInfo = 64
	maxHead = 512
)

type outliner struct {
	text   string
	lines  []line
	fence  *fence
	table  string // the head of the table under way
	column int    // of the text of the list item under way, 0 outside lists
}

// outline returns the lines of text with their surroundings, in one pass.
func outline(text string) []line {
	o := &outliner{text: text}
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		o.add(at, end)
		at = end + 1
	}
	return o.lines
}

func (o *outliner) add(start, end int) {
	l := line{start: start, end: end, body: start}
	depth := 0
	for ; depth < 16; depth++ {
		n := len(quoteMark.FindString(o.text[l.body:end]))
		if n == 0 {
			break
		}
		l.body += n
	}
	l.quotes = o.text[start:l.body]
	rest := o.text[l.body:end]
	words := strings.TrimSpace(rest)
	indent := len(rest) - len(strings.TrimLeft(rest, " \t"))
	if f := o.fence; f != nil && (depth < f.depth || o.column > 0 && words != "" && indent < min(f.indent, o.column)) {
		o.fence = nil // what it lay in has ended
	}
	l.indent = indent
	if o.fence != nil {
		l.fence = o.fence
		if strings.HasPrefix(words, o.fence.marker) && strings.Trim(words, words[:1]) == "" {
			l.kind, o.fence = lineClose, nil
		}
	} else {
		l.body += indent
		o.classify(&l, words, indent, depth)
	}
	l.column = o.column
	o.lines = append(o.lines, l)
}

func (o *outliner) classify(l *line, words string, indent, depth int) {
	if words == "" {
		l.kind, o.table = lineBlank, ""
		return
	}
	if mark := itemMark.FindString(words); mark != "" {
		l.kind, l.body, words = lineBlock, min(l.body+len(mark), l.end), words[min(len(mark), len(words)):]
		o.column = indent + len(mark)
	} else if indent == 0 && (len(o.lines) == 0 || o.lines[len(o.lines)-1].kind == lineBlank) {
		o.column = 0
	}
	if mark := headMark.FindString(words); mark != "" {
		l.kind, l.body = lineBlock, l.body+len(mark)
	}
	if m := fenceMark.FindStringSubmatch(words); m != nil && (indent < 4 || o.column > 0) {
		marker := m[1] + m[2]
		if len(words) > maxInfo {
			words = marker
		}
		l.kind = lineBlock
		o.fence = &fence{marker: marker, again: l.quotes + words, end: l.quotes + marker, depth: depth, indent: indent}
		l.opens = o.fence
	}
	o.rows(l, words)
}

// rows finds tables: a rule under a line with bars, and lines with bars below.
func (o *outliner) rows(l *line, words string) {
	bars := strings.Contains(words, "|")
	switch {
	case o.table != "" && bars && l.kind == linePlain:
		l.kind, l.table = lineRow, o.table
		return
	case bars && len(o.lines) > 0 && l.kind == linePlain && tableRule.MatchString(words):
		head := &o.lines[len(o.lines)-1]
		if head.kind == linePlain && strings.Contains(o.text[head.start:head.end], "|") && head.quotes == l.quotes {
			head.kind, l.kind = lineBlock, lineRow
			if o.table = o.text[head.start:l.end] + "\n"; len(o.table) > maxHead {
				o.table = "\n"
			}
			return
		}
	}
	o.table = ""
}
