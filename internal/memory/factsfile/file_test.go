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
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// kept is a facts file with its store.
type kept struct {
	*File
	t    *testing.T
	file string
}

// newKept makes n facts and their file, which is at name below a new folder.
func newKept(t *testing.T, n int, file string) *kept {
	t.Helper()
	store := memorytest.Open(t, memory.Options{})
	k := &kept{File: New(file, "telegram:1", store), t: t, file: file}
	for i := range n {
		k.learn(fmt.Sprintf("number %d is %s", i, strings.Repeat(string(rune('a'+i%26)), 5+i/26)))
	}
	return k
}

func (k *kept) learn(text string) {
	k.t.Helper()
	owner := provenance.Viewer{User: "telegram:1", Key: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	if _, err := k.store.Facts.SaveFact(context.Background(), owner, facts.NewFact{Content: text}); err != nil {
		k.t.Fatal(err)
	}
}

// tick looks often enough for everything to settle.
func (k *kept) tick() {
	for range 4 {
		_ = k.Sync(context.Background()) // what is wrong is told by problem
	}
}

func (k *kept) read() string {
	k.t.Helper()
	b, err := os.ReadFile(k.file)
	if err != nil {
		k.t.Fatal(err)
	}
	return string(b)
}

func (k *kept) write(text string) {
	k.t.Helper()
	if err := os.WriteFile(k.file, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kept) contents() (all []string) {
	k.t.Helper()
	owner := provenance.Viewer{User: "telegram:1", Key: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	list, err := k.store.Facts.Facts(context.Background(), owner, 1000, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, f := range list {
		all = append(all, f.Content)
	}
	slices.Sort(all)
	return all
}

// A sync program writes the file piece by piece: nothing is obeyed before it
// holds still.
func TestFactsFileThatGrows(t *testing.T) {
	k := newKept(t, 10, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	whole := k.read()
	before := k.contents()
	k.write("")
	for i := 0; i < len(whole); i += 97 {
		k.write(whole[:i])
		if err := k.Sync(t.Context()); err != nil {
			t.Fatalf("%d bytes: %v", i, err)
		}
		if got := k.contents(); !slices.Equal(got, before) {
			t.Fatalf("%d bytes: %q", i, got)
		}
	}
	k.write(whole)
	k.tick()
	if got := k.contents(); !slices.Equal(got, before) || k.Problem() != nil {
		t.Errorf("%q, %v", got, k.Problem())
	}
	// The same size and time, but other words, is not the same.
	info, err := os.Stat(k.file)
	if err != nil {
		t.Fatal(err)
	}
	one, err := at(k.file)
	if err != nil {
		t.Fatal(err)
	}
	k.write(strings.Replace(whole, "number 1", "NUMBER 1", 1))
	if err := os.Chtimes(k.file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if two, err := at(k.file); err != nil || two.same(one) {
		t.Errorf("taken for the same: %v", err)
	}
}

// The file lost nearly everything: that is said once, shown everywhere and
// obeyed only when the owner says so, with a way back.
func TestFactsFileCutShort(t *testing.T) {
	k := newKept(t, 100, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	whole := k.read()
	cut := whole[:strings.Index(whole, "%%\n")+3]
	k.write(cut)
	said := 0
	for range 5 {
		if err := k.Sync(t.Context()); err != nil {
			said++
			for _, want := range []string{"99 of 100", "/facts file accept", "bot facts file accept"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not said: %v", want, err)
				}
			}
		}
	}
	if said != 1 || len(k.contents()) != 100 || k.Problem() == nil || k.read() != cut {
		t.Errorf("said %d times, %d facts, %v", said, len(k.contents()), k.Problem())
	}
	ask := func(do string) string {
		t.Helper()
		said, err := Decide(t.Context(), k.store, do)
		if why, ok := text.ForPeople(err); ok {
			return why
		}
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if got := ask(""); !strings.Contains(got, "99 of 100") {
		t.Error(got)
	}
	k.write(whole)
	k.tick()
	if got := ask(""); got != WordsFine || len(k.contents()) != 100 || k.Problem() != nil {
		t.Errorf("put back: %q, %d facts", got, len(k.contents()))
	}
	if got := ask("accept"); !strings.Contains(got, "refused") {
		t.Error(got)
	}
	k.write(cut)
	k.tick()
	if got := ask("accept"); !strings.Contains(got, "gone: 99") {
		t.Error(got)
	}
	k.tick()
	if len(k.contents()) != 1 {
		t.Errorf("accepted: %d facts", len(k.contents()))
	}
	if got := ask("undo"); !strings.Contains(got, "restored: 99") {
		t.Error(got)
	}
	k.tick()
	if len(k.contents()) != 100 || strings.Count(k.read(), "\n- ") != 100 {
		t.Errorf("undone: %d facts", len(k.contents()))
	}
}

// An editor saves while the answer to what stood there before is written: its
// words are merged, not lost.
func TestFactsFileSavedMeanwhile(t *testing.T) {
	k := newKept(t, 10, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	old, err := at(k.file)
	if err != nil {
		t.Fatal(err)
	}
	k.write(k.read() + "- rides a bike\n")
	if ok, err := old.replace(k.file, "ours"); ok || err != nil {
		t.Fatalf("an edit was written over: %v", err)
	}
	k.learn("plays the cello")
	k.tick()
	for _, want := range []string{"rides a bike", "plays the cello"} {
		if !strings.Contains(k.read(), want) || !slices.Contains(k.contents(), want) {
			t.Errorf("%q is lost: %q\n%s", want, k.contents(), k.read())
		}
	}
	list, err := os.ReadDir(filepath.Dir(k.file))
	if err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// The file is a link into a vault: the vault's file is written, with the
// permissions it has, and the link stays one.
func TestFactsFileIsALink(t *testing.T) {
	dir := t.TempDir()
	file, vault := filepath.Join(dir, "facts.md"), filepath.Join(dir, "vault")
	if err := os.Mkdir(vault, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("vault/People facts.md", file); err != nil { // to nothing yet
		t.Fatal(err)
	}
	k := newKept(t, 5, file)
	k.tick()
	real := filepath.Join(vault, "People facts.md")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	k.learn("plays the cello")
	k.tick()
	info, err := os.Lstat(file)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Fatalf("the link became %v, %v", info.Mode(), err)
	}
	b, err := os.ReadFile(real)
	if err != nil || !strings.Contains(string(b), "plays the cello") {
		t.Errorf("%s, %v", b, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// The disk is away: nothing is forgotten, nothing is written where the disk
// will be, and all goes on once it is back.
func TestFactsFileOnADiskThatIsAway(t *testing.T) {
	for name, away := range map[string]func(dir string) error{
		"the folder is gone": func(string) error { return nil },
		"an empty folder":    func(dir string) error { return os.Mkdir(dir, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "disk")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			k := newKept(t, 10, filepath.Join(dir, "facts.md"))
			k.tick()
			if err := os.Rename(dir, dir+".away"); err != nil {
				t.Fatal(err)
			}
			if err := away(dir); err != nil {
				t.Fatal(err)
			}
			k.learn("plays the cello")
			k.tick()
			if k.Problem() == nil || len(k.contents()) != 11 {
				t.Errorf("%v, %d facts", k.Problem(), len(k.contents()))
			}
			if _, err := os.Stat(k.file); err == nil {
				t.Error("written where the disk will be")
			}
			_ = os.Remove(dir)
			if err := os.Rename(dir+".away", dir); err != nil {
				t.Fatal(err)
			}
			k.write(k.read() + "- rides a bike\n")
			k.tick()
			if got := k.contents(); k.Problem() != nil || len(got) != 12 || !strings.Contains(k.read(), "cello") {
				t.Errorf("%v, %q", k.Problem(), got)
			}
		})
	}
	k := newKept(t, 3, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	if err := os.Remove(k.file); err != nil {
		t.Fatal(err)
	}
	k.tick()
	if _, err := Decide(t.Context(), k.store, "accept"); err != nil {
		t.Fatal(err)
	}
	k.tick()
	if strings.Count(k.read(), "\n- ") != 3 || k.Problem() != nil {
		t.Errorf("%v\n%s", k.Problem(), k.read())
	}
}

// What editors and systems differ in stays: ends of lines and the mark at the
// beginning; what cannot be a facts file is refused and left as it is.
func TestFactsFileOfAnotherKind(t *testing.T) {
	k := newKept(t, 5, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	k.write("\uFEFF" + strings.ReplaceAll(k.read(), "\n", "\r\n"))
	k.learn("plays the cello")
	k.tick()
	if got := k.read(); !strings.HasPrefix(got, "\uFEFF---\r\n") || strings.Count(got, "\n") != strings.Count(got, "\r\n") ||
		!strings.Contains(got, "cello") {
		t.Errorf("%q", got)
	}
	whole := k.read()
	for _, bad := range []string{whole + "- lives in Z\xfcrich\r\n", "\xff\xfe#\x00", whole[:100] + strings.Repeat("\x00", 300)} {
		k.write(bad)
		k.tick()
		if k.Problem() == nil || k.read() != bad || len(k.contents()) != 6 {
			t.Errorf("%.40q: %v, %d facts", bad, k.Problem(), len(k.contents()))
		}
	}
	if err := os.Remove(k.file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(k.file, 0o700); err != nil {
		t.Fatal(err)
	}
	k.tick()
	if k.Problem() == nil {
		t.Error("a folder was taken for a file")
	}
	second := k.file + ".2"
	_ = os.Remove(k.file)
	k.write(whole)
	if err := os.Link(k.file, second); err != nil {
		t.Fatal(err)
	}
	k.tick()
	if k.Problem() == nil || !strings.Contains(k.Problem().Error(), "hard link") {
		t.Errorf("%v", k.Problem())
	}
}
