package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/text"
)

// reads takes files as good that have no "bad" in them, all of them together.
func reads(dir string) (notes []string, err error) {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		b, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		if strings.Contains(string(b), "bad") {
			return nil, errors.New(filepath.Join(dir, e.Name()) + ": line 1: bad")
		}
		if strings.Contains(string(b), "odd") {
			notes = append(notes, e.Name()+" is odd")
		}
	}
	return notes, err
}

func TestEditing(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.yaml")
	for name, words := range map[string]string{filepath.Join(dir, "a.yaml"): "one", filepath.Join(dir, "b.yml"): "odd",
		filepath.Join(dir, "notes.md"): "no", filepath.Join(dir, ".hidden.yaml"): "no", outside: "secret"} {
		if err := os.WriteFile(name, []byte(words), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	f := Folder{Dir: dir, Check: reads}
	if names, err := f.List(); err != nil || strings.Join(names, " ") != "a.yaml b.yml" {
		t.Errorf("files: %q, %v", names, err)
	}
	for _, name := range []string{"link.yaml", "../" + filepath.Base(filepath.Dir(outside)) + "/secret.yaml", outside,
		".hidden.yaml", "notes.md", "", "c.yaml"} {
		if words, _, err := f.Read(name); !errors.Is(err, ErrNone) {
			t.Errorf("%q reads %q, %v", name, words, err)
		}
		if _, err := f.Save(name, "", "x"); !errors.Is(err, ErrNone) {
			t.Errorf("%q is saved: %v", name, err)
		}
	}
	_, version, err := f.Read("a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if notes, err := f.Try("a.yaml", "two"); err != nil || len(notes) != 1 {
		t.Errorf("a try: %q, %v", notes, err)
	}
	_, err = f.Save("a.yaml", version, "bad")
	if told, ok := text.ForPeople(err); !ok || told != "With this text the rules cannot be read: a.yaml: line 1: bad." {
		t.Errorf("a mistake is told as %q, %v", told, err)
	}
	if words, _, _ := f.Read("a.yaml"); words != "one" {
		t.Errorf("a mistake was saved: %q", words)
	}
	if _, err := f.Save("a.yaml", version, "two"); err != nil {
		t.Error(err)
	}
	if _, err := f.Save("a.yaml", version, "three"); !errors.Is(err, ErrChanged) {
		t.Errorf("an older version was saved over: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "a.yaml"))
	if words, _, _ := f.Read("a.yaml"); err != nil || words != "two" || info.Mode().Perm() != 0o640 {
		t.Errorf("saved: %q, %v, %v", words, info, err)
	}
	if list, _ := filepath.Glob(filepath.Join(dir, "*.new-*")); len(list) != 0 {
		t.Errorf("left behind: %q", list)
	}
}
