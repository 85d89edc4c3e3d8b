package document

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/internal/notes/document/pdf"
	"parley/internal/text"
)

// Said in more than one place.
const (
	wordsBroken = "damaged, or not what its name says"
	wordsLocked = "protected by a password, or in Word's old format: save it as .docx"
	wordsPages  = "pages %d to %d"
)

// endings are those of documents. Word's old format (.doc) cannot be read; it is listed so
// that people learn why.
var endings = strings.Fields(".pdf .docx .docm .canvas .doc")

// Is reports whether a file name is that of a document. Documents take long to read.
func Is(name string) bool { return slices.Contains(endings, strings.ToLower(path.Ext(name))) }

// PDF returns the text of each page of a PDF, and the number of pages; see pdf.Pages.
type PDF func(ctx context.Context, data []byte) (pages []string, total int, err error)

// Read reads a document, in the format that its name tells. Without readPDF it reads no
// PDF. An error for which Why returns "" is not about the document: the next try may
// succeed.
func Read(ctx context.Context, name string, data []byte, readPDF PDF) (Paper, error) {
	switch strings.ToLower(path.Ext(name)) {
	case ".pdf":
		return readPages(ctx, data, readPDF)
	case ".canvas":
		return Canvas(data)
	}
	return Word(data)
}

var errNoReader = errors.New("no reader of PDFs")

func readPages(ctx context.Context, data []byte, read PDF) (p Paper, err error) {
	if read == nil {
		return p, errNoReader
	}
	pages, total, err := read(ctx, data)
	if err != nil {
		return p, err
	}
	for i, text := range pages {
		if strings.TrimSpace(text) != "" {
			p.Pieces = append(p.Pieces, Piece{Page: i + 1, Text: asWords(text)})
		}
	}
	switch {
	case len(p.Pieces) == 0:
		return p, ErrBlank
	case len(pages) < total:
		p.Partly = fmt.Sprintf(wordsPages, len(pages)+1, total)
	}
	return p, nil
}

var (
	// joined replaces ligatures, and removes soft hyphens.
	joined = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\u00AD", "")
	parted = text.Pattern(`(\pL)[-‐]\n(\p{Ll})`)
)

// asWords restores the words of a printed page: without ligatures, and joined where a line
// end splits them.
func asWords(page string) string { return parted().ReplaceAllString(joined.Replace(page), "$1$2") }

// Why returns why a document cannot be read, as the end of a sentence "it is …"; "" for
// nil and for errors that are not about the document.
func Why(err error) string {
	for _, c := range []struct {
		err error
		why string
	}{
		{ErrBroken, wordsBroken}, {pdf.ErrBroken, wordsBroken}, {ErrLocked, wordsLocked}, {pdf.ErrLocked, wordsLocked},
		{ErrLarge, "too large, once unpacked"}, {pdf.ErrSlow, "too slow to read, or takes too much memory"},
		{ErrBlank, "without text: pictures of pages, perhaps"}, {errNoReader, "a PDF, and nothing here reads one"},
	} {
		if errors.Is(err, c.err) {
			return c.why
		}
	}
	return ""
}
