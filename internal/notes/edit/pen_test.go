package edit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/notes/links"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// desk is a folder of notes with an open Pen.
type desk struct {
	*Pen
	t   *testing.T
	dir string
}

func newDesk(t *testing.T, files map[string]string) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir()}
	for name, text := range files {
		d.put(name, text)
	}
	d.open()
	t.Cleanup(d.Close)
	return d
}

// open opens the Pen, as a start of the program does.
func (d *desk) open() {
	d.t.Helper()
	p, err := Open(d.dir, "ours", false)
	must(d.t, err)
	d.Pen = p
}

func (d *desk) put(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.dir, name)
	must(d.t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)))
}

// says returns the text of a file, "-" if it is missing.
func (d *desk) says(name string) string {
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		return "-"
	}
	return string(b)
}

func by(id string, minute int) Writer {
	return Writer{ID: id, Name: "Name of " + id, At: noon.Add(time.Duration(minute) * time.Minute)}
}

// An editor saves while a new text is written: its words stay, even with the same length and
// time.
func TestUpdateLeavesWhatOthersWrote(t *testing.T) {
	d := newDesk(t, map[string]string{"ours/a.md": "old words"})
	info, err := os.Stat(filepath.Join(d.dir, "ours/a.md"))
	must(t, err)
	_, _, err = d.Update("ours/a.md", by("me", 0), func([]byte) (string, error) {
		d.put("ours/a.md", "new words")
		return "ours", os.Chtimes(filepath.Join(d.dir, "ours/a.md"), info.ModTime(), info.ModTime())
	})
	if got := d.says("ours/a.md"); !errors.Is(err, ErrChanged) || got != "new words" {
		t.Errorf("%q, %v", got, err)
	}
	_, _, err = d.Update("ours/a.md", by("me", 1), func([]byte) (string, error) {
		return "ours", os.Remove(filepath.Join(d.dir, "ours/a.md"))
	})
	if !errors.Is(err, ErrChanged) {
		t.Errorf("deleted meanwhile: %v", err)
	}
	if drafts, _ := filepath.Glob(filepath.Join(d.dir, "ours", ".draft-*")); len(drafts) != 0 {
		t.Errorf("left behind: %v", drafts)
	}
}

func TestVersions(t *testing.T) {
	d := newDesk(t, nil)
	say := func(text string) func([]byte) (string, error) {
		return func([]byte) (string, error) { return text, nil }
	}
	must(t, d.Create("ours/a.md", "one", by("anna", 0)))
	update := func(text string, w Writer) {
		t.Helper()
		if _, _, err := d.Update("ours/a.md", w, say(text)); err != nil {
			t.Fatal(err)
		}
	}
	update("two", by("bob", 1))
	d.put("ours/a.md", "by hand")
	update("four", by("anna", 2))
	update("five", by("anna", 2)) // a clock that stands still
	all, err := d.Versions("ours/a.md")
	got := []string{}
	for _, v := range all {
		got = append(got, v.Text+" "+v.By.ID)
	}
	if want := "four anna|by hand |one anna"; strings.Join(got, "|") != want || err != nil {
		t.Fatalf("%q", got)
	}
	if !all[2].By.At.Equal(noon) {
		t.Errorf("the first was written %v", all[2].By.At)
	}
	if before, _, err := d.Restore("ours/a.md", Nth(3), by("bob", 3)); err != nil || before != "five" || d.says("ours/a.md") != "one" {
		t.Errorf("%q, %q, %v", before, d.says("ours/a.md"), err)
	}
	_, _, err = d.Restore("ours/a.md", Marked("none"), by("bob", 3))
	if !errors.Is(err, ErrNoVersion) || d.says("ours/a.md") != "one" {
		t.Errorf("a version that is gone: %v", err)
	}
	marked := Marked(all[0].Mark()) // of "four", which now stands second
	once := Writer{ID: "bob", At: noon.Add(time.Hour), Key: "press 7"}
	for range 2 { // the second time after a crash
		before, after, err := d.Restore("ours/a.md", marked, once)
		if err != nil || before+" "+after != "one four" || d.says("ours/a.md") != "four" {
			t.Errorf("again: %q, %q, %v", before, after, err)
		}
	}
	must(t, os.Remove(filepath.Join(d.dir, "ours/a.md")))
	if _, _, err := d.Restore("ours/a.md", Nth(3), by("bob", 61)); err != nil || d.says("ours/a.md") != "four" {
		t.Errorf("of a note that is gone: %v", err)
	}
	must(t, d.Forget("bob"))
	if book := d.says("ours/.versions/a.md.by"); strings.Contains(book, "bob") || !strings.Contains(book, "anna") {
		t.Error(book)
	}
	must(t, d.Remove("ours/a.md"))
	if left, _ := filepath.Glob(filepath.Join(d.dir, "ours/.versions/a*")); len(left) != 0 {
		t.Error(left)
	}
}

// moving returns a change that moves a note and edits two others.
func moving(t *testing.T, d *desk) (Change, Again) {
	t.Helper()
	m := links.NewMove([]string{"home.md", "ours/a.md", "ours/b.md"}, map[string]string{"ours/a.md": "ours/sub/new.md"}, false)
	c := Change{At: noon, By: "me", From: "ours/a.md", To: "ours/sub/new.md"}
	for _, name := range []string{"home.md", "ours/b.md", "ours/sub/new.md"} {
		text := d.says(strings.Replace(name, "sub/new", "a", 1))
		splices, n := m.Keep(name, text)
		if e, ok := NewEdit(name, text, splices, n); ok {
			c.Edits = append(c.Edits, e)
		}
	}
	return c, m.Keep
}

var before = map[string]string{"home.md": "[[a]] and [x](ours/a.md)", "ours/a.md": "[h](../home.md) [[a]]", "ours/b.md": "![[a]]"}

// TestCrashInOtherForms is TestCrash with a note whose accent the file system spells apart, and
// links that people typed composed: killed at each rename, the move is finished or never was.
func TestCrashInOtherForms(t *testing.T) {
	const apart, to = "ours/a\u0308.md", "ours/sub/neu.md"
	was := map[string]string{"home.md": "[[\u00e4]] and [x](ours/\u00e4.md)", apart: "[[\u00c4]]"}
	for n := 1; ; n++ {
		d := newDesk(t, was)
		m := links.NewMove([]string{"home.md", apart}, map[string]string{apart: to}, false)
		c := Change{At: noon, By: "me", From: apart, To: to}
		for name, text := range map[string]string{"home.md": was["home.md"], to: was[apart]} {
			splices, links := m.Keep(name, text)
			if e, ok := NewEdit(name, text, splices, links); ok {
				c.Edits = append(c.Edits, e)
			}
		}
		crashed := crash(d, n, func() error { _, err := d.Do(c, m.Keep); return err })
		d.Close()
		d.open()
		begun, err := d.Begun()
		must(t, err)
		for _, c := range begun {
			_, err := d.Finish(c, m.Keep)
			must(t, err)
		}
		whole := d.says("home.md") + d.says(apart) + d.says(to)
		if whole != "[[neu]] and [x](ours/sub/neu.md)-[[neu]]" && (whole != was["home.md"]+was[apart]+"-" || len(begun) > 0) {
			t.Errorf("crash %d left %q", n, whole)
		}
		if !crashed {
			return
		}
	}
}

// TestCrash ends the process before each rename of a move. The next start finishes the move,
// unless it had not begun.
func TestCrash(t *testing.T) {
	for n := 1; ; n++ {
		d := newDesk(t, before)
		must(t, d.Create("ours/.versions/x.md", "", Writer{}))
		c, again := moving(t, d)
		crashed := crash(d, n, func() error { _, err := d.Do(c, again); return err })
		d.Close()
		d.open()
		begun, err := d.Begun()
		must(t, err)
		for _, c := range begun {
			if _, err := d.Finish(c, again); err != nil {
				t.Fatal(err)
			}
		}
		whole := fmt.Sprint(d.says("home.md"), d.says("ours/a.md"), d.says("ours/b.md"), d.says("ours/sub/new.md"))
		done := "[[new]] and [x](ours/sub/new.md)" + "-" + "![[new]]" + "[h](../../home.md) [[new]]"
		nothing := before["home.md"] + before["ours/a.md"] + before["ours/b.md"] + "-"
		if whole != done && (whole != nothing || len(begun) > 0) {
			t.Errorf("crash %d left %q", n, whole)
		}
		if left, _ := d.Begun(); len(left) > 0 {
			t.Errorf("crash %d: not finished: %+v", n, left)
		}
		if !crashed {
			if n < 6 {
				t.Errorf("only %d steps", n)
			}
			return
		}
	}
}

// crash runs do until the n-th rename; false if do reached its end.
func crash(d *desk, n int, do func() error) (crashed bool) {
	defer func() { crashed = recover() != nil }()
	d.pause = func() {
		if n--; n == 0 {
			panic("crash")
		}
	}
	must(d.t, do())
	return false
}

// Somebody writes to a file between the plan of a move and its edit.
func TestMoveBesideOthers(t *testing.T) {
	d := newDesk(t, before)
	c, again := moving(t, d)
	d.put("ours/b.md", "longer: ![[a]]")
	got, err := d.Do(c, again)
	if err != nil || d.says("ours/b.md") != "longer: ![[new]]" {
		t.Errorf("%q, %+v, %v", d.says("ours/b.md"), got, err)
	}
	last, err := d.Last(func(c Change) bool { return c.By == "me" })
	must(t, err)
	back := d.Back(last, noon.Add(time.Hour), nil)
	if _, err := d.Do(back, again); err != nil {
		t.Fatal(err)
	}
	must(t, d.TakenBack(last, back))
	if d.says("ours/b.md") != "longer: ![[a]]" || d.says("home.md") != before["home.md"] || d.says("ours/a.md") != before["ours/a.md"] {
		t.Error(d.says("ours/b.md"), d.says("home.md"), d.says("ours/a.md"))
	}
	if _, err := d.Last(func(Change) bool { return true }); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}

// Nothing is read or written through a linked folder.
func TestLinkedFolders(t *testing.T) {
	d := newDesk(t, map[string]string{"private/x.md": "[[a]]"})
	must(t, os.Symlink(filepath.Join(d.dir, "private"), filepath.Join(d.dir, "ours", "out")))
	if _, err := d.Text("ours/out/x.md"); err == nil {
		t.Error("read through a link")
	}
	must(t, os.Symlink("private", filepath.Join(d.dir, "also")))
	if _, err := d.Text("also/x.md"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
