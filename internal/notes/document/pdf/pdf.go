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
	"syscall"
	"time"

	"github.com/ledongthuc/pdf"

	whole "parley/internal/text"
)

// A PDF is a program that somebody sent, and its reader may loop, run out of
// stack or unpack without end. So it runs as a process of its own, with bounds
// and none of the bot's secrets.
type bounds struct {
	seconds int
	pages   int
	text    int // bytes
}

// An attachment is read while somebody waits; what is indexed is read whole.
var (
	attached = bounds{10, 50, 400 << 10}
	indexed  = bounds{60, 2000, 4 << 20}
)

// wholeMark tells the other process, whose environment is otherwise empty, that
// the bounds are those of indexed.
const wholeMark = "PDF_WHOLE=1"

// memory is the same for memory; the race detector's own does not fit in.
var memory = syscall.Rlimit{Cur: 256 << 20, Max: 256 << 20}

// Command is the word with which this program starts Extract.
const Command = "pdf-text"

// pageMark stands between pages, as it does where other programs print them.
const pageMark = "\f"

// Why a PDF has no pages to read.
var (
	ErrLocked = errors.New("the PDF has a password")
	ErrBroken = errors.New("the PDF is damaged, or none")
	ErrSlow   = errors.New("the PDF takes too long, or too much memory")
)

// Read returns the text of a PDF that is attached: its first pages.
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

// Pages returns the text of each page of a PDF that is indexed, the first one
// first, and how many pages it has. There may be fewer texts than pages: those
// past the bounds are not read. The errors ErrLocked, ErrBroken and ErrSlow are
// about the file; any other may not come again.
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

// failure is what the end of the other process means.
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

// exitCrash is how a Go program ends that is out of memory or stack.
const exitCrash = 2

// locked is what the other process writes, in place of the number of pages, about
// a PDF with a password.
const locked = "locked"

// Extract is the other process: it holds itself to the bounds and writes how many
// pages the PDF that it reads has, and the text of each.
func Extract(in io.Reader, out io.Writer) error {
	b := attached
	if slices.Contains(os.Environ(), wholeMark) {
		b = indexed
	}
	limit := uint64(b.seconds)
	err := errors.Join(
		syscall.Setrlimit(syscall.RLIMIT_DATA, &memory),
		syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: limit, Max: limit}),
	)
	if err != nil {
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

// open opens a PDF and counts its pages. What the library panics about is damage.
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

// maxBefore is how far into a file a PDF may begin, as other readers have it.
const maxBefore = 1024

// plain is a PDF as the library expects one: nothing before its first line or
// behind its last, and a version that it knows at the end of the first.
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

// pageText returns the text of a page. One that cannot be read is empty: what
// follows it may be fine.
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

// words puts a page's text together. A PDF has neither words nor lines, only
// moves of the pen: far to the right is a space, up or down is a new line.
type words struct {
	page  pdf.Page
	fonts map[string]pdf.TextEncoding
	enc   pdf.TextEncoding
	y     float64
	b     strings.Builder
}

// wordGap is how far right the pen moves between two words at least, in
// thousandths of the font's size; kerning is less.
const wordGap = -180

// operate takes one operator with what stands before it.
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
