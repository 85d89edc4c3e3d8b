package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unmount puts an empty folder in the place of the notes, as a disk leaves it.
func (f *folder) unmount() (mount func()) {
	f.t.Helper()
	aside := f.dir + ".disk"
	if err := os.Rename(f.dir, aside); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Mkdir(f.dir, 0o700); err != nil {
		f.t.Fatal(err)
	}
	return func() {
		f.t.Helper()
		if err := os.RemoveAll(f.dir); err != nil {
			f.t.Fatal(err)
		}
		if err := os.Rename(aside, f.dir); err != nil {
			f.t.Fatal(err)
		}
	}
}

// An unmounted folder is away: what is known of it stays, vectors included.
func TestAnUnmountedFolderIsAway(t *testing.T) {
	e := &embeddings{synonyms: map[string]string{"feline": "kitty"}}
	f := withVectors(t, e)
	f.put("pets.md", "# Pets\n\nFeline.\n")
	f.put("sub/b.md", "# B\n\nBread.\n")
	f.refresh()
	f.embedAll(e)
	if f.due() {
		t.Error("looks again without a reason")
	}
	mount := f.unmount()
	if !f.due() {
		t.Error("does not see that another folder is there")
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
		t.Error("looks again although the folder is still empty")
	}
	mount()
	if !f.due() {
		t.Error("does not look again")
	}
	f.refresh()
	if st := f.Status(); st.Sources[0].Away || st.Sources[0].Err != "" || f.embedAll(e) != 0 || f.paths("bread") != "sub/b.md" {
		t.Errorf("back: %+v", st)
	}
}

// While it runs, too: the system tells that every file has gone.
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

// Files that are deleted are gone; that all of many go at once counts as away, until
// there is one again.
func TestDeletedIsNotAway(t *testing.T) {
	f := newFolder(t)
	remove := func(n int) {
		for i := range n {
			if err := os.Remove(filepath.Join(f.dir, fmt.Sprintf("n%d.md", i))); err != nil {
				t.Fatal(err)
			}
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
