package document

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// styles maps the ids of a document's styles, which depend on the writer's language, to
// heading levels: 1 to 9, 0 for none, or titleLevel.
type styles map[string]int

// titleLevel is the level of the document's title.
const titleLevel = -1

// maxStyles limits the styles that are read.
const maxStyles = 5000

// readStyles reads a document's styles. It adds the usual names.
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
		for range 10 { // a style may be based on itself
			if n, ok := all[at]; ok {
				all[id] = n
				break
			}
			at = based[at]
		}
	}
	return all, nil
}

// headingName returns the level of a style by its name, which Word keeps in English.
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

// outline returns the heading level of a paragraph or style; the format's 9 is body text.
func outline(e xml.StartElement) int {
	n, err := strconv.Atoi(attr(e, "val"))
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return n + 1
}
