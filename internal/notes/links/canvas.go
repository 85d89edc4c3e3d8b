package links

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// parseCanvas lists the links of a canvas: its files, and links in its cards. What is no
// JSON has none.
func parseCanvas(text string) []Link {
	c := &canvas{text: text, dec: json.NewDecoder(strings.NewReader(text))}
	if !json.Valid([]byte(text)) || c.value(nil) != nil {
		return nil
	}
	return c.all
}

// canvas walks the JSON of a canvas.
type canvas struct {
	text string
	dec  *json.Decoder
	all  []Link
}

var errDeep = errors.New("a canvas that nests too deep")

// maxCanvasNest limits the nesting of a canvas. Those of people nest three deep.
const maxCanvasNest = 50

// value reads the value at a path of keys; "" stands for a place in a list.
func (c *canvas) value(path []string) error {
	before := int(c.dec.InputOffset())
	tok, err := c.dec.Token()
	if err != nil {
		return err
	}
	switch t := tok.(type) {
	case json.Delim:
		if len(path) >= maxCanvasNest {
			return errDeep
		}
		return c.inside(path, t)
	case string:
		c.found(path, t, before)
	}
	return nil
}

func (c *canvas) inside(path []string, open json.Delim) error {
	for c.dec.More() {
		key := ""
		if open == '{' {
			tok, err := c.dec.Token()
			if err != nil {
				return err
			}
			key, _ = tok.(string)
		}
		if err := c.value(append(path[:len(path):len(path)], key)); err != nil {
			return err
		}
	}
	_, err := c.dec.Token()
	return err
}

// found handles a string of the canvas, which ends at the decoder's offset and begins
// after before.
func (c *canvas) found(path []string, value string, before int) {
	if len(path) != 3 || path[0] != "nodes" || path[1] != "" {
		return
	}
	to := int(c.dec.InputOffset())
	from := before + strings.IndexByte(c.text[before:to], '"')
	switch path[2] {
	case "file":
		c.all = append(c.all, Link{Kind: Node, Target: value, Embed: true, From: from, To: to, form: jsonForm})
	case "text":
		for _, l := range parseNote(value) {
			l.From, l.To, l.card = from, to, value
			c.all = append(c.all, l)
		}
	}
}

// quoted returns a string as JSON, without escaping <, > and &.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string
	return strings.TrimSuffix(b.String(), "\n")
}
