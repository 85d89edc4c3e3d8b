package health

import (
	"fmt"
	"syscall"

	"parley/internal/text/catalog"
)

// Free space below these, in bytes, is worth a word, and keeps messages from
// being taken.
const (
	LittleSpace = 1 << 30
	NoSpace     = 100 << 20
)

// FreeSpace returns what this user may still write to the disk of a folder.
func FreeSpace(dir string) (uint64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), nil
}

// Gigabytes says how much is free.
func Gigabytes(n uint64) catalog.Phrase { return free(n) }

type free uint64

// String implements catalog.Phrase.
func (n free) String() string { return n.In(catalog.Printer{}) }

// In implements catalog.Phrase.
func (n free) In(p catalog.Printer) string {
	return p.Say("%s GB free", p.Figure(fmt.Sprintf("%.1f", float64(n)/(1<<30))))
}
