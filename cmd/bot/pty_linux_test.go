package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func ptsName(f *os.File) (string, error) {
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("/dev/pts/%d", n), unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0)
}
