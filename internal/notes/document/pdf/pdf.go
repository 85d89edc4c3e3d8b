// Package pdf gets at the text of PDFs, in a process of its own. It draws and
// recognizes nothing: a scan has no text.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	whole "parley/internal/text"

	"parley/internal/text/machine"
)

// bounds limit the process that reads a PDF. A PDF is a program from a stranger: its
// reader may loop, run out of stack or unpack without end. So a process without the
// bot's secrets reads it.
type bounds struct {
	seconds int
	pages   int
	text    int // bytes
}

// Somebody waits for an attachment; documents for the index are read whole.
var (
	attached = bounds{10, 50, 400 << 10}
	indexed  = bounds{60, 2000, 4 << 20}
)

// wholeMark in the otherwise empty environment of the process means the bounds indexed.
const wholeMark = "PDF_WHOLE=1"

// memory limits the process's memory, in bytes. The race detector needs more.
var memory uint64 = 256 << 20

// Command is the argument with which this program runs Extract.
const Command = "pdf-text"

// pageMark separates pages.
const pageMark = "\f"

// Why a PDF has no pages to read.
var (
	ErrLocked = errors.New("the PDF has a password")
	ErrBroken = errors.New("the PDF is damaged, or none")
	ErrSlow   = errors.New("the PDF takes too long, or too much memory")
)

// Read returns the text of the first pages of an attached PDF.
func Read(ctx context.Context, data []byte) (string, error) {
	pages, total, err := read(ctx, data, attached)
	if err != nil {
		return "", err
	}
	said := strings.Join(pages, "\n") + "\n"
	if total > attached.pages {
		said = fmt.Sprintf("(pages 1 to %d of %d)\n", attached.pages, total) + said
	}
	return said, nil
}

// Pages returns the text of each page of a PDF for the index, and the number of pages.
// Pages beyond the bounds have no text in the list. The errors ErrLocked, ErrBroken and
// ErrSlow are about the file; after another error the next try may succeed.
func Pages(ctx context.Context, data []byte) (pages []string, total int, err error) {
	return read(ctx, data, indexed)
}

func read(ctx context.Context, data []byte, b bounds) (pages []string, total int, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(b.seconds)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limited, self, Command)
	if cmd.Env = []string{}; b == indexed {
		cmd.Env = []string{wholeMark}
	}
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, failure(ctx, err)
	}
	first, rest, ok := strings.Cut(string(out), "\n")
	if first == locked {
		return nil, 0, fmt.Errorf("read PDF: %w", ErrLocked)
	}
	if total, err = strconv.Atoi(first); !ok || err != nil {
		return nil, 0, fmt.Errorf("read PDF: %w: no text came back", ErrBroken)
	}
	for page := range strings.SplitSeq(strings.TrimSuffix(rest, pageMark), pageMark) {
		pages = append(pages, page)
	}
	return pages, total, nil
}

// failure returns the error for a process that failed.
func failure(ctx context.Context, err error) error {
	var exit *exec.ExitError
	if ctx.Err() != nil || !errors.As(err, &exit) {
		return fmt.Errorf("read PDF: %w", errors.Join(context.Cause(ctx), err))
	}
	why, _, _ := strings.Cut(string(exit.Stderr), "\n")
	class := ErrBroken
	if !exit.Exited() || exit.ExitCode() == exitCrash { // killed, or out of memory
		class = ErrSlow
	}
	return fmt.Errorf("read PDF: %w: %w: %s", class, err, why[:min(len(why), 200)])
}

// exitCrash is the exit code of a Go program that runs out of memory or stack.
const exitCrash = 2

// locked is the first line of output for a PDF with a password, instead of the number of
// pages.
const locked = "locked"

// Extract runs in the other process. It sets the bounds, reads a PDF, and writes the
// number of pages and the text of each.
func Extract(in io.Reader, out io.Writer) error {
	b := attached
	if slices.Contains(os.Environ(), wholeMark) {
		b = indexed
	}
	if err := machine.Confine(memory, uint64(b.seconds)); err != nil {
		return fmt.Errorf("limit this process: %w", err)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	r, total, err := open(data)
	if errors.Is(err, pdf.ErrInvalidPassword) {
		_, err := fmt.Fprintln(out, locked)
		return err
	}
	if err != nil {
		return err
	}
	left := b.text
	if _, err := fmt.Fprintln(out, total); err != nil {
		return err
	}
	for i := 1; i <= min(total, b.pages) && left > 0; i++ {
		text := strings.ReplaceAll(strings.ToValidUTF8(pageText(r.Page(i)), ""), pageMark, " ")
		text = whole.ClipBytes(text, left)
		left -= len(text)
		if _, err := fmt.Fprint(out, text, pageMark); err != nil {
			return err
		}
	}
	return nil
}

// open opens a PDF and counts its pages. A panic of the library means that it is damaged.
func open(data []byte) (r *pdf.Reader, total int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrBroken, p)
		}
	}()
	data = plain(data)
	r, err = pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, 0, err
	}
	return r, r.NumPage(), nil
}

var (
	header  = []byte("%PDF-")
	trailer = []byte("%%EOF")
)

// maxBefore limits the bytes before a PDF's first line, as in other readers.
const maxBefore = 1024

// plain returns a PDF as the library expects it: without bytes before the first line and
// after the last, and with a version that it knows.
func plain(data []byte) []byte {
	at := bytes.Index(data[:min(len(data), maxBefore)], header)
	if at < 0 {
		return data
	}
	data = data[at:]
	if end := bytes.LastIndex(data, trailer); end >= 0 {
		data = data[:end+len(trailer)]
	}
	if version := len(header); len(data) > version+4 {
		if data[version] != '1' || data[version+2] < '0' || data[version+2] > '7' {
			copy(data[version:], "1.7")
		}
		if end := &data[version+3]; *end != '\r' {
			*end = '\n'
		}
	}
	return data
}

// pageText returns the text of a page, "" if it cannot be read: later pages may be fine.
func pageText(p pdf.Page) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	w := words{page: p, fonts: map[string]pdf.TextEncoding{}}
	pdf.Interpret(p.V.Key("Contents"), w.operate)
	return w.b.String()
}

// words assembles a page's text. A PDF has no words or lines, only moves of the pen: a
// move far to the right is a space, one up or down a new line.
type words struct {
	page  pdf.Page
	fonts map[string]pdf.TextEncoding
	enc   pdf.TextEncoding
	y     float64
	b     strings.Builder
}

// wordGap is the least move between two words, in thousandths of the font size. Kerning
// moves less.
const wordGap = -180

// operate runs one operator on its arguments.
func (w *words) operate(stack *pdf.Stack, operator string) {
	args := make([]pdf.Value, stack.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stack.Pop()
	}
	switch operator {
	case "Tf":
		name := args[0].Name()
		if w.fonts[name] == nil {
			font := w.page.Font(name)
			w.fonts[name] = font.Encoder()
		}
		w.enc = w.fonts[name]
	case "Td", "TD":
		w.move(w.y + args[1].Float64())
	case "Tm":
		w.move(args[5].Float64())
	case "T*":
		w.b.WriteByte('\n')
	case "'", "\"":
		w.b.WriteByte('\n')
		w.show(args[len(args)-1])
	case "Tj":
		w.show(args[0])
	case "TJ":
		for i := range args[0].Len() {
			if v := args[0].Index(i); v.Kind() == pdf.String {
				w.show(v)
			} else if v.Float64() < wordGap {
				w.b.WriteByte(' ')
			}
		}
	}
}

func (w *words) move(y float64) {
	if y != w.y {
		w.b.WriteByte('\n')
	} else {
		w.b.WriteByte(' ')
	}
	w.y = y
}

func (w *words) show(v pdf.Value) {
	if w.enc == nil {
		w.b.WriteString(v.RawString())
		return
	}
	w.b.WriteString(w.enc.Decode(v.RawString()))
}
