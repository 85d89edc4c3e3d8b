package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/db/sqlite"
)

func TestLifecycle(t *testing.T) {
	f := newFolder(t)
	f.put("bread.md", "# Bread\n\nsourdough\n")
	if st := f.Status(); st.State != StateNone || st.Documents != 0 {
		t.Fatalf("new: %+v", st)
	}
	if _, err := f.Search(t.Context(), Query{Text: "sourdough"}); !errors.Is(err, ErrNotReady) {
		t.Fatalf("before it is built: %v", err)
	}
	if _, err := f.List(t.Context(), "", Hidden{}, 5); !errors.Is(err, ErrNotReady) {
		t.Fatalf("before it is built: %v", err)
	}
	f.refresh()
	st := f.Status()
	if st.State != StateReady || st.Documents != 1 || st.Sections != 1 || st.Done != 1 || st.Total != 1 || st.Checked.IsZero() ||
		st.Err != "" {
		t.Fatalf("built: %+v", st)
	}
	f.reopen()
	if st := f.Status(); st.State != StateLoading || st.Documents != 1 {
		t.Fatalf("restarted: %+v", st)
	}
	if got := f.paths("sourdough"); got != "bread.md" {
		t.Fatalf("while loading: %q", got)
	}
	f.refresh()
	if st := f.Status(); st.State != StateReady {
		t.Fatalf("checked: %+v", st)
	}
}

func TestBuildingIsNotReadyAndResumes(t *testing.T) {
	f := newFolder(t)
	for _, n := range []string{"a.md", "b.md"} {
		f.put(n, "sourdough")
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := f.refreshWhen(ctx, func() {
		if st := f.Status(); st.State != StateBuilding {
			t.Errorf("while it is built: %+v", st)
		}
		if _, err := f.Search(t.Context(), Query{Text: "sourdough"}); !errors.Is(err, ErrNotReady) {
			t.Errorf("while it is built: %v", err)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.reopen()
	if st := f.Status(); st.State != StateNone {
		t.Fatalf("half an index counts as complete: %+v", st)
	}
	f.refresh()
	if got := f.paths("sourdough"); got != "a.md b.md" {
		t.Fatal(got)
	}
}

// refreshWhen runs then as the first folder is entered.
func (f *folder) refreshWhen(ctx context.Context, then func()) error {
	return f.Vault.refresh(ctx, func(Source, string) {
		if then != nil {
			then()
		}
		then = nil
	})
}

func TestUnchangedFilesAreNotRead(t *testing.T) {
	f := newFolder(t)
	f.put("a.md", "sourdough")
	f.put("b.md", "rye")
	f.refresh()
	// A file with the same size and time is not read.
	info, err := os.Stat(filepath.Join(f.dir, "a.md"))
	must(t, err)
	f.put("a.md", "baguettes")
	f.put("b.md", "spelt")
	must(t, os.Chtimes(filepath.Join(f.dir, "a.md"), info.ModTime(), info.ModTime()))
	f.reopen()
	f.refresh()
	if got := f.paths("sourdough") + "|" + f.paths("baguettes") + "|" + f.paths("spelt") + "|" + f.paths("rye"); got != "a.md||b.md|" {
		t.Errorf("found %q", got)
	}
	// Of a file with another time and the same text, only the time is stored.
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(f.dir, "b.md"), later, later))
	f.refresh()
	list, err := f.List(t.Context(), "", Hidden{}, 1)
	if err != nil || len(list) != 1 || list[0].Path != "b.md" || !list[0].Modified.Equal(later.Truncate(0)) {
		t.Errorf("%+v %v", list, err)
	}
}

func TestDamagedIndexIsRebuilt(t *testing.T) {
	damage := map[string]func(t *testing.T, file string){
		"empty":   func(t *testing.T, file string) { truncate(t, file, 0) },
		"cut":     func(t *testing.T, file string) { truncate(t, file, 20_000) },
		"a page":  func(t *testing.T, file string) { truncate(t, file, 700) },
		"garbage": func(t *testing.T, file string) { putFile(t, file, strings.Repeat("garbage!", 10_000)) },
		"deleted": func(t *testing.T, file string) {
			must(t, cache(file, nil).Remove())
		},
		"middle": func(t *testing.T, file string) {
			h, err := os.OpenFile(file, os.O_RDWR, 0)
			must(t, err)
			defer func() { _ = h.Close() }()
			st, _ := h.Stat()
			if _, err := h.WriteAt([]byte(strings.Repeat("x", int(st.Size())-4096)), 4096); err != nil {
				t.Fatal(err)
			}
		},
		"other version": func(t *testing.T, file string) {
			ix, _, _, err := openIndex(t.Context(), file)
			must(t, err)
			must(t, ix.write(t.Context(), func(p *put) { p.exec("PRAGMA user_version = 99") }))
			_ = ix.db.Close()
		},
	}
	for name, hurt := range damage {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			f.put("bread.md", "# Bread\n\nsourdough\n")
			for i := range 30 {
				f.put(strings.Repeat("n", i+1)+".md", strings.Repeat("filler text ", 200))
			}
			f.refresh()
			must(t, f.Close())
			hurt(t, f.opts.Index)
			f.open()
			if st := f.Status().State; st != StateNone && st != StateBroken && name != "middle" {
				t.Errorf("after the damage: %s", st)
			}
			f.refresh()
			f.finds("sourdough", "bread.md")
			if st := f.Status(); st.State != StateReady || st.Documents != 31 || st.Err != "" {
				t.Errorf("%+v", st)
			}
		})
	}
}

// A damaged page is noticed when it is needed: by Open, a check, a search, or the inspection
// after the first check.
func TestDamagedPageIsNoticed(t *testing.T) {
	for _, table := range []string{"meta", "docs", "sections", "tags", "words", "notes_fts_data", "notes_fts_docsize"} {
		t.Run(table, func(t *testing.T) {
			f := newFolder(t)
			for i := range 100 {
				f.put(fmt.Sprintf("n%d.md", i), "#tag\n"+strings.Repeat(fmt.Sprintf("filler%d text ", i), 100))
			}
			f.put("bread.md", "# Bread\n\nsourdough\n")
			f.refresh()
			var root, size int64
			if err := f.ix.db.QueryRow("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?",
				table).Scan(&root, &size); err != nil {
				t.Fatal(err)
			}
			must(t, f.Close())
			h, err := os.OpenFile(f.opts.Index, os.O_RDWR, 0)
			must(t, err)
			_, err = h.WriteAt([]byte(strings.Repeat("x", int(size))), (root-1)*size)
			must(t, errors.Join(err, h.Close()))
			if table == "words" { // nothing changes, and nobody searches
				f.open()
				before := f.index()
				f.running()
				f.eventually("repaired", func() bool { return f.index() != before && f.Status().State == StateReady })
			} else {
				f.put("bread.md", "# Bread\n\nsourdough again #rye\n")
				f.open()
				f.refresh()
			}
			f.finds("sourdough", "bread.md")
			if st := f.Status(); st.State != StateReady || st.Documents != 101 {
				t.Errorf("%+v", st)
			}
		})
	}
}

func truncate(t *testing.T, file string, size int64) {
	t.Helper()
	must(t, os.Truncate(file, size))
}

func TestDamageWhileRunning(t *testing.T) {
	f := newFolder(t)
	f.put("bread.md", "# Bread\n\nsourdough\n")
	f.running()
	before := f.index()
	db := sqlite.Raw(f.opts.Index, "")
	// which others read anew
	_, err := db.Exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 9999 WHERE name = 'sections'; " +
		"PRAGMA schema_version = 1000")
	must(t, errors.Join(err, db.Close()))
	f.eventually("repaired", func() bool {
		hits, err := f.Search(t.Context(), Query{Text: "sourdough"})
		return err == nil && len(hits) == 1 && f.index() != before
	})
}

// index returns the index in use.
func (f *folder) index() *index {
	f.life.RLock()
	defer f.life.RUnlock()
	return f.ix
}

func TestFollowing(t *testing.T) {
	f := newFolder(t)
	f.put("old.md", "sourdough")
	stop := f.running()
	f.finds("sourdough", "old.md")

	f.put("new.md", "baguette")
	f.finds("baguette", "new.md")
	f.put("new.md", "ciabatta")
	f.finds("ciabatta", "new.md")
	f.finds("baguette", "")

	info, err := os.Stat(filepath.Join(f.dir, "new.md"))
	must(t, err)
	f.put("new.md", "pretzels") // as long, and made to look as old
	putTime(t, filepath.Join(f.dir, "new.md"), info.ModTime())
	f.finds("pretzels", "new.md")

	f.put("deep/er/est.md", "focaccia") // folders that were not there
	f.finds("focaccia", "deep/er/est.md")
	f.put("deep/er/other.md", "brioche")
	f.finds("brioche", "deep/er/other.md")

	rename(t, f.dir, "deep", "moved")
	f.finds("focaccia", "moved/er/est.md")
	f.put("moved/er/est.md", "naan") // the folder is followed under its new name
	f.finds("naan", "moved/er/est.md")

	rename(t, f.dir, "old.md", "renamed.md")
	f.finds("sourdough", "renamed.md")

	must(t, os.RemoveAll(filepath.Join(f.dir, "moved")))
	f.finds("naan", "")
	f.eventually("counted", func() bool { return f.Status().Documents == 2 })

	putFile(t, filepath.Join(f.code, "main.go"), "package main\n\nfunc bake() {}\n")
	f.eventually("code", func() bool {
		hits, err := f.Definition(t.Context(), "bake")
		return err == nil && len(hits) == 1 && hits[0].Line == 3
	})
	stop()
	f.put("late.md", "pita")
	if got := f.paths("pita"); got != "" {
		t.Error("followed after the end")
	}
	f.reopen()
	f.running()
	f.finds("pita", "late.md")
}

func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	must(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
}

func TestManyChangesAtOnce(t *testing.T) {
	f := newFolder(t)
	f.running()
	for i := range 3 * maxPlaces / 2 {
		f.put("n"+strings.Repeat("x", i%150)+string(rune('a'+i/150))+".md", "sourdough")
	}
	f.eventually("all are there", func() bool { return f.Status().Documents == 3*maxPlaces/2 })
}

func TestUnpluggedFolderKeepsItsIndex(t *testing.T) {
	f := newFolder(t)
	f.put("bread.md", "sourdough")
	f.running()
	rename(t, filepath.Dir(f.dir), "notes", "unplugged")
	f.eventually("said", func() bool { st := f.Status().Sources[0]; return st.Away && st.Err != "" })
	if got := f.paths("sourdough"); got != "bread.md" {
		t.Errorf("while it is away: %q", got)
	}
	if _, err := f.Read(t.Context(), Part{Path: "bread.md"}); err == nil {
		t.Error("read from nowhere")
	}
	putFile(t, filepath.Join(filepath.Dir(f.dir), "unplugged", "rye.md"), "rye")
	rename(t, filepath.Dir(f.dir), "unplugged", "notes")
	f.finds("rye", "rye.md")
	f.eventually("well", func() bool { st := f.Status().Sources[0]; return !st.Away && st.Err == "" && st.Documents == 2 })
	f.put("spelt.md", "spelt") // it is followed again
	f.finds("spelt", "spelt.md")
}

func TestUnreadableFolderKeepsItsEntries(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	f := newFolder(t)
	f.put("shut/bread.md", "sourdough")
	f.refresh()
	must(t, os.Chmod(filepath.Join(f.dir, "shut"), 0))
	f.refresh()
	if st := f.Status().Sources[0]; st.Err == "" || st.Away || f.paths("sourdough") != "shut/bread.md" {
		t.Errorf("%+v", st)
	}
	must(t, os.Chmod(filepath.Join(f.dir, "shut"), 0o700))
	f.refresh()
	if st := f.Status().Sources[0]; st.Err != "" {
		t.Errorf("%+v", st)
	}
}

func TestRemovedSource(t *testing.T) {
	f := newFolder(t)
	f.put("bread.md", "sourdough")
	putFile(t, filepath.Join(f.code, "a.go"), "package a\nfunc Bake() {}\n")
	f.refresh()
	f.opts.Sources = f.opts.Sources[:1]
	f.reopen()
	f.refresh()
	if st := f.Status(); st.Documents != 1 || st.Sections != 1 {
		t.Errorf("%+v", st)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "v.db")
	for name, o := range map[string]Options{
		"no name":      {Index: index, Sources: []Source{{"", dir, KindNotes}}},
		"twice":        {Index: index, Sources: []Source{{"a", dir, KindNotes}, {"a", dir, KindCode}}},
		"kind":         {Index: index, Sources: []Source{{"a", dir, "music"}}},
		"outside":      {Index: index, WriteDir: "../x"},
		"hidden":       {Index: index, WriteDir: "a/.obsidian"},
		"everything":   {Index: index, WriteDir: "."},
		"no such disk": {Index: filepath.Join(index, "file", "v.db"), Sources: nil},
	} {
		if name == "no such disk" {
			putFile(t, index, "")
		}
		if v, err := Open(t.Context(), o); err == nil {
			_ = v.Close()
			t.Errorf("%s: opened", name)
		}
	}
}
