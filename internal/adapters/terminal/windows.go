//go:build windows

package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/windows"
)

// Is reports whether f is a terminal.
func Is(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}

// windowOf returns the columns and rows of a terminal's window, 0 where there is none.
func windowOf(f *os.File) (columns, rows int) {
	var at windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &at) != nil {
		return 0, 0
	}
	return int(at.Window.Right-at.Window.Left) + 1, int(at.Window.Bottom-at.Window.Top) + 1
}

// open reads lines: the console of Windows has an editor and a history of its own.
func (a *Adapter) open() (source, error) { return newPipe(a.o.In), nil }

// Veiled asks for a line that may hold a secret and shows nothing of it until it is whole, then
// what shown makes of it. It blocks until Enter or the end of ctx, which abandons the read.
func Veiled(ctx context.Context, f *os.File, out io.Writer, ask string, shown func(line string) string) (string, error) {
	in := windows.Handle(f.Fd())
	var before uint32
	if err := windows.GetConsoleMode(in, &before); err != nil {
		return "", fmt.Errorf("terminal mode: %w", err)
	}
	if err := windows.SetConsoleMode(in, before&^windows.ENABLE_ECHO_INPUT); err != nil {
		return "", fmt.Errorf("terminal mode: %w", err)
	}
	defer func() { _ = windows.SetConsoleMode(in, before) }()
	_, _ = io.WriteString(out, ask)
	line, over := "", make(chan error, 1)
	go func() {
		var err error
		line, err = bufio.NewReader(f).ReadString('\n')
		over <- err
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case err := <-over:
		line = strings.TrimRight(line, "\r\n")
		_, _ = io.WriteString(out, shown(line)+"\n")
		return line, err
	}
}
