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
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		f.t.Fatal(err)
	}
	f.Vault = v
}

// reopen is a restart.
func (f *folder) reopen() {
	f.t.Helper()
	if err := f.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.open()
}

func (f *folder) refresh() {
	f.t.Helper()
	if err := f.Refresh(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

// put writes a file as somebody's editor does.
func (f *folder) put(name, text string) {
	f.t.Helper()
	putFile(f.t, filepath.Join(f.dir, name), text)
}

func putFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// paths returns those of the hits, in order.
func (f *folder) paths(text string) string {
	f.t.Helper()
	return f.ask(Query{Text: text})
}

func (f *folder) ask(q Query) string {
	f.t.Helper()
	hits, err := f.Search(f.t.Context(), q)
	if err != nil {
		f.t.Fatalf("%.80q: %v", q.Text, err)
	}
	var all []string
	for _, h := range hits {
		all = append(all, h.Path)
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
		hits, err := f.Search(f.t.Context(), Query{Text: text})
		var all []string
		for _, h := range hits {
			all = append(all, h.Path)
		}
		return err == nil && strings.Join(all, " ") == want
	})
}
