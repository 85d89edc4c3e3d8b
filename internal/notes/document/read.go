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

// endings lists the documents that are read. Word's old format is not, and is listed
// so that people learn why it is not found.
var endings = strings.Fields(".pdf .docx .docm .canvas .doc")

// Is reports whether a file is a document, by its name. One takes long to read.
func Is(name string) bool { return slices.Contains(endings, strings.ToLower(path.Ext(name))) }

// PDF returns the text of the pages of a PDF and how many it has, as pdf.Pages does.
type PDF func(ctx context.Context, data []byte) (pages []string, total int, err error)

// Read reads a document by its name. readPDF is nil where nothing reads PDFs. Where
// Why has no word for an error, it is not about the document: the next try may work.
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
	// joined are letters that a printer casts as one.
	joined = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\u00AD", "")
	parted = text.Pattern(`(\pL)[-‐]\n(\p{Ll})`)
)

// asWords puts the words of a printed page together as people look for them: without
// letters cast as one, and whole where a line ended within.
func asWords(page string) string { return parted().ReplaceAllString(joined.Replace(page), "$1$2") }

// Why returns why a document cannot be read, as the end of a sentence "it is …"; ""
// for an error that is not about the document, and for none.
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
