package factsfile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// untilFile ends as soon as there is a file of this name.
type untilFile struct {
	context.Context
	name string
}

var over = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (u untilFile) Err() error {
	if _, err := os.Stat(u.name); err == nil {
		return context.Canceled
	}
	return nil
}

func (u untilFile) Done() <-chan struct{} {
	if u.Err() != nil {
		return over
	}
	return nil
}

// A process that is told to stop when it has just written the file remembers what it
// wrote: lines that the owner then removes do not come back at the next start.
func TestStoppedOnceWritten(t *testing.T) {
	for i := range 10 { // whether a write after the end is still accepted depends on chance
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			k := newKept(t, 0, filepath.Join(t.TempDir(), "facts.md"))
			k.learn("Ann plays the cello")
			k.learn("Bob rides a bike")
			for range 2 {
				must(t, k.Sync(untilFile{t.Context(), k.file}))
			}
			lines := strings.SplitAfter(k.read(), "\n")
			lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "Bob rides") })
			k.write(strings.Join(lines, ""))
			k.File = New(k.file, "telegram:1", k.store)
			for range 3 {
				must(t, k.Sync(t.Context()))
			}
			if got := k.contents(); !slices.Equal(got, []string{"Ann plays the cello"}) {
				t.Errorf("%q", got)
			}
		})
	}
}
