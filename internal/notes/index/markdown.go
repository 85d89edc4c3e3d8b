package index

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/notes/code"
	"parley/internal/notes/frontmatter"
	"parley/internal/notes/links"
	whole "parley/internal/text"
)

// Bounds of what is indexed of one file.
const (
	maxSection  = 2000 // characters of one section
	maxSections = 4000 // from here on headings open none: the text is only cut by size
	maxName     = 200  // characters of a title or a heading
	maxMarks    = 500  // tags, and links, of one note
)

// indexed is one file as the index keeps it.
type indexed struct {
	source, path, kind string
	title              string
	skipped            string // why it has no sections, "" if it has some
	partly             string // which part has no section, "" for none
	day                int    // the file's date, in days since 1970; 0 for none
	properties         []frontmatter.Property
	tags, aliases      []string
	links              []links.Link
	blocks             []links.Block
	sections           []section
	symbols            []code.Symbol
	stamp
}

// section is a part of a file that is found and cited as a unit.
type section struct {
	heading string // of a note; of code, the symbol defined here
	trail   string // the headings above, outermost first
	line    int    // first line of the text, from 1
	page    int    // of a document, from 1; 0 if it has no pages
	text    string
}

// blocks finds headings and fenced code. Indented code may just as well belong to a
// list, so it counts as text. Quotations, lists and inline markup open no section and
// are not parsed: what is left takes linear time and does not nest.
var blocks = parser.NewParser(parser.WithBlockParsers(
	util.Prioritized(parser.NewSetextHeadingParser(), 100),
	util.Prioritized(parser.NewThematicBreakParser(), 200),
	util.Prioritized(parser.NewCodeBlockParser(), 500),
	util.Prioritized(parser.NewATXHeadingParser(), 600),
	util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
	util.Prioritized(parser.NewHTMLBlockParser(), 900),
	util.Prioritized(parser.NewParagraphParser(), 1000),
))

// head is a heading, with the lines, from 0, where it and its text begin.
type head struct {
	level      int
	text       string
	line, body int
}

// parseNote parses a Markdown file. data is valid UTF-8.
func parseNote(name, data string) indexed {
	matter, rest := frontmatter.Parse(data)
	d := indexed{title: plain(matter.Title), tags: matter.Tags, aliases: matter.Aliases, properties: matter.Properties,
		day: frontmatter.Day(name, matter.Properties)}
	lines := strings.Split(rest, "\n")
	heads, code := outline(rest, lines)
	first := ""
	if i := slices.IndexFunc(heads, func(h head) bool { return h.level == 1 }); i >= 0 {
		first = heads[i].text
	}
	d.title = whole.Clip(cmp.Or(d.title, first, strings.TrimSuffix(path.Base(name), path.Ext(name))), maxName)
	d.sections = noteSections(lines, heads, matter.Lines)
	if matter.Lines > 0 { // else they are lines of the text
		properties := strings.Split(matter.Text(), "\n")
		for _, s := range cut(properties, 0, len(properties)) {
			s.line = 2
			d.sections = append(d.sections, s)
		}
	}
	d.marks(lines, code)
	d.links = links.Parse(name, data)
	for _, id := range links.References(data) {
		d.links = append(d.links, links.Link{Kind: links.ToBlock, Target: id})
	}
	d.links, d.blocks = different(d.links), links.Blocks(data)
	return d
}

// parsePlain parses a text without markup, such as YAML.
func parsePlain(name, data string) indexed {
	lines := strings.Split(data, "\n")
	return indexed{title: whole.Clip(strings.TrimSuffix(path.Base(name), path.Ext(name)), maxName), sections: cut(lines, 0, len(lines))}
}

// outline lists the headings and finds which lines are code.
func outline(src string, lines []string) (heads []head, code []bool) {
	starts := make([]int, len(lines))
	for i, at := 0, 0; i < len(lines); i++ {
		starts[i] = at
		at += len(lines[i]) + 1
	}
	lineAt := func(offset int) int {
		i, exact := slices.BinarySearch(starts, offset)
		if !exact {
			i--
		}
		return i
	}
	code = make([]bool, len(lines))
	source := []byte(src)
	root := blocks.Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		segments := n.Lines()
		if n.Type() != ast.TypeBlock || segments == nil || segments.Len() == 0 {
			continue
		}
		first, last := lineAt(segments.At(0).Start), lineAt(segments.At(segments.Len()-1).Start)
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			for i := first; i <= last; i++ {
				code[i] = true
			}
		case *ast.Heading:
			begin := strings.TrimLeft(lines[first], " ")
			atx := strings.HasPrefix(begin, "#")
			if !atx && nested().MatchString(begin) {
				continue // a rule below a list or a quotation
			}
			h := head{level: n.Level, text: plain(string(segments.Value(source))), line: first, body: last + 1}
			if !atx {
				h.body++ // the underline
			}
			if len(heads) < maxSections {
				heads = append(heads, h)
			}
		}
	}
	return heads, code
}

// nested matches the beginning of a list item, a quotation or a table.
var nested = whole.Pattern(`^([-*+>|]|\d{1,9}[.)]\s)`)

var (
	markdownLink = whole.Pattern(`!?\[([^\[\]]*)\]\([^()\s]*\)`)
	wikiShown    = whole.Pattern(`\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]`)
	emphasis     = strings.NewReplacer("**", "", "__", "", "`", "", "*", "", "~~", "")
)

// plain returns a heading without markup, on one line.
func plain(s string) string {
	s = whole.Clip(s, 4*maxName)
	s = wikiShown().ReplaceAllString(markdownLink().ReplaceAllString(s, "$1"), "$1")
	return whole.Clip(strings.Join(strings.Fields(emphasis.Replace(s)), " "), maxName)
}

// noteSections cuts a note at its headings. above is the number of lines in the file
// before the first of lines.
func noteSections(lines []string, heads []head, above int) []section {
	var all []section
	add := func(h head, trail string, from, to int) {
		for _, p := range cut(lines, from, to) {
			p.heading, p.trail, p.line = h.text, trail, p.line+above
			all = append(all, p)
		}
	}
	end := len(lines)
	if len(heads) > 0 {
		end = heads[0].line
	}
	add(head{}, "", 0, end)
	var path []head // the headings that are open
	for i, h := range heads {
		for len(path) > 0 && path[len(path)-1].level >= h.level {
			path = path[:len(path)-1]
		}
		names := make([]string, len(path))
		for i, o := range path {
			names[i] = o.text
		}
		trail := strings.Join(names, " › ")
		path = append(path, h)
		end, leaf := len(lines), true
		if i+1 < len(heads) {
			end, leaf = heads[i+1].line, heads[i+1].level <= h.level
		}
		before := len(all)
		add(h, trail, h.body, end)
		if len(all) == before && leaf { // its words are nowhere else
			all = append(all, section{heading: h.text, trail: trail, line: h.line + 1 + above})
		}
	}
	if len(all) == 0 { // so that the title is found
		all = append(all, section{line: 1})
	}
	return all
}

// cut splits lines[from:to] into pieces of at most maxSection characters: at a blank
// line in the second half, else at the end of a line, else inside a line. It leaves out
// blank pieces.
func cut(lines []string, from, to int) (pieces []section) {
	emit := func(from, to int) {
		for from < to && strings.TrimSpace(lines[from]) == "" {
			from++
		}
		if s := strings.TrimRight(strings.Join(lines[from:to], "\n"), " \t\n"); s != "" {
			pieces = append(pieces, section{line: from + 1, text: s})
		}
	}
	begin, size, blank, half := from, 0, -1, 0
	for i := from; i < to; i++ {
		n := utf8.RuneCountInString(lines[i]) + 1
		if n > maxSection {
			emit(begin, i)
			for _, s := range chop(lines[i]) {
				pieces = append(pieces, section{line: i + 1, text: s})
			}
			begin, size, blank = i+1, 0, -1
			continue
		}
		for size+n > maxSection {
			at, rest := i, 0
			if blank > begin {
				at, rest = blank, size-half
			}
			emit(begin, at)
			begin, size, blank = at, rest, -1
		}
		if strings.TrimSpace(lines[i]) == "" && size > maxSection/2 {
			blank, half = i, size
		}
		size += n
	}
	emit(begin, max(begin, to))
	return pieces
}

// chop splits a line that is too long, at a space if possible.
func chop(line string) (pieces []string) {
	for line != "" {
		piece := whole.Clip(line, maxSection)
		if len(piece) < len(line) {
			if at := strings.LastIndexByte(piece, ' '); at > len(piece)/2 {
				piece = piece[:at]
			}
		}
		line = strings.TrimLeft(line[len(piece):], " ")
		if strings.TrimSpace(piece) != "" {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

var (
	codeSpan = whole.Pattern("`[^`]*`")
	tagMark  = whole.Pattern(`(?:^|[\s(,;])#([\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*)`)
)

// marks adds the #tags of the text, except those in code.
func (d *indexed) marks(lines []string, code []bool) {
	for i, line := range lines {
		if code[i] || !strings.Contains(line, "#") {
			continue
		}
		line = codeSpan().ReplaceAllString(line, " ")
		for _, m := range tagMark().FindAllStringSubmatch(line, maxMarks) {
			d.tags = append(d.tags, m[1])
		}
		if len(d.tags) > maxMarks {
			d.tags = distinct(d.tags)
			d.tags = d.tags[:min(len(d.tags), maxMarks)]
		}
	}
	for i, t := range d.tags {
		d.tags[i] = tagName(t)
	}
	d.tags = distinct(d.tags)
}

// different drops repeated links.
func different(all []links.Link) (kept []links.Link) {
	seen := map[links.Link]bool{}
	for _, l := range all {
		l = links.Link{Kind: l.Kind, Target: l.Target}
		if !seen[l] && len(kept) < maxMarks {
			seen[l] = true
			kept = append(kept, l)
		}
	}
	return kept
}

// distinct sorts, and drops duplicates and empty texts.
func distinct(all []string) []string {
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == "" })
}

// noteName returns the name by which links and files are matched: folded, and of a note
// without the ending.
func noteName(s string) string {
	base := whole.Fold(path.Base(strings.TrimSpace(s)))
	return strings.TrimSuffix(strings.TrimSuffix(base, ".md"), ".markdown")
}

func tagName(s string) string {
	return whole.Clip(strings.Trim(whole.Fold(strings.TrimSpace(s)), "#/"), maxName)
}
