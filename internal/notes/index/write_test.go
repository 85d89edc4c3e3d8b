package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func putTime(t *testing.T, name string, at time.Time) {
	t.Helper()
	must(t, os.Chtimes(name, at, at))
}

func (f *folder) write(n Note) Written {
	f.t.Helper()
	w, err := f.Write(f.t.Context(), n)
	if err != nil {
		f.t.Fatalf("%+v: %v", n, err)
	}
	return w
}

// file returns the text of a note.
func (f *folder) file(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	must(f.t, err)
	return string(b)
}

func TestWriting(t *testing.T) {
	f := newFolder(t)
	f.refresh()
	ctx := t.Context()
	got := f.write(Note{Path: "bread/rye.md", Mode: ModeCreate, Title: "Rye bread",
		Content: "Dark and sour.\n\n## Dough\n\nWarm.\n\n### More\n\nx\n\n## Oven\n\nHot."})
	if got := [3]string{got.Path, got.Title, got.Action}; got != [3]string{"agent-notes/bread/rye.md", "Rye bread", Created} {
		t.Errorf("%+v", got)
	}
	if got := f.paths("dark sour"); got != "agent-notes/bread/rye.md" {
		t.Errorf("not found after it was written: %q", got)
	}
	if _, err := f.Write(ctx, Note{Path: "agent-notes/bread/rye.md", Mode: ModeCreate, Content: "x"}); !errors.Is(err, ErrExists) {
		t.Errorf("twice: %v", err)
	}
	if got := f.write(Note{Path: "agent-notes/bread/rye.md", Mode: ModeAppend,
		Content: "Appended pumpernickel.\n"}); ([3]string{got.Path, got.Title, got.Action}) != [3]string{"agent-notes/bread/rye.md",
		"Rye bread", Updated} {
		t.Errorf("%+v", got)
	}
	f.write(Note{Path: "bread/rye.md", Mode: ModeReplaceSection, Heading: "dough", Content: "Cold."})
	want := "# Rye bread\n\nDark and sour.\n\n## Dough\n\nCold.\n\n## Oven\n\nHot.\n\nAppended pumpernickel.\n"
	if got := f.file("agent-notes/bread/rye.md"); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if f.paths("pumpernickel") != "agent-notes/bread/rye.md" || f.paths("warm") != "" {
		t.Error("the index differs from the file")
	}
	for name, n := range map[string]Note{
		"append to nothing":  {Path: "none.md", Mode: ModeAppend, Content: "x"},
		"replace in nothing": {Path: "none.md", Mode: ModeReplaceSection, Heading: "x", Content: "x"},
		"no such heading":    {Path: "bread/rye.md", Mode: ModeReplaceSection, Heading: "Cellar", Content: "x"},
	} {
		if _, err := f.Write(ctx, n); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, n := range map[string]Note{
		"mode":       {Path: "a.md", Mode: "delete", Content: "x"},
		"no mode":    {Path: "a.md", Content: "x"},
		"blank":      {Path: "a.md", Mode: ModeCreate, Content: " \n"},
		"NUL":        {Path: "a.md", Mode: ModeCreate, Content: "a\x00"},
		"not text":   {Path: "a.md", Mode: ModeCreate, Content: "a\xff"},
		"long":       {Path: "a.md", Mode: ModeCreate, Content: strings.Repeat("é", maxContent+1)},
		"no heading": {Path: "a.md", Mode: ModeReplaceSection, Content: "x"},
	} {
		if _, err := f.Write(ctx, n); !errors.Is(err, ErrContent) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.write(Note{Path: "long.md", Mode: ModeCreate, Content: strings.Repeat("é", maxContent)})
	left, err := filepath.Glob(filepath.Join(f.dir, "agent-notes", "*", ".draft*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestTitlesOfNewNotes(t *testing.T) {
	for _, c := range []struct{ title, content, want string }{
		{"", "x", "x\n"},
		{"T", "x\n\n\n", "# T\n\nx\n"},
		{"T", "# T\n\nx", "# T\n\nx\n"},
		{"T", "---\ntags: [a]\n---\nx", "---\ntags: [a]\n---\n\n# T\n\nx\n"},
		{"T", "---\ntitle: Other\n---\nx", "---\ntitle: Other\n---\nx\n"},
		{"T\n# evil", "x", "# T # evil\n\nx\n"},
	} {
		if got := titled(Note{Title: c.title, Content: c.content}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestVersionsAreKept(t *testing.T) {
	f := newFolder(t)
	f.refresh()
	f.write(Note{Path: "a.md", Mode: ModeCreate, Content: "first"})
	f.write(Note{Path: "ab.md", Mode: ModeCreate, Content: "other"})
	f.write(Note{Path: "ab.md", Mode: ModeAppend, Content: "more"})
	f.write(Note{Path: "a.md.0.md", Mode: ModeCreate, Content: "named like a version"})
	f.write(Note{Path: "a.md.0.md", Mode: ModeAppend, Content: "more"})
	for i := range 10 + 3 {
		f.write(Note{Path: "a.md", Mode: ModeAppend, Content: fmt.Sprintf("marker%d", i)})
	}
	kept, err := filepath.Glob(filepath.Join(f.dir, "agent-notes", ".versions", "a.md.2*.bak"))
	if err != nil || len(kept) != 10 {
		t.Fatalf("%d kept, %v", len(kept), err)
	}
	last, err := os.ReadFile(kept[len(kept)-1])
	if err != nil || !strings.HasSuffix(string(last), "marker11\n") {
		t.Errorf("%q %v", last, err)
	}
	if other, _ := filepath.Glob(filepath.Join(f.dir, "agent-notes", ".versions", "ab.md.*.bak")); len(other) != 1 {
		t.Errorf("of the other note: %v", other)
	}
	f.refresh()
	if other, _ := filepath.Glob(filepath.Join(f.dir, "agent-notes", ".versions", "a.md.0.md.*.bak")); len(other) != 1 {
		t.Errorf("of the note named like a version: %v", other)
	}
	if got := f.Status().Documents; got != 3 {
		t.Errorf("%d documents: versions are indexed", got)
	}
}

// escapes are paths at which no note may be written.
var escapes = []string{
	"", "/", ".", "..", "a", "a.txt", ".md", "a/.md", "../x.md", "../../etc/passwd", "/etc/passwd", "/etc/passwd.md",
	`..\..\x.md`, `a\b.md`, "a/../../x.md", "a/../x.md", "./x.md", "a/./x.md",
	"notes/\x00.md", "a\nb.md", "a\u202Edm.md", "a\u200b.md", "a\u00a0.md", "%2e%2e/x.md", "%2E%2E%2Fx.md", "a%00.md",
	"a//b.md", "a/", "a.md/", "CON.md", "con.md", "nul.md", "a/NUL.txt.md", "aux/x.md", "COM1.md", "lpt9.x.md",
	".git/hooks/post-commit", ".git/x.md", ".obsidian/plugins/x/main.js", ".env", ".env.md", "a/.hidden/x.md", "x.service",
	"x.md.exe", "C:x.md", "C:/x.md", "a:b.md", "a*.md", "a?.md", `"a".md`, "a|b.md", "<a>.md",
	"a .md/x.md ", " a.md", "a /x.md", "a./x.md", "\xff.md", strings.Repeat("x", 5000) + ".md", strings.Repeat("x", 254) + ".md",
	strings.Repeat("é", 120) + ".md", "vendor/x.md", "node_modules/x.md", "x.MD", "~/x.md\x7f",
}

func TestPathsThatEscape(t *testing.T) {
	f := newFolder(t)
	f.refresh()
	f.write(Note{Path: "fine.md", Mode: ModeCreate, Content: "x"})
	before := tree(t, filepath.Dir(f.dir))
	for _, name := range escapes {
		for _, mode := range []string{ModeCreate, ModeAppend, ModeReplaceSection} {
			if _, err := f.Write(t.Context(), Note{Path: name, Mode: mode, Heading: "x", Content: "x"}); !errors.Is(err, ErrPath) {
				t.Errorf("%s %.60q: %v", mode, name, err)
			}
		}
		if _, err := f.Move(t.Context(), "fine.md", name, Who{}); !errors.Is(err, ErrPath) {
			t.Errorf("move to %.60q: %v", name, err)
		}
	}
	if after := tree(t, filepath.Dir(f.dir)); after != before {
		t.Errorf("something was written:\n%s\nwas\n%s", after, before)
	}
	for _, name := range []string{"a.md", "a b/c d.md", "ü/日記.md", "100% done.md", "con artist.md", "a.b.md",
		strings.Repeat("d/", 60) + "x.md"} {
		if _, err := f.Write(t.Context(), Note{Path: name, Mode: ModeCreate, Content: "x"}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// tree lists all files except the index.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if !strings.Contains(name, "vault.db") {
			all = append(all, name)
		}
		return err
	})
	must(t, err)
	return strings.Join(all, "\n")
}

func TestWritingThroughLinks(t *testing.T) {
	outside := t.TempDir()
	putFile(t, filepath.Join(outside, "x.md"), "outside\n")
	for name, prepare := range map[string]func(f *folder) error{
		"the write folder leads out":  func(f *folder) error { return os.Symlink(outside, filepath.Join(f.dir, "agent-notes")) },
		"the write folder leads away": func(f *folder) error { return os.Symlink("private", filepath.Join(f.dir, "agent-notes")) },
		"a folder leads out":          func(f *folder) error { return os.Symlink(outside, filepath.Join(f.dir, "agent-notes", "sub")) },
		"a folder leads aside":        func(f *folder) error { return os.Symlink("../private", filepath.Join(f.dir, "agent-notes", "sub")) },
		"the note leads out": func(f *folder) error {
			return os.Symlink(filepath.Join(outside, "x.md"), filepath.Join(f.dir, "agent-notes", "sub", "x.md"))
		},
		"the note is a pipe": func(f *folder) error {
			return syscall.Mkfifo(filepath.Join(f.dir, "agent-notes", "sub", "x.md"), 0o600)
		},
		"kept versions lead out": func(f *folder) error {
			f.put("agent-notes/sub/x.md", "mine")
			return os.Symlink(outside, filepath.Join(f.dir, "agent-notes", ".versions"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			f.put("private/x.md", "private\n")
			f.put("private/sub/x.md", "private\n")
			switch {
			case strings.HasPrefix(name, "the note"):
				f.put("agent-notes/sub/other.md", "x")
			case strings.HasPrefix(name, "a folder"):
				f.put("agent-notes/other.md", "x")
			}
			must(t, prepare(f))
			f.refresh()
			for _, mode := range []string{ModeCreate, ModeAppend} {
				if _, err := f.Write(t.Context(), Note{Path: "sub/x.md", Mode: mode, Content: "evil"}); err == nil {
					t.Errorf("%s went through", mode)
				}
			}
			if b, err := os.ReadFile(filepath.Join(outside, "x.md")); err != nil || string(b) != "outside\n" {
				t.Errorf("outside: %q %v", b, err)
			}
			if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
				t.Errorf("outside: %v %v", entries, err)
			}
			if f.file("private/x.md")+f.file("private/sub/x.md") != "private\nprivate\n" {
				t.Error("a note outside the write folder was changed")
			}
		})
	}
}

func TestManyWriters(t *testing.T) {
	f := newFolder(t)
	f.running()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ctx := t.Context()
			if _, err := f.Write(ctx, Note{Path: "shared.md", Mode: ModeCreate, Content: "begin"}); err != nil && !errors.Is(err, ErrExists) {
				t.Error(err)
			}
			if _, err := f.Write(ctx, Note{Path: "shared.md", Mode: ModeAppend, Content: fmt.Sprintf("line%dx", i)}); err != nil {
				t.Error(err)
			}
			if _, err := f.Write(ctx, Note{Path: fmt.Sprintf("own%d.md", i), Mode: ModeCreate, Content: fmt.Sprintf("private%dx", i)}); err != nil {
				t.Error(err)
			}
			hits, err := f.Search(ctx, Query{Text: fmt.Sprintf("private%dx", i), Limit: 1})
			if err != nil || len(hits) != 1 || hits[0].Path != fmt.Sprintf("agent-notes/own%d.md", i) {
				t.Errorf("%d: %+v %v", i, hits, err)
			}
		})
	}
	wg.Wait()
	text := f.file("agent-notes/shared.md")
	for i := range 8 {
		if !strings.Contains(text, fmt.Sprintf("line%dx", i)) {
			t.Errorf("line %d was lost", i)
		}
	}
}

func TestWritingWithoutNotes(t *testing.T) {
	f := newFolder(t)
	f.opts.Sources = f.opts.Sources[1:]
	f.reopen()
	if _, err := f.Write(t.Context(), Note{Path: "a.md", Mode: ModeCreate, Content: "x"}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func FuzzPath(f *testing.F) {
	for _, name := range escapes {
		f.Add(name[:min(len(name), 300)])
	}
	f.Add("a/b.md")
	f.Fuzz(func(t *testing.T, name string) {
		if checkPath(name) != nil {
			return
		}
		clean := filepath.Clean(name)
		if clean != name || filepath.IsAbs(name) || !filepath.IsLocal(name) || !strings.HasSuffix(name, ".md") || hidden(name) ||
			strings.ContainsAny(name, "\\\x00\n") {
			t.Errorf("%q is accepted", name)
		}
	})
}
