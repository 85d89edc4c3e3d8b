package index

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/text/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// folder is a vault on real folders.
type folder struct {
	*Vault
	t    testing.TB
	dir  string // of the source "notes"
	code string // of the source "code"
	opts Options
	read atomic.Int64 // PDFs
}

func newFolder(t testing.TB) *folder {
	t.Helper()
	base := t.TempDir()
	f := &folder{t: t, dir: filepath.Join(base, "notes"), code: filepath.Join(base, "code")}
	for _, d := range []string{f.dir, f.code} {
		must(t, os.MkdirAll(d, 0o700))
	}
	f.opts = Options{
		Index:   filepath.Join(base, "data", "vault.db"),
		Sources: []Source{{"notes", f.dir, KindNotes}, {"code", f.code, KindCode}},
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	f.open()
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func (f *folder) open() {
	f.t.Helper()
	v, err := Open(f.t.Context(), f.opts)
	must(f.t, err)
	f.Vault = v
}

// reopen restarts the vault.
func (f *folder) reopen() {
	f.t.Helper()
	must(f.t, f.Close())
	f.open()
}

func (f *folder) refresh() {
	f.t.Helper()
	must(f.t, f.Refresh(f.t.Context()))
}

// put writes a file as an editor does.
func (f *folder) put(name, text string) {
	f.t.Helper()
	putFile(f.t, filepath.Join(f.dir, name), text)
}

func putFile(t testing.TB, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(t, os.WriteFile(name, []byte(text), 0o600))
}

// paths returns the paths of the hits for a text, in order.
func (f *folder) paths(text string) string {
	f.t.Helper()
	return f.ask(Query{Text: text})
}

// ask returns the paths of the hits for a query, in order.
func (f *folder) ask(q Query) string {
	f.t.Helper()
	got, err := f.hits(q)
	if err != nil {
		f.t.Fatalf("%.80q: %v", q.Text, err)
	}
	return got
}

func (f *folder) hits(q Query) (paths string, err error) {
	hits, err := f.Search(f.t.Context(), q)
	var all []string
	for _, h := range hits {
		all = append(all, h.Path)
	}
	return strings.Join(all, " "), err
}

func pathsOf(list []Entry) string {
	var all []string
	for _, e := range list {
		all = append(all, e.Path)
	}
	return strings.Join(all, " ")
}

// running follows the folders until the test ends.
func (f *folder) running() (stop func()) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			f.t.Errorf("Run: %v", err)
		}
	}
	f.t.Cleanup(stop)
	f.eventually("ready", func() bool { return f.Status().State == StateReady })
	return stop
}

// eventually waits for something that no event announces.
func (f *folder) eventually(what string, ok func() bool) {
	f.t.Helper()
	if !waittest.Within(time.Minute, ok) {
		f.t.Fatalf("never: %s; %+v", what, f.Status())
	}
}

// finds waits until a search finds exactly these paths.
func (f *folder) finds(text, want string) {
	f.t.Helper()
	f.eventually(text+" finds "+want, func() bool {
		got, err := f.hits(Query{Text: text})
		return err == nil && got == want
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
