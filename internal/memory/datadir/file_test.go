package datadir_test

import (
	"bytes"
	"context"
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
