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
	"strings"
	"syscall"
	"time"

	"github.com/ledongthuc/pdf"
)

// A PDF is a program that somebody sent, and its reader may loop, run out of
// stack or unpack without end. So it runs as a process of its own, with these
// bounds and none of the bot's secrets.
const (
	seconds  = 10
	maxPages = 50
	maxText  = 400 << 10 // bytes
)

// memory is the same for memory; the race detector's own does not fit in.
var memory = syscall.Rlimit{Cur: 256 << 20, Max: 256 << 20}

// Command is the word with which this program starts Extract.
const Command = "pdf-text"

// Read returns the text of a PDF.
func Read(ctx context.Context, data []byte) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, seconds*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, Command)
	cmd.Env = []string{}
	cmd.Stdin = bytes.NewReader(data)
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		why, _, _ := strings.Cut(string(exit.Stderr), "\n")
		return "", fmt.Errorf("read PDF: %w: %s", err, why[:min(len(why), 200)])
	}
	return string(text), err
}

// Extract is the other process: it holds itself to the bounds and writes the
// text of the PDF that it reads.
func Extract(in io.Reader, out io.Writer) error {
	err := errors.Join(
		syscall.Setrlimit(syscall.RLIMIT_DATA, &memory),
		syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds}),
	)
	if err != nil {
		return fmt.Errorf("limit this process: %w", err)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	pages := r.NumPage()
	left := maxText
	if pages > maxPages {
		fmt.Fprintf(out, "(pages 1 to %d of %d)\n", maxPages, pages)
	}
	for i := 1; i <= min(pages, maxPages) && left > 0; i++ {
		text := pageText(r.Page(i))
		text = text[:min(len(text), left)]
		left -= len(text)
		if _, err := fmt.Fprintln(out, strings.ToValidUTF8(text, "")); err != nil {
			return err
		}
	}
	return nil
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
