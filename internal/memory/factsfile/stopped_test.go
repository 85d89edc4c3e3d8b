package factsfile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
)

// untilFile is over as soon as there is a file of this name.
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

// TestStoppedOnceWritten: a process that is told to stop just when it has
// written the file remembers what it wrote: lines that the owner takes out while
// it is down are gone, or asked about, and never come back by themselves.
func TestStoppedOnceWritten(t *testing.T) {
	for i := range 10 { // whether a write after the end is still taken is chance
		t.Run(fmt.Sprint(i), stopOnceWritten)
	}
}

func stopOnceWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "facts.md")
	store, err := memory.Open(t.Context(), filepath.Join(dir, "data"), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	owner := provenance.Viewer{User: "telegram:1", Key: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	for _, said := range []string{"Ann plays the cello", "Bob rides a bike"} {
		if _, err := store.Facts.SaveFact(t.Context(), owner, facts.NewFact{Content: said}); err != nil {
			t.Fatal(err)
		}
	}
	stopped := New(file, "telegram:1", store)
	for range 2 {
		if err := stopped.Sync(untilFile{t.Context(), file}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(b), "\n"), func(l string) bool { return strings.Contains(l, "Bob rides") })
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	next := New(file, "telegram:1", store)
	for range 3 {
		if err := next.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := store.Facts.Facts(t.Context(), owner, 10, 0)
	if err != nil || len(list) != 1 || !strings.Contains(list[0].Content, "Ann") {
		t.Errorf("rows %+v, %v", list, err)
	}
}
