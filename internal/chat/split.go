package chat

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Split cuts Markdown into pieces that fit, at the best place there is: between
// blocks, lines or words, and never inside a link or a grapheme unless one of
// these alone does not fit. What a cut goes through is closed before it and
// opened again after it: a fence with its language, bold and the like, code, a
// spoiler, a quotation; of a table the head is repeated. Nothing else is added,
// and nothing lost but white space at the cuts. fits must hold for whatever is
// shorter than something it holds for; it is called often and must be fast.
// White space alone gives no pieces.
func Split(text string, fits func(string) bool) (pieces []string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if fits(text) {
		return []string{text}
	}
	c := &cutter{text: text, fits: fits, lines: outline(text), guess: 1024}
	c.spans, c.spoilers = marks(text, c.lines)
	for from := (start{}); from.at < len(text); {
		end := c.reach(from)
		var piece string
		switch {
		case end > from.at:
			piece = c.piece(from, end)
			from = c.resume(end)
		case from.head != "": // what was to be opened again leaves no room
			from = start{at: from.at}
		default: // nor does what has to be closed
			end = from.at + max(grapheme(text[from.at:]), c.longest(from.at, func(end int) string { return text[from.at:end] })-from.at)
			piece, from = text[from.at:end], start{at: end}
		}
		if shows(piece) {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

// shows reports whether a piece is more than white space and a fence.
func shows(piece string) bool {
	for _, l := range outline(piece) {
		if l.opens == nil && l.kind != lineClose && strings.TrimSpace(piece[l.start+len(l.quotes):l.end]) != "" {
			return true
		}
	}
	return false
}

type start struct {
	at     int
	head   string // what is put before it
	quotes string // quotation marks that
	indent string // this follows, which is left out of the lines that have it
}

type cutter struct {
	text            string
	fits            func(string) bool
	lines           []line
	spans, spoilers []span
	guess           int // how long the next piece may become
}

// lineAt returns the index of the line that contains a place.
func (c *cutter) lineAt(at int) int {
	return sort.Search(len(c.lines), func(i int) bool { return c.lines[i].start > at }) - 1
}

// around lists the spans that a cut at a place goes through, the outermost
// first.
func (c *cutter) around(at int) (list []span) {
	for i := sort.Search(len(c.spans), func(i int) bool { return c.spans[i].start >= at }) - 1; i >= 0; i = c.spans[i].parent {
		if c.spans[i].end > at {
			list = append(list, c.spans[i])
		}
	}
	if i := sort.Search(len(c.spoilers), func(i int) bool { return c.spoilers[i].start >= at }) - 1; i >= 0 && c.spoilers[i].end > at {
		list = append(list, c.spoilers[i])
	}
	slices.SortFunc(list, func(a, b span) int { return a.start - b.start })
	return list
}

// piece returns the text between two places as it is sent.
func (c *cutter) piece(from start, end int) string {
	body := from.head + dedent(c.text[from.at:end], from)
	if end == len(c.text) {
		return body
	}
	if l := c.lines[c.lineAt(end)]; l.fence != nil {
		return strings.TrimSuffix(body, "\n") + "\n" + l.fence.end
	}
	tail := ""
	for _, s := range c.around(end) {
		tail = s.mark + tail
	}
	if tail == "" {
		return body
	}
	return strings.TrimRightFunc(body, unicode.IsSpace) + tail
}

// dedent removes the indentation of a list item that begins a piece: at the
// beginning of a message, nested text would turn into code.
func dedent(s string, from start) string {
	if from.indent == "" {
		return s
	}
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		rest, ok := strings.CutPrefix(l, from.quotes+from.indent)
		if ok {
			lines[i] = from.quotes + rest
		} else if strings.TrimSpace(l) != "" && (i > 0 || from.head == "") {
			break
		}
	}
	return strings.Join(lines, "")
}

// longest returns the furthest place up to which a piece fits, never beyond reason.
func (c *cutter) longest(at int, piece func(end int) string) int {
	good := func(end int) bool { return c.fits(piece(end)) }
	far := min(at+c.guess, len(c.text)) // doubled until too long
	for good(far) {
		if far == len(c.text) {
			return far
		}
		far = min(at+2*(far-at), len(c.text))
	}
	return at + sort.Search(far-at, func(n int) bool { return !good(at + n + 1) })
}

// reach returns where the piece that begins at a place ends: the place itself when
// not even one character fits.
func (c *cutter) reach(from start) int {
	end := c.longest(from.at, func(end int) string { return c.piece(from, end) })
	if end == len(c.text) {
		return end
	}
	for far := end; far > from.at; { // rendering is not quite monotone
		if end = c.best(from.at, far); end <= from.at || c.fits(c.piece(from, end)) {
			break
		}
		far = end - 1
	}
	c.guess = max(64, 2*(end-from.at))
	return max(end, from.at)
}

// resume returns where the piece after a cut begins, and what is put before it.
func (c *cutter) resume(at int) start {
	for at < len(c.text) && (c.text[at] == '\n' || c.text[at] == ' ' && len(c.around(at)) > 0) {
		at++
	}
	if at == len(c.text) {
		return start{at: at}
	}
	l := c.lines[c.lineAt(at)]
	from := start{at: at, quotes: l.quotes}
	whole := at == l.start
	open := ""
	for _, s := range c.around(at) {
		open += s.mark
	}
	switch {
	case l.kind == lineClose:
		return start{at: min(l.end+1, len(c.text))} // only the end of what is closed already
	case l.fence != nil:
		from.indent = strings.Repeat(" ", l.fence.indent)
		from.head = l.fence.again + "\n"
		if !whole {
			from.head += l.quotes
		}
		return from
	case l.table != "":
		from.head = strings.TrimPrefix(l.table, "\n")
	case whole && open != "":
		from.at, from.head = l.body, l.quotes+strings.TrimLeft(c.text[l.start+len(l.quotes):l.body], " ")+open
	case whole:
	case at > l.body:
		from.head = l.quotes + open
	default:
		from.head = open
	}
	if l.column > 0 {
		from.indent = strings.Repeat(" ", l.column)
		if whole {
			from.indent = strings.Repeat(" ", l.indent)
		}
	}
	return from
}

// The ranks of places to cut at.
const (
	rankAny = iota
	rankWord
	rankLine
	rankBlock
	rankParagraph
	ranks
)

// best returns the best place to cut at or before end: the one with the highest
// rank in the second half of the piece, outside marks if possible.
func (c *cutter) best(at, end int) int {
	var free, marked [ranks]int
	half := at + (end-at)/2
	for p := c.letter(at, end); p > at && (p >= half || free == [ranks]int{} && marked == [ranks]int{}); p = c.letter(at, p-1) {
		rank := c.rank(p)
		if rank == rankAny && (free[rankAny] > 0 || marked[rankAny] > 0 && free[rankWord] > 0) {
			continue
		}
		around := c.around(p)
		list := &free
		if len(around) > 0 {
			list = &marked
		}
		if list[rank] > 0 || slices.ContainsFunc(around, func(s span) bool { return s.mark == "" }) || c.bare(p, around) {
			continue
		}
		if list[rank] = p; rank == rankParagraph && list == &free {
			break
		}
	}
	for _, rank := range []int{rankParagraph, rankBlock, rankLine, rankWord} {
		if free[rank] > 0 {
			return free[rank]
		}
	}
	for rank := ranks - 1; rank >= 0; rank-- {
		if p := max(marked[rank], free[rank]); p > 0 {
			return p
		}
	}
	return c.whole(at, end)
}

// whole returns where to cut when the second half of a piece is one link: before
// the link, or through it when there is nothing else.
func (c *cutter) whole(at, end int) int {
	for _, s := range c.around(end) {
		if s.start > at && strings.TrimSpace(c.text[at:s.start]) != "" {
			return s.start
		}
	}
	return max(c.letter(at, end), at)
}

// bare reports whether a cut would leave marks with nothing between them, a fence
// with no code or a table with no row.
func (c *cutter) bare(at int, around []span) bool {
	for _, s := range around {
		from, to := s.inside()
		if at <= from || at >= to || strings.TrimSpace(c.text[from:at]) == "" || strings.TrimSpace(c.text[at:to]) == "" {
			return true
		}
	}
	i := c.lineAt(at)
	l := c.lines[i]
	switch {
	case l.opens != nil:
		return at > l.start
	case l.fence != nil && l.kind == lineClose && at > l.start, l.kind == lineRow && l.table == "":
		return true
	case at > l.start || i == 0:
		return false
	}
	before := c.lines[i-1]
	return before.opens != nil || before.kind == lineRow && before.table == ""
}

func (c *cutter) rank(at int) int {
	if c.text[at-1] != '\n' {
		if c.text[at-1] == ' ' || c.text[at-1] == '\t' {
			return rankWord
		}
		return rankAny
	}
	i := c.lineAt(at)
	if i <= 0 {
		return rankLine
	}
	before, l := c.lines[i-1], c.lines[i]
	switch {
	case l.fence != nil, l.kind == lineRow && l.table == "":
		return rankLine
	case before.kind == lineBlank:
		return rankParagraph
	case l.kind == lineBlock, before.kind == lineClose, before.table != "" && l.table == "":
		return rankBlock
	}
	return rankLine
}

// letter returns the last place at or before end that is inside no grapheme.
func (c *cutter) letter(at, end int) int {
	for end > at && end < len(c.text) && !utf8.RuneStart(c.text[end]) {
		end--
	}
	for i := end; i > at && i < len(c.text); {
		before, size := utf8.DecodeLastRuneInString(c.text[:i])
		after, _ := utf8.DecodeRuneInString(c.text[i:])
		if !joined(before, after) {
			return i
		}
		if i -= size; end-i > maxUnit {
			break
		}
	}
	return end
}

// grapheme returns the length of the first grapheme of s, or of its first
// character when the grapheme is endless.
func grapheme(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// joined reports whether two characters belong to one grapheme.
func joined(a, b rune) bool {
	const joiner = '\u200D'
	flags := func(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
	tone := b >= 0x1F3FB && b <= 0x1F3FF
	return a == joiner || b == joiner || tone || unicode.In(b, unicode.M) || flags(a) && flags(b) || a == '\r' && b == '\n'
}

// CloseSpoilers closes a spoiler at the end of every block it goes through and
// reopens it in the next, for platforms where a spoiler stays within one block.
// Blocks of code are left as they are.
func CloseSpoilers(text string) string {
	if strings.Count(text, "||") < 2 || !strings.Contains(text, "\n") {
		return text
	}
	lines := outline(text)
	_, spoilers := marks(text, lines)
	var b strings.Builder
	at, i := 0, 0
	put := func(to int) {
		b.WriteString(text[at:to] + "||")
		at = to
	}
	for _, s := range spoilers {
		for ; i < len(lines) && lines[i].end < s.end; i++ {
			l, next := lines[i], lines[i+1]
			if l.start > s.start && l.fence == nil && l.kind != lineBlank && (l.kind == lineBlock || lines[i-1].kind == lineBlank) {
				put(l.body)
			}
			if l.end > s.start && l.fence == nil && l.kind != lineBlank && next.kind != linePlain {
				put(l.end)
			}
		}
		if l := lines[min(i, len(lines)-1)]; l.start > s.start && l.fence == nil && (l.kind == lineBlock || lines[i-1].kind == lineBlank) {
			put(l.body)
		}
	}
	return b.String() + text[at:]
}
