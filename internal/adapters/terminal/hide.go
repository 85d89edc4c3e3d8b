//go:build unix

package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Is reports whether f is a terminal.
func Is(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}

// widthOf asks for the width of o's window; it is 0 where there is none.
func widthOf(o Options) func() int {
	out, ok := o.Out.(*os.File)
	if !ok || !o.TTY {
		return nil
	}
	return func() int {
		size, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
		if err != nil {
			return 0
		}
		return int(size.Col)
	}
}

// Hide turns off the echo of a terminal until restore is called.
func Hide(f *os.File) (restore func(), err error) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, fmt.Errorf("terminal mode: %w", err)
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	silent.Lflag |= unix.ECHONL
	if err := unix.IoctlSetTermios(fd, setTermios, &silent); err != nil {
		return nil, fmt.Errorf("terminal mode: %w", err)
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, nil
}
