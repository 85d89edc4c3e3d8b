// Package filmtest draws what a program showed as a moving picture for the papers:
// what stood on a terminal, what was said in chats. A film is an SVG whose motion is
// CSS, without scripts; who wants no motion sees how it ends. Time in a film is the
// director's, not the clock's, so that the same words give the same file.
package filmtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// rest is how long the end of a film is seen before it begins again, in seconds.
const rest = 6

// reel collects the elements of one film and when they are seen.
type reel struct {
	length float64 // in seconds
	style  strings.Builder
	body   strings.Builder
	cuts   int
}

// at returns a moment as CSS says it.
func (r *reel) at(seconds float64) string { return fmt.Sprintf("%.2f%%", 100*seconds/r.length) }

// during returns the attributes of something that is there from one moment to another;
// to 0 is the end of the film. What is seen at the end is what stands still.
func (r *reel) during(from, to float64) string {
	if from <= 0 && to == 0 {
		return ""
	}
	r.cuts++
	gone, still := "", "hide"
	if to > 0 {
		gone = fmt.Sprintf("%s{visibility:hidden}", r.at(to))
	} else {
		still = "stay"
	}
	fmt.Fprintf(&r.style, "@keyframes c%d{0%%{visibility:hidden}%s{visibility:visible}%s}\n", r.cuts, r.at(from), gone)
	return fmt.Sprintf(` class="cut %s" style="animation-name:c%d"`, still, r.cuts)
}

// frame returns the whole file around what was drawn.
func (r *reel) frame(width, height int, label, style string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`,
		width, height, width, height, escaped(label))
	fmt.Fprintf(&b, "\n<style>\n%s\n.cut{animation:%.1fs step-end infinite}.fade,.roll{animation:%.1fs ease "+
		"infinite}.hide{visibility:hidden}\n", style, r.length, r.length)
	b.WriteString(r.style.String())
	b.WriteString("@media (prefers-reduced-motion:reduce){*{animation:none!important}}\n</style>\n")
	b.WriteString(r.body.String())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// escaped returns text as it stands in XML.
func escaped(text string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.String()
}

// Words returns what a film says, in the order of the file, with single spaces.
func Words(film []byte) (string, error) {
	var b strings.Builder
	depth := 0
	for d := xml.NewDecoder(bytes.NewReader(film)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(strings.FieldsFunc(b.String(), unicode.IsSpace), " "), nil
		}
		if err != nil {
			return "", fmt.Errorf("read a film: %w", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Local == "text" {
				depth++
			}
		case xml.EndElement:
			if x.Name.Local == "text" {
				depth--
				b.WriteByte(' ')
			}
		case xml.CharData:
			if depth > 0 {
				b.Write(x)
			}
		}
	}
}
