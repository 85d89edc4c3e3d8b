package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unmount replaces the notes by an empty folder, like the mount point of a disk.
func (f *folder) unmount() (mount func()) {
	f.t.Helper()
	aside := f.dir + ".disk"
	must(f.t, os.Rename(f.dir, aside))
	must(f.t, os.Mkdir(f.dir, 0o700))
	return func() {
		f.t.Helper()
		must(f.t, os.RemoveAll(f.dir))
		must(f.t, os.Rename(aside, f.dir))
	}
}

// An unmounted folder is away: its entries stay, with their vectors.
func TestAnUnmountedFolderIsAway(t *testing.T) {
	e := &embeddings{synonyms: map[string]string{"feline": "kitty"}}
	f := withVectors(t, e)
	f.put("pets.md", "# Pets\n\nFeline.\n")
	f.put("sub/b.md", "# B\n\nBread.\n")
	f.refresh()
	f.embedAll(e)
	if f.due() {
		t.Error("a check is due without a reason")
	}
	mount := f.unmount()
	if !f.due() {
		t.Error("another folder in its place goes unnoticed")
	}
	for _, restart := range []bool{false, true} {
		if restart {
			f.reopen()
		}
		f.refresh()
		st := f.Status()
		if s := st.Sources[0]; !s.Away || !s.Empty || s.Err == "" || s.Documents != 2 || st.State != StateReady {
			t.Errorf("restart %v: %+v", restart, st)
		}
		if made := f.embedAll(e); made != 0 || f.paths("kitty") != "pets.md" || f.Status().Vectors != 2 {
			t.Errorf("restart %v: %d made, %q, %+v", restart, made, f.paths("kitty"), f.Status())
		}
	}
	if f.due() {
		t.Error("a check is due although the folder is still empty")
	}
	mount()
	if !f.due() {
		t.Error("no check is due")
	}
	f.refresh()
	if st := f.Status(); st.Sources[0].Away || st.Sources[0].Err != "" || f.embedAll(e) != 0 || f.paths("bread") != "sub/b.md" {
		t.Errorf("back: %+v", st)
	}
}

// The same while Run follows the folder, and the system reports every file as deleted.
func TestUnmountedWhileFollowed(t *testing.T) {
	f := newFolder(t)
	f.put("a/x.md", "sourdough")
	f.put("y.md", "rye")
	f.running()
	mount := f.unmount()
	f.eventually("away", func() bool {
		f.nudge()
		return f.Status().Sources[0].Away
	})
	if got := f.paths("sourdough"); got != "a/x.md" {
		t.Errorf("while away: %q", got)
	}
	mount()
	f.put("z.md", "spelt")
	f.finds("spelt", "z.md")
	f.finds("sourdough", "a/x.md")
}

// Deleted files leave the index. If all of many files go at once, the folder counts as away
// until it has a file again.
func TestDeletedIsNotAway(t *testing.T) {
	f := newFolder(t)
	remove := func(n int) {
		for i := range n {
			must(t, os.Remove(filepath.Join(f.dir, fmt.Sprintf("n%d.md", i))))
		}
		f.refresh()
	}
	add := func(n int) {
		for i := range n {
			f.put(fmt.Sprintf("n%d.md", i), fmt.Sprintf("bread%d", i))
		}
		f.refresh()
	}
	add(2)
	remove(2)
	if st := f.Status().Sources[0]; st.Away || st.Documents != 0 {
		t.Errorf("two deleted: %+v", st)
	}
	add(suddenly)
	remove(suddenly)
	if st := f.Status().Sources[0]; !st.Away || !strings.Contains(st.Err, "put one note into it") ||
		!strings.HasPrefix(f.paths("bread1"), "n1.md ") {
		t.Errorf("all deleted: %+v, %q", st, f.paths("bread1"))
	}
	f.put("new.md", "crackers")
	f.refresh()
	if st := f.Status().Sources[0]; st.Away || f.paths("bread1") != "" || f.paths("crackers") != "new.md" {
		t.Errorf("one again: %+v", st)
	}
}
