//go:build unix

package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Hide makes a terminal show nothing of what is typed, until restore.
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
