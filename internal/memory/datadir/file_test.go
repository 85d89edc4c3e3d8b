package datadir_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/memory"
	"parley/internal/memory/datadir"
)

func TestOpenRefusesWhatItMustNotTouch(t *testing.T) {
	made := func(t *testing.T, change func(t *testing.T, path string)) string {
		dir := filepath.Join(t.TempDir(), "data")
		s, err := memory.Open(context.Background(), dir, memory.Options{})
		must(t, err)
		must(t, s.Close())
		change(t, s.File.Path())
		return dir
	}
	tests := []struct {
		name   string
		change func(t *testing.T, path string)
		want   string
	}{
		{"cut short", func(t *testing.T, p string) { must(t, os.Truncate(p, 8192)) }, "cut short"},
		{"emptied", func(t *testing.T, p string) { must(t, os.Truncate(p, 0)) }, "0 bytes"},
		{"overwritten", func(t *testing.T, p string) { must(t, os.WriteFile(p, bytes.Repeat([]byte("junk"), 4096), 0o600)) }, "damaged"},
		{"newer", func(t *testing.T, p string) { exec(t, p, "PRAGMA user_version = 999") }, "newer version"},
		{"readable by others", func(t *testing.T, p string) { must(t, os.Chmod(filepath.Dir(p), 0o755)) }, "chmod 700"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := made(t, tt.change)
			before, err := os.ReadFile(filepath.Join(dir, datadir.Name))
			must(t, err)
			if _, err := memory.Open(context.Background(), dir, memory.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			after, err := os.ReadFile(filepath.Join(dir, datadir.Name))
			must(t, err)
			if !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestLockNamesItsHolder(t *testing.T) {
	dir := t.TempDir()
	f, err := datadir.Lock(dir)
	must(t, err)
	defer func() { _ = f.Close() }()
	if _, err := datadir.Lock(dir); err == nil || !strings.Contains(err.Error(), "process ") {
		t.Fatalf("got %v", err)
	}
}

// Whoever deletes bot.lock lets no second bot in; the first makes it again.
func TestLockOutlivesItsFile(t *testing.T) {
	dir, _ := closed(t, 0)
	held, err := datadir.Lock(dir)
	must(t, err)
	s, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	s.File.Claim(held)
	before, err := os.ReadFile(filepath.Join(dir, "bot.lock"))
	must(t, err)
	must(t, os.Remove(filepath.Join(dir, "bot.lock")))
	used := (*datadir.InUseError)(nil)
	if other, err := datadir.Lock(dir); !errors.As(err, &used) {
		t.Fatalf("a second bot: %v, %v", other, err)
	}
	must(t, held.Keep())
	if after, err := os.ReadFile(filepath.Join(dir, "bot.lock")); err != nil || !bytes.Equal(after, before) || !held.Still() {
		t.Errorf("%q, %v; it was %q", after, err, before)
	}
	must(t, held.Close())
	again, err := datadir.Lock(dir)
	must(t, err)
	must(t, again.Close())
}
