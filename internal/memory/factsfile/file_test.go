package factsfile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// kept is a facts file and its store.
type kept struct {
	*File
	t    *testing.T
	file string
}

// newKept saves n facts and returns their file, which is not written yet.
func newKept(t *testing.T, n int, file string) *kept {
	t.Helper()
	store := memorytest.Open(t, memory.Options{})
	k := &kept{File: New(file, "telegram:1", store), t: t, file: file}
	for i := range n {
		k.learn(fmt.Sprintf("number %d is %s", i, strings.Repeat(string(rune('a'+i%26)), 5+i/26)))
	}
	return k
}

var owner = provenance.Viewer{User: "telegram:1", Key: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}

func (k *kept) learn(text string) {
	k.t.Helper()
	_, err := k.store.Facts.SaveFact(context.Background(), owner, facts.NewFact{Content: text})
	must(k.t, err)
}

// tick syncs often enough for everything to settle.
func (k *kept) tick() {
	for range 4 {
		_ = k.Sync(context.Background()) // tests ask Problem for errors
	}
}

func (k *kept) read() string {
	k.t.Helper()
	b, err := os.ReadFile(k.file)
	must(k.t, err)
	return string(b)
}

func (k *kept) write(text string) {
	k.t.Helper()
	must(k.t, os.WriteFile(k.file, []byte(text), 0o600))
}

func (k *kept) contents() (all []string) {
	k.t.Helper()
	list, err := k.store.Facts.Facts(context.Background(), owner, 1000, 0)
	must(k.t, err)
	for _, f := range list {
		all = append(all, f.Content)
	}
	slices.Sort(all)
	return all
}

// A sync program writes the file piece by piece: it does not count before it stops
// changing.
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
	// Other words of the same size and time are a change.
	info, err := os.Stat(k.file)
	must(t, err)
	one, err := at(k.file)
	must(t, err)
	k.write(strings.Replace(whole, "number 1", "NUMBER 1", 1))
	must(t, os.Chtimes(k.file, info.ModTime(), info.ModTime()))
	if two, err := at(k.file); err != nil || two.same(one) {
		t.Errorf("the change went unnoticed: %v", err)
	}
}

// A file that lost nearly everything is reported once, shown to everybody who asks, and
// used only when the owner accepts it. Undo restores the facts.
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
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
		}
	}
	if said != 1 || len(k.contents()) != 100 || k.Problem() == nil || k.read() != cut {
		t.Errorf("reported %d times, %d facts, %v", said, len(k.contents()), k.Problem())
	}
	ask := func(do string) string {
		t.Helper()
		said, err := Decide(t.Context(), k.store, do)
		if why, ok := text.ForPeople(err); ok {
			return why
		}
		must(t, err)
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

// An editor saves while the merged file is written: its words are not lost.
func TestFactsFileSavedMeanwhile(t *testing.T) {
	k := newKept(t, 10, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	old, err := at(k.file)
	must(t, err)
	k.write(k.read() + "- rides a bike\n")
	if ok, err := old.replace(k.file, "ours"); ok || err != nil {
		t.Fatalf("an edit was overwritten: %v", err)
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

// If the file is a link into a vault, the vault's file is written and keeps its
// permissions, and the link stays a link.
func TestFactsFileIsALink(t *testing.T) {
	dir := t.TempDir()
	file, vault := filepath.Join(dir, "facts.md"), filepath.Join(dir, "vault")
	must(t, os.Mkdir(vault, 0o700))
	if err := os.Symlink("vault/People facts.md", file); err != nil { // to nothing yet
		t.Fatal(err)
	}
	k := newKept(t, 5, file)
	k.tick()
	real := filepath.Join(vault, "People facts.md")
	must(t, os.Chmod(real, 0o640))
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

// While the disk is away, no fact is lost and nothing is written to its mount point.
// When it is back, syncing goes on.
func TestFactsFileOnADiskThatIsAway(t *testing.T) {
	for name, away := range map[string]func(dir string) error{
		"the folder is gone": func(string) error { return nil },
		"an empty folder":    func(dir string) error { return os.Mkdir(dir, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "disk")
			must(t, os.Mkdir(dir, 0o700))
			k := newKept(t, 10, filepath.Join(dir, "facts.md"))
			k.tick()
			must(t, os.Rename(dir, dir+".away"))
			must(t, away(dir))
			k.learn("plays the cello")
			k.tick()
			if k.Problem() == nil || len(k.contents()) != 11 {
				t.Errorf("%v, %d facts", k.Problem(), len(k.contents()))
			}
			if _, err := os.Stat(k.file); err == nil {
				t.Error("written to the mount point")
			}
			_ = os.Remove(dir)
			must(t, os.Rename(dir+".away", dir))
			k.write(k.read() + "- rides a bike\n")
			k.tick()
			if got := k.contents(); k.Problem() != nil || len(got) != 12 || !strings.Contains(k.read(), "cello") {
				t.Errorf("%v, %q", k.Problem(), got)
			}
		})
	}
	k := newKept(t, 3, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	must(t, os.Remove(k.file))
	k.tick()
	if _, err := Decide(t.Context(), k.store, "accept"); err != nil {
		t.Fatal(err)
	}
	k.tick()
	if strings.Count(k.read(), "\n- ") != 3 || k.Problem() != nil {
		t.Errorf("%v\n%s", k.Problem(), k.read())
	}
}

// Line ends and the byte order mark of an editor stay. What cannot be a facts file is
// refused and stays as it is.
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
	must(t, os.Remove(k.file))
	must(t, os.Mkdir(k.file, 0o700))
	k.tick()
	if k.Problem() == nil {
		t.Error("a folder was taken for a file")
	}
	second := k.file + ".2"
	_ = os.Remove(k.file)
	k.write(whole)
	must(t, os.Link(k.file, second))
	k.tick()
	if k.Problem() == nil || !strings.Contains(k.Problem().Error(), "hard link") {
		t.Errorf("%v", k.Problem())
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever makes the file useless, its owner is told once for each time it was saved so, also
// by another process; what they can do nothing about is for the log.
func TestOwnerIsToldWhyTheFileIsNotUsed(t *testing.T) {
	k := newKept(t, 10, filepath.Join(t.TempDir(), "facts.md"))
	k.tick()
	whole := k.read()
	told := map[string]bool{}
	for i, tt := range []struct{ text, why string }{
		{"", "Line 1: there is no heading"},
		{whole[:strings.LastIndex(whole, `"rank"`)], "has no end"},
		{whole + "- lives in Z\xfcrich\n", "not UTF-8"},
		{whole + strings.Repeat("- x\n", 100_000), "100000"},
		{"", "Line 1"}, // again
	} {
		k.write(tt.text)
		must(t, os.Chtimes(k.file, time.Time{}, time.Unix(int64(1_700_000_000+i), 0)))
		for _, f := range []*File{k.File, New(k.file, "telegram:1", k.store)} {
			must(t, f.Sync(t.Context()))
			name, say, ok := f.Refused(f.Sync(t.Context()))
			if !ok || !strings.Contains(say(catalog.Printer{}), tt.why) || told[name] != (f != k.File) {
				t.Fatalf("%.40q: %s, %t; told %t", tt.text, tt.why, ok, told[name])
			}
			told[name] = true
		}
	}
	if _, _, ok := k.Refused(context.DeadlineExceeded); ok {
		t.Error("a slow disk is not the owner's fault")
	}
}

// What is said about a file is true: once it was merged, nobody says that nothing was taken
// over, although the file could not be written.
func TestMergedButNotWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("f", 252)) // no name for a draft fits
	must(t, os.WriteFile(name, []byte("# Key Facts\n\n## Recent\n\n- rides a bike\n"), 0o600))
	k := newKept(t, 1, name)
	k.tick()
	if err := k.Problem(); err == nil || strings.Contains(err.Error(), "nothing was taken over") || len(k.contents()) != 2 {
		t.Errorf("%v; %q", err, k.contents())
	}
}

// What a killed process left of the file, with facts in it, is gone once the file is opened,
// and once everything about its person was forgotten.
func TestLeftoversOfTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "facts.md")
	k := newKept(t, 3, file)
	k.tick()
	leave := func() { must(t, os.WriteFile(file+".new-4711", []byte("plays the cello"), 0o600)) }
	gone := func(when string) {
		t.Helper()
		if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 1 {
			t.Errorf("%s: %v, %v", when, list, err)
		}
	}
	leave()
	k.File = New(file, "telegram:1", k.store)
	gone("opened")
	leave()
	must(t, k.store.ForgetPerson(t.Context(), "telegram:1", 0))
	k.tick()
	gone("forgotten")
	if strings.Contains(k.read(), "number") {
		t.Error(k.read())
	}
}
