package index

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The text around an addition stays the same, byte for byte.
func TestWritingKeepsBytes(t *testing.T) {
	app := Note{Mode: ModeAppend, Content: "one\r\ntwo\n"}
	sec := Note{Mode: ModeReplaceSection, Heading: "B", Content: "one\ntwo"}
	for _, tt := range []struct {
		name   string
		before string
		n      Note
		want   string // "" if it is refused
	}{
		{"plain", "# A\n\nx\n", app, "# A\n\nx\n\none\ntwo\n"},
		{"no last line end", "# A\n\nx", app, "# A\n\nx\n\none\ntwo"},
		{"CRLF", "# A\r\n\r\nx\r\n", app, "# A\r\n\r\nx\r\n\r\none\r\ntwo\r\n"},
		{"CRLF, no last line end", "# A\r\nx", app, "# A\r\nx\r\n\r\none\r\ntwo"},
		{"mark of UTF-8", "\uFEFF# A\r\nx\r\n", app, "\uFEFF# A\r\nx\r\n\r\none\r\ntwo\r\n"},
		{"mixed ends", "a\r\nb\nc\n", app, "a\r\nb\nc\n\none\ntwo\n"},
		{"trailing spaces and lines", "a  \nb\t\n\n\n\n", app, "a  \nb\t\n\n\n\none\ntwo\n"},
		{"odd characters", "a\u202Eb\u200B\x0Bc\x7F\n", app, "a\u202Eb\u200B\x0Bc\x7F\n\none\ntwo\n"},
		{"empty", "", app, "one\ntwo\n"},
		{"only the mark", "\uFEFF", app, "\uFEFFone\ntwo\n"},
		{"Latin-1", "Gr\xfc\xdfe aus Z\xfcrich\n", app, ""},
		{"Latin-1 section", "# B\n\nZ\xfcrich\n", sec, ""},
		{"UTF-16", "\xff\xfea\x00\n\x00", app, ""},
		{"UTF-16 without zeros", "\xff\xfe\x3d\xd8\x00\x4e", app, ""},
		{"cut inside a letter", "Z\xc3", app, ""},
		{"section", "# A\n\nx  \n\n## B\nold\n\n## C\ny\n\n\n", sec, "# A\n\nx  \n\n## B\n\none\ntwo\n\n## C\ny\n\n\n"},
		{"section with CRLF and mark", "\uFEFF---\r\ntitle: T\r\n---\r\n# B\r\nold\r\n\r\n# C\r\ny", sec,
			"\uFEFF---\r\ntitle: T\r\n---\r\n# B\r\n\r\none\r\ntwo\r\n\r\n# C\r\ny"},
		{"last section without end", "# A\nx\n# B\nold", sec, "# A\nx\n# B\n\none\ntwo"},
		{"last section with end", "# A\nx\n# B\nold\n\n", sec, "# A\nx\n# B\n\none\ntwo\n"},
		{"heading at the very end", "# A\nx\n# B", sec, "# A\nx\n# B\n\none\ntwo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFolder(t)
			f.put("agent-notes/a.md", tt.before)
			f.refresh()
			tt.n.Path = "a.md"
			_, err := f.Write(t.Context(), tt.n)
			want := tt.want
			if want == "" {
				if want = tt.before; !errors.Is(err, ErrContent) {
					t.Errorf("not refused: %v", err)
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if got := f.file("agent-notes/a.md"); got != want {
				t.Errorf("%q\nwant %q", got, want)
			}
			kept, err := filepath.Glob(filepath.Join(f.dir, "agent-notes", ".versions", "a.md.*.bak"))
			if err != nil || (len(kept) == 1) != (tt.want != "") {
				t.Fatal(kept, err)
			}
			if len(kept) == 1 {
				if b, err := os.ReadFile(kept[0]); err != nil || string(b) != tt.before {
					t.Errorf("kept %q, %v", b, err)
				}
			}
		})
	}
}

func FuzzWriting(f *testing.F) {
	f.Add("# A\r\n\r\nx", "one", "A")
	f.Add("\uFEFF---\nt: x\n---\n# A", "\n\none\r\n", "A")
	f.Add("Z\xfc", "x", "")
	f.Fuzz(func(t *testing.T, before, content, heading string) {
		w, err := asWritten([]byte(before))
		if err != nil || checkContent(Note{Mode: ModeAppend, Content: content}) != nil {
			return
		}
		if got := w.appended(content); !strings.HasPrefix(got, before) {
			t.Errorf("%q became %q", before, got)
		}
		got, err := w.replaced(Note{Mode: ModeReplaceSection, Heading: heading, Content: content})
		if err != nil {
			return
		}
		kept := 0 // lines that are still there, from the beginning and the end
		was, is := strings.SplitAfter(before, "\n"), strings.SplitAfter(got, "\n")
		for kept < min(len(was), len(is)) && was[kept] == is[kept] {
			kept++
		}
		if kept == 0 && len(was) > 1 {
			t.Errorf("%q became %q: not even the first line is as it was", before, got)
		}
	})
}

// A file with a second name may belong to another folder: it is not indexed, read or written
// to, unless the owner allows it.
func TestHardLinks(t *testing.T) {
	f := newFolder(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	putFile(t, outside, "# Secret\n\nsourdough")
	f.put("agent-notes/mine.md", "focaccia")
	for _, name := range []string{"linked.md", "agent-notes/linked.md"} {
		must(t, os.Link(outside, filepath.Join(f.dir, name)))
	}
	f.refresh()
	if got := f.paths("sourdough"); got != "" {
		t.Errorf("indexed: %s", got)
	}
	if d, err := f.Read(t.Context(), Part{Path: "linked.md"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("read: %+v, %v", d, err)
	}
	add := Note{Path: "linked.md", Mode: ModeAppend, Content: "changed"}
	if _, err := f.Write(t.Context(), add); !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), "hard link") {
		t.Errorf("written to: %v", err)
	}
	if _, err := f.Move(t.Context(), "linked.md", "moved.md", Who{}); !errors.Is(err, ErrContent) {
		t.Errorf("moved: %v", err)
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != "# Secret\n\nsourdough" {
		t.Errorf("outside: %q, %v", got, err)
	}
	if st := f.Status().Sources[0]; st.Linked != 2 || st.Skipped != 2 || st.Documents != 1 {
		t.Errorf("%+v", st)
	}
	// An indexed file that gets a second name leaves the index until it has one name again.
	second := filepath.Join(t.TempDir(), "second.md")
	must(t, os.Link(filepath.Join(f.dir, "agent-notes/mine.md"), second))
	if _, err := f.Read(t.Context(), Part{Path: "agent-notes/mine.md"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("read after it was linked: %v", err)
	}
	f.refresh()
	if got := f.paths("focaccia"); got != "" {
		t.Errorf("found after it was linked: %s", got)
	}
	must(t, os.Remove(second))
	f.refresh()
	if got := f.paths("focaccia"); got != "agent-notes/mine.md" {
		t.Errorf("not found with one name: %q", got)
	}
	f.opts.HardLinks = true
	f.reopen()
	f.refresh()
	if got := strings.Fields(f.paths("sourdough")); len(got) != 2 {
		t.Errorf("followed: %v", got)
	}
	f.write(add)
	if got, err := os.ReadFile(outside); err != nil || string(got) != "# Secret\n\nsourdough" {
		t.Errorf("a new version is a file of its own: %q, %v", got, err)
	}
}
