package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/notes/edit"
	"parley/internal/text/waittest"
)

// indexed lists the files that a full check indexed.
func (f *folder) indexed() string {
	f.t.Helper()
	f.refresh()
	var all []Entry
	must(f.t, f.using(func(ix *index) (err error) {
		all, err = ix.entries(f.t.Context(), "1", "source, path")
		return err
	}))
	return pathsOf(all)
}

func TestOnlyPlainVisibleFilesAreRead(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"a.md", "sub/b.MARKDOWN", ".hidden.md", ".obsidian/x.md", ".git/y.md", "sub/.trash/z.md",
		".env", "bot.db", "photo.png", "notes.txt"} {
		f.put(name, "secret words")
	}
	for _, name := range []string{"m.go", "vendor/v.go", "web/node_modules/n.js", "bot.yaml", ".env", "k.pem", "R.md"} {
		putFile(t, filepath.Join(f.code, name), "secret words")
	}
	if got := f.indexed(); got != "R.md m.go a.md sub/b.MARKDOWN" {
		t.Error(got)
	}
}

func TestLinksPipesAndSocketsAreNotRead(t *testing.T) {
	f := newFolder(t)
	outside := t.TempDir()
	putFile(t, filepath.Join(outside, "secret.md"), "secret words")
	f.put("real/a.md", "plain words")
	for name, to := range map[string]string{
		"out.md": filepath.Join(outside, "secret.md"), "outdir": outside, "passwd.md": "/etc/passwd", "environ.md": "/proc/self/environ",
		"up.md": "../../secret.md", "inside.md": "real/a.md", "loop": ".", "real/loop": "..", "a.md": "b.md", "b.md": "a.md",
	} {
		must(t, os.Symlink(to, filepath.Join(f.dir, name)))
	}
	must(t, syscall.Mkfifo(filepath.Join(f.dir, "pipe.md"), 0o600))
	must(t, os.Mkdir(filepath.Join(f.dir, "folder.md"), 0o700))
	if got := f.indexed(); got != "real/a.md" {
		t.Error(got)
	}
	root, err := os.OpenRoot(f.dir)
	must(t, err)
	defer func() { _ = root.Close() }()
	for _, name := range []string{"out.md", "outdir/secret.md", "passwd.md", "environ.md", "up.md", "inside.md", "a.md",
		"pipe.md", "folder.md", "../notes/real/a.md"} {
		if c, err := read(root, name, KindNotes, false); err == nil {
			t.Errorf("%s was read: %q", name, c.text)
		}
		if _, err := f.Read(t.Context(), Part{Path: name}); !errors.Is(err, ErrNotFound) {
			t.Errorf("Read %s: %v", name, err)
		}
	}
	if _, err := edit.List(root, "pipe.md"); err == nil {
		t.Error("a pipe was listed")
	}
}

// While a file is read, it is replaced by a link again and again. The reader never gets the
// target of the link.
func TestSwappedLink(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.md")
	putFile(t, outside, "secret")
	t.Run("out of the folder", func(t *testing.T) { swapped(t, outside) })
	t.Run("to a hidden file", func(t *testing.T) { swapped(t, ".hidden.md") })
}

func swapped(t *testing.T, secret string) {
	f := newFolder(t)
	f.put("a.md", "plain")
	f.put(".hidden.md", "secret")
	target, plain, evil := filepath.Join(f.dir, "a.md"), filepath.Join(f.dir, "plain"), filepath.Join(f.dir, "evil")
	putFile(t, plain, "plain")
	must(t, os.Symlink(secret, evil))
	root, err := os.OpenRoot(f.dir)
	must(t, err)
	defer func() { _ = root.Close() }()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			temp := filepath.Join(f.dir, "temp")
			from := [2]string{plain, evil}[i%2]
			_ = os.Remove(temp)
			_ = os.Link(from, temp)
			_ = os.Rename(temp, target)
		}
	}()
	refused := 0
	for range 20_000 {
		c, err := read(root, "a.md", KindNotes, true)
		if strings.Contains(c.text, "secret") {
			t.Error("read through the link")
			break
		}
		if err != nil {
			refused++
		}
	}
	close(stop)
	<-done
	if refused == 0 {
		t.Error("no read met the link, so the test proves nothing")
	}
}

// A folder becomes a link after it was read: its target is not read.
func TestFolderBecomesLink(t *testing.T) {
	f := newFolder(t)
	f.put("sub/a.md", "plain")
	f.put(".hidden/a.md", "secret")
	f.running()
	f.finds("plain", "sub/a.md")
	rename(t, f.dir, "sub", ".gone")
	must(t, os.Symlink(".hidden", filepath.Join(f.dir, "sub")))
	if d, err := f.Read(t.Context(), Part{Path: "sub/a.md"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("%+v %v", d, err)
	}
	f.finds("plain", "")
	if got := f.paths("secret"); got != "" {
		t.Error(got)
	}
}

func TestSizesAndBinaries(t *testing.T) {
	f := newFolder(t)
	f.put("huge.md", strings.Repeat("sourdough ", maxNote/10+1))
	f.put("binary.md", "sourdough\x00\x01")
	f.put("large.md", strings.Repeat("ciabatta ", maxNote/9))
	f.put("ok.md", "sourdough")
	putFile(t, filepath.Join(f.code, "huge.go"), "package a\n"+strings.Repeat("// sourdough\n", maxCode/13+1))
	f.refresh()
	if got := f.paths("sourdough"); got != "ok.md" {
		t.Error(got)
	}
	st := f.Status()
	if st.Documents != 2 || st.Sources[0].Skipped != 2 || st.Sources[1].Skipped != 1 {
		t.Errorf("%+v", st)
	}
	if _, err := f.Read(t.Context(), Part{Path: "huge.md"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a skipped file was read: %v", err)
	}
	f.put("huge.md", "focaccia")
	f.refresh()
	if got := f.paths("focaccia"); got != "huge.md" {
		t.Error(got)
	}
}

func TestBrokenTextIsRepaired(t *testing.T) {
	f := newFolder(t)
	f.put("a.md", "\uFEFF# Ti\xfftle\r\n\r\nsour\u202Edough \xed\xa0\xbd "+strings.Repeat("👨‍👩‍👧‍👦", 4096)+" zwsp\u200bword\r\n")
	f.refresh()
	hits, err := f.Search(t.Context(), Query{Text: "title zwsp"})
	must(t, err)
	if len(hits) == 0 || hits[0].Title != "Ti\uFFFDtle" {
		t.Errorf("%+v", hits)
	}
}

func TestExcluded(t *testing.T) {
	f := newFolder(t)
	f.put("data/private.md", "secret")
	f.put("data/vault/mine.md", "open")
	f.put("a.md", "open")
	f.opts.Exclude = []string{filepath.Join(f.dir, "data"), filepath.Join(f.dir, "gone")}
	f.opts.Sources = append(f.opts.Sources, Source{"inner", filepath.Join(f.dir, "data", "vault"), KindNotes})
	f.reopen()
	if got := f.indexed(); got != "mine.md a.md" {
		t.Error(got)
	}
	if _, err := f.Read(t.Context(), Part{Path: "data/private.md"}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	// Nor does following the folder read it, except through the source inside.
	f.running()
	f.put("data/vault/new.md", "heard")
	f.put("data/new.md", "heard")
	f.finds("heard", "new.md")
	if hits, err := f.Search(t.Context(), Query{Text: "heard"}); err != nil || hits[0].Source != "inner" {
		t.Error(hits, err)
	}
}

func TestExcludedSource(t *testing.T) {
	f := newFolder(t)
	f.put("data/private.md", "secret")
	f.opts.Exclude = []string{filepath.Join(f.dir, "data")}
	f.opts.Sources = []Source{{"data", filepath.Join(f.dir, "data"), KindNotes}}
	f.reopen()
	if got := f.indexed(); got != "" {
		t.Error(got)
	}
}

func TestDeepFoldersEnd(t *testing.T) {
	f := newFolder(t)
	f.put(strings.Repeat("d/", maxDepth-1)+"in.md", "x")
	f.put(strings.Repeat("d/", maxDepth+5)+"out.md", "x")
	if got := f.indexed(); got != strings.Repeat("d/", maxDepth-1)+"in.md" {
		t.Error(got)
	}
}

func TestLinksInACircle(t *testing.T) {
	f := newFolder(t)
	for i := range 5 {
		f.put(fmt.Sprintf("n%d.md", i), fmt.Sprintf("sourdough [[n%d]] [[n%d]]", (i+1)%5, i))
	}
	f.refresh()
	begin := waittest.CPU()
	if got := f.paths("sourdough"); len(strings.Fields(got)) != 5 || waittest.CPU()-begin > 5*time.Second {
		t.Error(got)
	}
}
