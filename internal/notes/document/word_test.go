package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	laidBreak = `<w:lastRenderedPageBreak/>`
	pageBreak = `<w:p><w:r><w:br w:type="page"/></w:r></w:p>`
)

// shown returns a paper as lines.
func shown(p Paper) string {
	var b strings.Builder
	for _, x := range p.Pieces {
		fmt.Fprintf(&b, "%d|%s|%s|%s\n", x.Page, x.Trail, x.Heading, strings.ReplaceAll(x.Text, "\n", "¶"))
	}
	return b.String()
}

func TestWord(t *testing.T) {
	styles := `<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Mein"><w:name w:val="Mein Stil"/><w:basedOn w:val="berschrift1"/></w:style><w:style w:styleId="Tief"><w:name w:val="Tief"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style></w:styles>`
	long := strings.Repeat("word ", 600)
	for name, c := range map[string]struct{ body, want string }{
		"plain": {par("", "One.") + par("", "Two &amp; three."), "1|||One.¶Two & three.\n"},
		"headings": {par("Title", "Report") + par("Heading1", "A") + par("", "a") + par("Heading2", "B") + par("", "b") +
			par("Heading1", "C"), "1||A|a\n1|A|B|b\n1||C|C\n"},
		"own styles": {par("berschrift1", "A") + par("Tief", "B") + par("", "b") + par("Mein", "C") + par("", "c"), "1|A|B|b\n1||C|c\n"},
		"laid out": {par("", "One.") + `<w:p><w:r><w:t>two</w:t>` + laidBreak + `<w:t>three</w:t></w:r></w:p>` + par("", "four"),
			"1|||One.¶two\n2|||three¶four\n"},
		"a break, laid out": {par("", "one") + pageBreak + `<w:p><w:r>` + laidBreak + `<w:t>two</w:t></w:r></w:p>` +
			`<w:p><w:r>` + laidBreak + `<w:t>three</w:t></w:r></w:p>`,
			"1|||one\n2|||two\n3|||three\n"},
		"laid out before anything": {`<w:p><w:r>` + laidBreak + `<w:t>one</w:t></w:r></w:p>`, "1|||one\n"},
		"breaks alone": {par("", "one") + pageBreak + par("", "two") +
			`<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>three</w:t></w:r></w:p><w:p><w:pPr><w:pageBreakBefore w:val="0"/></w:pPr><w:r><w:t>four</w:t></w:r></w:p>`, "1|||one\n2|||two\n3|||three¶four\n"},
		"sections": {`<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>one</w:t></w:r></w:p><w:p><w:pPr><w:sectPr><w:type w:val="continuous"/></w:sectPr></w:pPr><w:r><w:t>two</w:t></w:r></w:p>` + par("", "three"), "1|||one\n2|||two¶three\n"},
		"nobody knows the page": {par("", "one") + pageBreak + par("", long) + pageBreak + par("", "last"),
			"1|||one\n0|||" + strings.TrimSpace(long) + "¶last\n"},
		"a break in a heading": {par("Heading1", "A") + par("", "a") + pageBreak + par("", "b"), "1||A|a\n2||A|b\n"},
		"tables": {`<w:tbl><w:tr><w:tc>` + par("", "Name") + `</w:tc><w:tc>` + par("", "Price") +
			`</w:tc></w:tr><w:tr><w:tc>` + par("", "Tea") + `</w:tc><w:tc>` + par("", "3") + par("", "EUR") + `</w:tc></w:tr></w:tbl>` +
			par("", "end"), "1|||Name | Price¶Tea | 3 EUR¶end\n"},
		"changes": {`<w:p><w:r><w:t>keep </w:t></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>`, "1|||keep new\n"},
		"a text box, once": {`<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>` + par("", "box") +
			`</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` + par("", "box") +
			`</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`, "1|||box\n"},
		"lists and signs": {`<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:br/><w:t>d</w:t></w:r></w:p>`, "1|||- a\tb-c¶d\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Word(packed(t, map[string]string{"document.xml": document(c.body), "styles.xml": styles}))
			if diff := cmp.Diff(c.want, shown(got)); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestWordElsewhere(t *testing.T) {
	got, err := Word(packed(t, map[string]string{
		"_rels/.rels":   `<Relationships><Relationship Type="http://x/relationships/officeDocument" Target="/word/document2.xml"/></Relationships>`,
		"document2.xml": document(par("Title", "My  report") + par("", "text")),
		"footnotes.xml": `<w:footnotes xmlns:w="w"><w:footnote><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote>` +
			par("", "the note") + `</w:footnote></w:footnotes>`,
		"media/bomb.png": strings.Repeat("\x00", 1<<20),
	}))
	if err != nil || got.Title != "My report" || shown(got) != "1|||text\n0|||the note\n" {
		t.Errorf("%v %q %q", err, got.Title, shown(got))
	}
}

// Word returns an error for bad files and stays within its bounds.
func TestWordOnBadFiles(t *testing.T) {
	fine := packed(t, map[string]string{"document.xml": document(par("", strings.Repeat("text ", 5000)))})
	bomb := packed(t, map[string]string{"document.xml": document(strings.Repeat(" ", maxPart+1))})
	spread := packed(t, map[string]string{"document.xml": document(par("", "x") + strings.Repeat(" ", maxPart-1000)),
		"styles.xml": strings.Repeat(" ", maxPart-1000)})
	many := map[string]string{}
	for i := range maxParts + 1 {
		many[fmt.Sprint("x/", i)] = ""
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":            {nil, ErrBroken},
		"text":               {[]byte("hello"), ErrBroken},
		"cut":                {fine[:len(fine)/2], ErrBroken},
		"a spreadsheet":      {packed(t, map[string]string{"xl/workbook.xml": "<x/>"}), ErrBroken},
		"not XML":            {packed(t, map[string]string{"document.xml": "{}<"}), ErrBroken},
		"never closed":       {packed(t, map[string]string{"document.xml": opening + par("", "x")}), ErrBroken},
		"old format":         {append([]byte(nil), append(compound, fine...)...), ErrLocked},
		"blank":              {packed(t, map[string]string{"document.xml": document("")}), ErrBlank},
		"a bomb":             {bomb, ErrLarge},
		"bombs together":     {spread, ErrLarge},
		"thousands of parts": {packed(t, many), ErrLarge},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Word(c.data); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v; %d pieces", err, c.want, len(got.Pieces))
			}
		})
	}
	deep := packed(t, map[string]string{"document.xml": document(strings.Repeat("<w:x>", 100_000) + par("", "deep") +
		strings.Repeat("</w:x>", 100_000))})
	if got, err := Word(deep); err != nil || shown(got) != "1|||deep\n" {
		t.Errorf("deep: %v %q", err, shown(got))
	}
	long := packed(t, map[string]string{"document.xml": document(strings.Repeat(par("", strings.Repeat("äb ", 1000)), 1500))})
	if got, err := Word(long); err != nil || got.Partly == "" || len(got.Pieces) == 0 || len(got.Pieces[0].Text) > maxText {
		t.Errorf("long: %v, partly %q, %d pieces", err, got.Partly, len(got.Pieces))
	}
	for range 40 { // whatever is flipped, nothing panics
		for i := 0; i < len(fine); i += 97 {
			fine[i] ^= byte(i)
		}
		_, _ = Word(fine)
	}
}
