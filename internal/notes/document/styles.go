package document

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// styles leads from the ids of a document's styles, which are in the language of
// its writer, to the level of heading they are: 1 to 9, 0 for none, titleLevel.
type styles map[string]int

// titleLevel is that of the document's title.
const titleLevel = -1

// maxStyles bounds how many are read, and how far one rests on another.
const maxStyles = 5000

// readStyles reads a document's styles; one without any has the usual names.
func (p *pack) readStyles() (styles, error) {
	all, based := styles{"title": titleLevel}, map[string]string{}
	for n := 1; n <= 9; n++ {
		all["heading"+strconv.Itoa(n)] = n
	}
	d, err := p.open("word/styles.xml")
	if err != nil || d == nil {
		return all, err
	}
	id := ""
	for len(all) < maxStyles {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(ErrBroken, err)
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "style":
			id = strings.ToLower(attr(e, "styleId"))
		case "basedOn":
			based[id] = strings.ToLower(attr(e, "val"))
		case "name":
			if n := headingName(attr(e, "val")); n != 0 {
				all[id] = n
			}
		case "outlineLvl":
			all[id] = outline(e)
		}
	}
	for id := range based {
		at := id
		for range 10 { // one may rest on itself
			if n, ok := all[at]; ok {
				all[id] = n
				break
			}
			at = based[at]
		}
	}
	return all, nil
}

// headingName is the level of a style by its name, which Word keeps in English.
func headingName(name string) int {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "title" {
		return titleLevel
	}
	digit, ok := strings.CutPrefix(name, "heading ")
	if n, err := strconv.Atoi(digit); ok && err == nil && n >= 1 && n <= 9 {
		return n
	}
	return 0
}

// outline is the level that a paragraph or style has in the outline; 9 is body text.
func outline(e xml.StartElement) int {
	n, err := strconv.Atoi(attr(e, "val"))
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return n + 1
}
