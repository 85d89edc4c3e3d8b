package index

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/notes/edit"
)

// macOS and synced folders spell accents apart; people type them composed.
const (
	apart    = "Gro\u0308ße.md"
	composed = "Größe.md"
)

func TestNamesInOtherForms(t *testing.T) {
	f := newFolder(t)
	f.put(apart, "# Maße\nDie Tu\u0308r ist 90 cm breit.\n")
	f.put("Ordner/ｇｕｉｄｅ.md", "Zur [[GRÖSSE]] und zur [[größe]], dann [Maß](../Größe.md).\n")
	f.refresh()

	for _, name := range []string{composed, apart, "größe.md", "GRÖßE.MD"} {
		d, err := f.Read(t.Context(), Part{Path: name})
		if err != nil || d.Path != apart || !strings.Contains(d.Text, "Tür") {
			t.Errorf("reading %q: %q, %v", name, d.Path, err)
		}
	}
	for _, name := range []string{"größe", "Größe.md", "ordner/Guide", "GUIDE"} {
		if found, err := f.Find(t.Context(), name, Hidden{}); err != nil || len(found) != 1 {
			t.Errorf("%q means %v, %v", name, found, err)
		}
	}
	if got := f.paths("Tür"); got != apart {
		t.Errorf("found %q", got)
	}
	e, err := f.entry(t.Context(), "", composed)
	must(t, err)
	r, err := f.Related(t.Context(), e, Hidden{})
	if must(t, err); len(r.Linking) != 1 {
		t.Errorf("linking %v", r.Linking)
	}
}

// A move whose process dies, of a note whose name a file system spells apart.
func TestMovesInOtherForms(t *testing.T) {
	f := newFolder(t)
	f.put("agent-notes/"+apart, "# Maße\nBreit.\n")
	f.put("index.md", "[[Größe]] und [breit](agent-notes/Größe.md)\n")
	f.refresh()
	if _, err := f.Write(t.Context(), Note{Path: composed, Mode: ModeCreate, Content: "noch eine"}); !errors.Is(err, edit.ErrExists) {
		t.Errorf("a second note of the same name: %v", err)
	}
	found, err := f.Find(t.Context(), "größe", Hidden{})
	if must(t, err); len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	m, err := f.Move(t.Context(), found[0].Path, "agent-notes/Weite.md", Who{})
	if must(t, err); m.Links != 2 {
		t.Errorf("moved %+v", m)
	}
	f.reopen()
	f.refresh()
	d, err := f.Read(t.Context(), Part{Path: "index.md"})
	if must(t, err); d.Text != "[[Weite]] und [breit](agent-notes/Weite.md)\n" {
		t.Errorf("it links %q", d.Text)
	}
	_, err = f.Undo(t.Context(), func(edit.Change) bool { return true })
	must(t, err)
	if _, err := os.Lstat(filepath.Join(f.dir, "agent-notes", apart)); err != nil {
		t.Errorf("the file lost its form: %v", err)
	}
}

func TestFoldersInOtherForms(t *testing.T) {
	f := newFolder(t)
	f.put("agent-notes/Pla\u0308ne/a.md", "alt\n")
	f.refresh()
	w, err := f.Write(t.Context(), Note{Path: "Pläne/b.md", Mode: ModeCreate, Content: "neu"})
	if must(t, err); w.Path != "agent-notes/Pla\u0308ne/b.md" {
		t.Errorf("written to %q", w.Path)
	}
	all, err := os.ReadDir(filepath.Join(f.dir, "agent-notes"))
	must(t, err)
	if dirs := slices.DeleteFunc(all, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }); len(dirs) != 1 {
		t.Errorf("folders %v", dirs)
	}
}

func TestPagesOfOtherPrograms(t *testing.T) {
	f := newFolder(t)
	f.put("page.md", "title:: The long way\nalias:: [[Short cut]], detour\ntags:: walks, [[dogs]]\npace:: slow\n\n- through the forest\n")
	f.put("Tasks.base", "filters:\n  and:\n    - file.hasTag(\"chores\")\nviews:\n  - type: table\n    name: Gutters\n")
	utf16 := []byte{0xFF, 0xFE}
	for _, r := range "# Herbst\nKürbis ernten\n" {
		utf16 = append(utf16, byte(r), byte(r>>8))
	}
	f.put("windows.md", string(utf16))
	f.refresh()
	for _, c := range []struct{ ask, want string }{
		{"short cut", "page.md"}, {"forest", "page.md"}, {"gutters", "Tasks.base"}, {"kürbis", "windows.md"}, {"herbst", "windows.md"},
	} {
		if got := f.paths(c.ask); got != c.want {
			t.Errorf("%q finds %q", c.ask, got)
		}
	}
	found, err := f.Find(t.Context(), "detour", Hidden{})
	if must(t, err); len(found) != 1 || found[0].Title != "The long way" || !slices.Equal(found[0].Tags, []string{"dogs", "walks"}) {
		t.Errorf("found %+v", found)
	}
	d, err := f.Read(t.Context(), Part{Path: "tasks.base"})
	if must(t, err); len(d.Headings) != 0 || !strings.Contains(d.Text, "Gutters") {
		t.Errorf("read %+v", d)
	}
}

// Where a note refers to a block of Logseq's, what is found has the block's words, unless the
// reader may not know of it; the two notes are related.
func TestReferencesToBlocks(t *testing.T) {
	const id, dictated = "60a77d63-7340-4c1d-8bbc-68bd4e49fc6c", "61110543-a71f-458d-b42e-b78a4d22f0c0"
	const gone = "5fc3be83-7f22-4488-b3ec-cfabb0639b3b"
	f := newFolder(t)
	f.put("pages/bread.md", "- Rye needs **more water**\n  id:: "+id+"\n\t- at least 80 %\n")
	f.put("agent-notes/diary.md", "- the oven is broken\n  id:: "+dictated+"\n")
	f.put("journals/2026_05_01.md", "- Read again: (("+id+")), (("+dictated+")) and (("+gone+"))\n")
	f.refresh()
	said := func(h Hidden, from ...string) string {
		t.Helper()
		hits, err := f.Search(t.Context(), Query{Text: "read again", Folder: "journals", Hidden: h})
		if must(t, err); len(hits) != 1 {
			t.Fatalf("found %+v", hits)
		}
		if !slices.Equal(hits[0].Quoted, from) {
			t.Errorf("quoted %q", hits[0].Quoted)
		}
		return hits[0].Text
	}
	if got := said(Hidden{}, "agent-notes/diary.md", "pages/bread.md"); got !=
		"- Read again: Rye needs **more water**, the oven is broken and (("+gone+"))" {
		t.Errorf("found %q", got)
	}
	hidden := Hidden{Paths: []string{"pages/bread.md"}}
	if got := said(hidden, "agent-notes/diary.md"); strings.Contains(got, "water") {
		t.Errorf("hidden, yet found %q", got)
	}
	related := func(path string, h Hidden) string {
		t.Helper()
		r, err := f.Related(t.Context(), Entry{Source: "notes", Path: path}, h)
		must(t, err)
		return pathsOf(r.Linking) + ">" + pathsOf(r.Linked)
	}
	if got := related("pages/bread.md", Hidden{}); got != "journals/2026_05_01.md>" {
		t.Errorf("related to the block: %s", got)
	}
	if got := related("journals/2026_05_01.md", Hidden{}); got != ">pages/bread.md agent-notes/diary.md" {
		t.Errorf("related to the reference: %s", got)
	}
	if got := related("journals/2026_05_01.md", hidden); got != ">agent-notes/diary.md" {
		t.Errorf("hidden, yet related: %s", got)
	}
	f.put("pages/bread.md", "- Wheat needs less\n  id:: "+id+"\n")
	f.reopen()
	f.refresh()
	if got := said(Hidden{}, "agent-notes/diary.md", "pages/bread.md"); !strings.Contains(got, "Wheat needs less") {
		t.Errorf("after a change and a restart: %q", got)
	}
}

// A note of many megabytes is found by its last line.
func TestLongNotes(t *testing.T) {
	f := newFolder(t)
	f.put("long.md", strings.Repeat("An ordinary line of an endless log, with a few words in it.\n\n", 200_000)+"# End\nThe zebra is here.\n")
	f.refresh()
	if got := f.paths("zebra"); got != "long.md" {
		t.Errorf("found %q", got)
	}
}

// The index of words has stems, but nobody spelled them: they stand for no mistyped word.
func TestStemsAreNoWords(t *testing.T) {
	f := newFolder(t)
	f.put("a.md", "---\ntags: [Verbindungen]\n---\n# Die Verknüpfungen und der Ordner\nWie die Wohnungen ist das nicht.\n")
	f.refresh()
	must(t, f.asking(func(ix *index) error {
		words, err := column[string](t.Context(), ix, "SELECT word FROM words WHERE kind = 'notes'")
		if !slices.Contains(words, "verknüpfungen") || !slices.Contains(words, "wohnungen") {
			t.Errorf("words %q", words)
		}
		for _, w := range words {
			if strings.HasPrefix(w, "verkn") && w != "verknüpfungen" || strings.HasPrefix(w, "wohn") && w != "wohnungen" ||
				strings.HasPrefix(w, "verbind") && w != "verbindungen" {
				t.Errorf("%q stands nowhere", w)
			}
		}
		return err
	}))
	if got := f.paths("die Verknüpfung"); got == "" {
		t.Error("a stem finds nothing")
	}
}

// Capitals have no ß, and nobody in Switzerland has: whoever writes ss finds it, and the other
// way round; a file, a heading and a compound, too.
func TestSharpS(t *testing.T) {
	f := newFolder(t)
	f.put("Größe.md", "# Maße\nDie Größe der Tür: 203 cm.\n\n## Außen\nDie Hauptstraße ist nah.\n")
	f.put("Masse.md", "# Gewichte\nEin Schloss wiegt vier Kilo.\n")
	f.put("lang.md", "# Lang\n"+strings.Repeat("Ein heißer Gruß. ", 400)+"Zuletzt der Imbiß am Fluß.\n")
	f.refresh()
	for text, want := range map[string]string{
		"GRÖSSE": "Größe.md", "Größe": "Größe.md", "grösse": "Größe.md", "AUSSEN": "Größe.md", "Hauptstrasse": "Größe.md",
		"strasse": "Größe.md", "SCHLOSS": "Masse.md", "Schloß": "Masse.md", "Imbiss": "lang.md",
	} {
		if got, _, _ := strings.Cut(f.paths(text), " "); got != want {
			t.Errorf("%s finds %q", text, got)
		}
	}
	hits, err := f.Search(t.Context(), Query{Text: "IMBISS FLUSS"})
	if must(t, err); len(hits) == 0 || !strings.Contains(hits[0].Snippet, "Imbiß am Fluß") {
		t.Errorf("shown %+v", hits)
	}
	for name, want := range map[string]string{"GRÖSSE": "Größe.md", "grösse.md": "Größe.md", "Größe": "Größe.md", "MASSE": "Masse.md",
		"Maße": "Größe.md"} {
		found, err := f.Find(t.Context(), name, Hidden{})
		if must(t, err); pathsOf(found) != want {
			t.Errorf("%q means %q", name, pathsOf(found))
		}
	}
	if d, err := f.Read(t.Context(), Part{Path: "Größe.md", Heading: "AUSSEN"}); err != nil || !strings.Contains(d.Text, "nah") {
		t.Errorf("read %q, %v", d.Text, err)
	}
	if found, err := f.Titles(t.Context(), "gröss", Hidden{}, 5); err != nil || pathsOf(found) != "Größe.md" {
		t.Errorf("titles %q, %v", pathsOf(found), err)
	}
}

// A note is found by the words of its file's name, whatever its heading says.
func TestFoundByTheNameOfItsFile(t *testing.T) {
	f := newFolder(t)
	f.put("house/boiler-maintenance.md", "# What the plumber said\nOnce a year, in autumn.\n")
	f.put("Дом/Счётчики.md", "# Показания\n12345\n")
	f.put("other.md", "# Something else\nOnce a year, too.\n")
	f.refresh()
	for text, want := range map[string]string{"boiler": "house/boiler-maintenance.md", "boilers": "house/boiler-maintenance.md",
		"maintaining the boiler": "house/boiler-maintenance.md", "счётчик": "Дом/Счётчики.md"} {
		if got := f.paths(text); got != want {
			t.Errorf("%q finds %q", text, got)
		}
	}
}
