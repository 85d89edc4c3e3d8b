package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/config"
	"parley/internal/memory"
)

// TestImportIsTold: on a terminal the progress of an import is seen; one that was cut short is
// what doctor tells, until the same file was imported whole.
func TestImportIsTold(t *testing.T) {
	var lines strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&lines, `{"platform":"x","channel":"c","user":"u","text":"%s","at":%d,"id":%d}`+"\n", strings.Repeat("many ", 600), 1_700_000_000+i, i)
	}
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(t.TempDir(), "old.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := memory.Open(t.Context(), dir, memory.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	later := time.Now()
	doctored := func() string {
		var out strings.Builder
		d := &doctor{s: &Streams{Out: &out}, p: Speaks(), now: func() time.Time { return later }}
		d.imports(t.Context(), store)
		return out.String()
	}
	ctx, stop := context.WithCancel(t.Context())
	var stored int64
	if _, err := store.ImportAll(ctx, memory.Older{From: strings.NewReader(lines.String()),
		Stored: func(done, _ int64) { stored = done; stop() }}); !errors.Is(err, context.Canceled) || stored == 3000 {
		t.Fatalf("cut short after %d: %v", stored, err)
	}
	if got, want := doctored(), fmt.Sprintf("%d of 3000 messages are stored, and more come", stored); !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	later = later.Add(2 * importPauses)
	if got, want := doctored(), fmt.Sprintf("ended after %d of 3000 messages, and the rest is missing", stored); !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	cfg := config.Default()
	cfg.DataDir = dir
	var out, told strings.Builder
	if err := (sessionsImportCmd{File: file}).Run(t.Context(), cfg, &Streams{Out: &out, Err: &told, Watched: true}); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("imported %d messages in 0 conversations; known already: %d\n", 3000-stored, stored); out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if !strings.HasSuffix(told.String(), "\r\x1b[K") || doctored() != "" {
		t.Errorf("seen: %q; doctor: %q", told.String(), doctored())
	}
}
