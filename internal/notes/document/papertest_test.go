package document

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// packed returns a Word document with these parts. Names without a folder are in word/.
func packed(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		if !strings.Contains(name, "/") {
			name = "word/" + name
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const opening = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>`

// document returns the main part with a body.
func document(body string) string { return opening + body + "</w:body></w:document>" }

// par returns a paragraph in a style.
func par(style, text string) string {
	if style != "" {
		style = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return "<w:p>" + style + "<w:r><w:t>" + text + "</w:t></w:r></w:p>"
}
