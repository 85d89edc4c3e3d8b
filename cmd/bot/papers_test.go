package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
	"parley/internal/notes/document/pdf"
)

// TestPDFPages: each page by itself, in forms that programs write and readers
// take.
func TestPDFPages(t *testing.T) {
	t.Parallel()
	fine := makePDF("BT /F1 12 Tf (first) Tj ET", "", "BT /F1 12 Tf (third) Tj ET")
	for name, data := range map[string][]byte{
		"fine":            fine,
		"a later version": bytes.Replace(fine, []byte("%PDF-1.4\n"), []byte("%PDF-2.0\n"), 1),
		"a space":         bytes.Replace(fine, []byte("%PDF-1.4\n"), []byte("%PDF-1.4 "), 1),
		"more behind it":  append(bytes.Clone(fine), strings.Repeat("\x00junk", 50)...),
	} {
		pages, total, err := pdf.Pages(t.Context(), data)
		if err != nil || total != 3 || len(pages) != 3 || strings.TrimSpace(pages[0]) != "first" || strings.TrimSpace(pages[1]) != "" ||
			strings.TrimSpace(pages[2]) != "third" {
			t.Errorf("%s: %q of %d, %v", name, pages, total, err)
		}
	}
}

// TestDocumentsInTheVault: PDFs and Word documents answer with the page, and what
// cannot be read is named by /notes status, /status and doctor.
func TestDocumentsInTheVault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	var word bytes.Buffer
	z := zip.NewWriter(&word)
	part, err := z.Create("word/document.xml")
	if err == nil {
		_, err = part.Write([]byte(
			`<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Minutes.</w:t></w:r></w:p><w:p><w:r><w:br w:type="page"/><w:t>The roof is mended in March.</w:t></w:r></w:p></w:body></w:document>`))
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"lease.pdf":   makePDF("BT /F1 12 Tf (The lease) Tj ET", "BT /F1 12 Tf (The deposit is 1800 euros) Tj ET"),
		"roof.docx":   word.Bytes(),
		"broken.pdf":  []byte("%PDF-1.4\nno"),
		"broken.docx": []byte("no"),
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	w.env = append(w.env, "BOT_VAULT_DIR="+dir)
	w.run(t)
	eventually(t, "the documents are read", func() bool { return strings.Contains(w.say(t, 1, "/notes status"), "skipped: 2 files") })
	for _, c := range []struct{ query, want string }{{"deposit", "lease.pdf#page 2"}, {"roof March", "roof.docx#page 2"}} {
		w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{ID: "c", Name: "vault_search", Args: `{"query":"` + c.query + `"}`}}},
			llmtest.Turn{Text: "Here [1]."})
		if got := w.say(t, 1, "what about the "+c.query+"?"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.query, got)
		}
	}
	if got := w.say(t, 1, "/notes show lease.pdf#page 2"); !strings.Contains(got, "1800 euros") || strings.Contains(got, "The lease\n") {
		t.Errorf("one page: %q", got)
	}
	status := w.say(t, 1, "/notes status")
	out, _ := w.call(t, "doctor")
	for _, name := range []string{"broken.pdf", "broken.docx"} {
		if !strings.Contains(status, name+", which is damaged") {
			t.Errorf("/notes status does not name %s: %s", name, status)
		}
		if !strings.Contains(out, name+" is not searched: it is damaged") {
			t.Errorf("doctor does not name %s: %s", name, out)
		}
	}
}
