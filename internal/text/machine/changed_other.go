//go:build !linux

package machine

import (
	"os"
	"time"
)

// Changed is not known on every system; there, two looks at the file decide.
func Changed(os.FileInfo) time.Time { return time.Now() }

// Impatient does nothing where only Linux knows how.
func Impatient(uintptr, int) {}
