//go:build unix

package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"parley/internal/adapters/terminal/lineedit"
)

// Veiled asks for a line that may hold a secret, and shows what shown makes of it as it
// grows. It turns the terminal's echo off before it asks: people and programs answer as
// soon as they see the question. It blocks until Enter or the end of ctx, which abandons
// the read. Ctrl-C stays a signal; Ctrl-D alone is io.EOF.
func Veiled(ctx context.Context, f *os.File, out io.Writer, ask string, shown func(line string) string) (string, error) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return "", fmt.Errorf("terminal mode: %w", err)
	}
	raw := *before
	raw.Lflag &^= unix.ECHO | unix.ICANON
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &raw); err != nil {
		return "", fmt.Errorf("terminal mode: %w", err)
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }()
	_, _ = io.WriteString(out, ask)
	l := &veiled{out: out, shown: shown}
	over := make(chan error, 1)
	go func() { over <- l.read(f) }()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case err := <-over:
		return l.line, err
	}
}

// read takes pieces until the line is whole.
func (l *veiled) read(f io.Reader) error {
	buf := make([]byte, 4096) // a key that is pasted comes in one piece
	for {
		n, err := f.Read(buf)
		if err != nil {
			return err
		}
		done, err := l.take(l.keys.Feed(buf[:n]))
		l.draw()
		if done {
			_, _ = io.WriteString(l.out, "\n")
			return err
		}
	}
}

// veiled is a line on its way.
type veiled struct {
	out   io.Writer
	shown func(string) string
	keys  lineedit.Decoder
	line  string
	seen  string // what stands on the screen
}

// take adds what was typed; done after Enter. What comes after Enter in the same
// piece is dropped.
func (l *veiled) take(keys []lineedit.Key) (done bool, err error) {
	for _, k := range keys {
		switch k.Code {
		case lineedit.Enter:
			return true, nil
		case lineedit.Leave:
			if l.line == "" {
				return true, io.EOF
			}
		case lineedit.Back:
			_, size := utf8.DecodeLastRuneInString(l.line)
			l.line = l.line[:len(l.line)-size]
		case lineedit.KillStart:
			l.line = ""
		case lineedit.Typed, lineedit.Pasted:
			l.line += k.Text
		}
	}
	return false, nil
}

// draw updates the screen.
func (l *veiled) draw() {
	now := l.shown(l.line)
	same := 0
	for i := range now + " " { // up to a whole character that differs
		if !strings.HasPrefix(l.seen, now[:i]) {
			break
		}
		same = i
	}
	gone := lineedit.Width(l.seen[same:])
	_, _ = io.WriteString(l.out, strings.Repeat("\b", gone)+strings.Repeat(" ", gone)+strings.Repeat("\b", gone)+now[same:])
	l.seen = now
}
