package document

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
)

// Word reads a Word document (.docx). Its pages are those of the last time that
// Word laid it out; where no program did, they are counted from the breaks as long
// as what stands between two surely fits on one page, and unknown behind that.
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

// surePage is how much text fits on any page, in bytes and in paragraphs.
const (
	surePage  = 1800
	sureLines = 25
)

// word is a document being read, paragraph by paragraph.
type word struct {
	gather
	styles  styles
	laidOut bool // a program noted where the pages begin

	sheet
	heads []head // headings that are open
	piece Piece
	bare  bool            // nothing stands under its heading so far
	text  strings.Builder // of the piece

	par   strings.Builder // the paragraph
	level int             // of the paragraph, as a heading
	item  bool            // of a list
	after bool            // a page ends with the paragraph
	cells int             // tables that the pen is in
	run   bool            // in a text element
}

// sheet is the page that the pen is on.
type sheet struct {
	page   int  // 0 when nobody can know
	broken bool // a break was just met, and no text since
	onPage int  // bytes since the last break
	lines  int  // paragraphs since then
}

// head is a heading that is open.
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

// skipped are what is deleted, moved away, or said a second time for old programs.
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

// on reports whether a switch of the format is on: without a value it is.
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

// turn begins a page. Word notes a break that somebody made once more where it
// laid the next page out.
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
		w.finish() // what stood before is on the page before
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

// open begins what stands under a heading.
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
	w.piece, w.bare = Piece{Page: w.page, Heading: h.text, Trail: strings.Join(above, trailMark)}, true
}

// leave ends what stands under a heading. The words of one with nothing below it
// are nowhere else.
func (w *word) leave() {
	if w.bare && w.piece.Heading != "" {
		w.text.WriteString(w.piece.Heading)
	}
	w.bare = false
	w.flush()
}

// flush ends a piece; what follows is under the same heading.
func (w *word) flush() {
	p := w.piece
	p.Text = w.text.String()
	w.text.Reset()
	w.add(p)
}
