//go:build !linux

package sqlite

import "os"

// syncs is a log as the system syncs it.
type syncs struct{ *os.File }
