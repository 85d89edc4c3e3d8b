//go:build unix

package terminal

import (
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
