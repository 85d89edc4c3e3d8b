package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
)

// Word reads a Word document (.docx). Its pages are those of Word's last layout. Without
// one, they are counted from page breaks as long as the text between two breaks surely
// fits on a page; later pages are unknown.
func Word(data []byte) (Paper, error) {
	p, err := openPack(data)
	if err != nil {
		return Paper{}, err
	}
	name, err := p.main()
	if err != nil {
		return Paper{}, err
	}
	w := &word{}
	if w.styles, err = p.readStyles(); err != nil {
		return Paper{}, err
	}
	for i, name := range []string{name, path.Join(path.Dir(name), "footnotes.xml"), path.Join(path.Dir(name), "endnotes.xml")} {
		data, err := p.read(name)
		if err != nil {
			return Paper{}, err
		}
		if i == 0 {
			if data == nil {
				return Paper{}, ErrBroken // a spreadsheet, say
			}
			w.laidOut = bytes.Contains(data, []byte("lastRenderedPageBreak"))
			w.page, w.piece.Page = 1, 1
		} else {
			w.page, w.piece, w.heads = 0, Piece{}, nil
		}
		if err := w.part(data); err != nil {
			return Paper{}, err
		}
	}
	if len(w.Pieces) == 0 {
		return Paper{}, ErrBlank
	}
	return w.Paper, nil
}

// What fits on any page.
const (
	surePage  = 1800 // bytes
	sureLines = 25   // paragraphs
)

// word reads a document, paragraph by paragraph.
type word struct {
	gather
	styles  styles
	laidOut bool // the file tells where pages begin

	page   int  // 0 if unknown
	broken bool // no text since the last page break
	onPage int  // bytes since then
	lines  int  // paragraphs since then

	heads []head // open headings
	piece Piece
	bare  bool            // no text under its heading so far
	text  strings.Builder // of the piece

	par   strings.Builder // the paragraph
	level int             // of the paragraph, as a heading
	item  bool            // the paragraph is in a list
	after bool            // a page ends with the paragraph
	cells int             // nested tables
	run   bool            // in a text element
}

// head is an open heading.
type head struct {
	level int
	text  string
}

// part reads one part of the document.
func (w *word) part(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			w.finish()
			w.leave()
			return nil
		}
		if err != nil {
			return errors.Join(ErrBroken, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if skipped(t.Name.Local) {
				if err := d.Skip(); err != nil {
					return errors.Join(ErrBroken, err)
				}
				continue
			}
			w.start(t)
		case xml.EndElement:
			w.end(t.Name.Local)
		case xml.CharData:
			if w.run {
				w.write(string(t))
			}
		}
	}
}

// skipped names elements with text that was deleted, moved away, or repeated for old
// programs.
func skipped(name string) bool {
	return name == "del" || name == "moveFrom" || name == "Fallback" || name == "instrText" || name == "separator"
}

func (w *word) start(e xml.StartElement) {
	switch e.Name.Local {
	case "p":
		if w.cells == 0 {
			w.finish() // a text box is a paragraph inside one
		}
	case "pStyle":
		if n, ok := w.styles[strings.ToLower(attr(e, "val"))]; ok {
			w.level = n
		}
	case "outlineLvl":
		w.level = outline(e)
	case "numPr":
		w.item = true
	case "pageBreakBefore":
		if on(e) {
			w.turn(false)
		}
	case "sectPr":
		w.after = true
	case "type": // of a section
		w.after = w.after && attr(e, "val") != "continuous"
	case "lastRenderedPageBreak":
		w.turn(true)
	case "br":
		if attr(e, "type") == "page" {
			w.turn(false)
			return
		}
		w.write("\n")
	case "cr":
		w.write("\n")
	case "tab":
		w.write("\t")
	case "noBreakHyphen":
		w.write("-")
	case "t":
		w.run = true
	case "tbl":
		w.finish()
		w.cells++
	}
}

// on reports whether a property of the format is on. Without a value it is.
func on(e xml.StartElement) bool {
	v := attr(e, "val")
	return v != "0" && v != "false" && v != "off"
}

func (w *word) end(name string) {
	switch name {
	case "t":
		w.run = false
	case "p":
		if w.cells > 0 {
			w.par.WriteByte(' ')
			return
		}
		w.finish()
		if w.after {
			w.after = false
			w.turn(false)
		}
	case "tc":
		w.par.WriteString("| ")
	case "tr":
		row := strings.Trim(strings.ReplaceAll(w.par.String(), "\n", " "), "| ")
		w.par.Reset()
		w.par.WriteString(row)
		w.level = 0
		w.finish()
	case "tbl":
		w.cells--
	}
}

func (w *word) write(s string) {
	if strings.TrimSpace(s) != "" {
		w.broken = false
	}
	w.onPage += len(s)
	if !w.laidOut && w.onPage > surePage {
		w.page = 0
	}
	w.par.WriteString(s)
}

// turn begins a page. Word records a manual break again in its layout (laid).
func (w *word) turn(laid bool) {
	first := w.text.Len() == 0 && w.par.Len() == 0 && len(w.Pieces) == 0
	again := laid && (w.broken || first)
	w.broken = !laid
	w.onPage, w.lines = 0, 0
	if w.page == 0 || again {
		return
	}
	if w.cells == 0 {
		level, item := w.level, w.item
		w.finish() // the text so far is on the page before
		w.level, w.item = level, item
	}
	w.page++
}

// finish ends a paragraph.
func (w *word) finish() {
	text, level, item := strings.TrimSpace(w.par.String()), w.level, w.item
	w.par.Reset()
	w.level, w.item = 0, false
	if text == "" {
		return
	}
	if w.lines++; !w.laidOut && w.lines > sureLines {
		w.page = 0
	}
	switch {
	case level == titleLevel && w.Title == "":
		w.Title = oneLine(text)
		return
	case level > 0:
		w.open(head{level, oneLine(text)})
		return
	}
	if w.piece.Page != w.page {
		w.flush()
		w.piece.Page = w.page
	}
	if item {
		text = "- " + text
	}
	w.bare = false
	w.text.WriteString(text + "\n")
}

// open begins the text under a heading.
func (w *word) open(h head) {
	if n := len(w.heads); n > 0 && h.level > w.heads[n-1].level {
		w.bare = false // it has headings below it
	}
	w.leave()
	for len(w.heads) > 0 && w.heads[len(w.heads)-1].level >= h.level {
		w.heads = w.heads[:len(w.heads)-1]
	}
	var above []string
	for _, o := range w.heads {
		above = append(above, o.text)
	}
	w.heads = append(w.heads, h)
	w.piece, w.bare = Piece{Page: w.page, Heading: h.text, Trail: strings.Join(above, " › ")}, true
}

// leave ends the text under a heading. A heading with nothing below becomes text itself,
// else its words would be nowhere.
func (w *word) leave() {
	if w.bare && w.piece.Heading != "" {
		w.text.WriteString(w.piece.Heading)
	}
	w.bare = false
	w.flush()
}

// flush ends a piece. The next one has the same heading.
func (w *word) flush() {
	p := w.piece
	p.Text = w.text.String()
	w.text.Reset()
	w.add(p)
}
