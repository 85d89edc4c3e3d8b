package memory

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/sqlite"
)

// open returns a real store on a temporary file.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "data"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestOpenRefusesWhatItMustNotTouch(t *testing.T) {
	made := func(t *testing.T, change func(t *testing.T, path string)) string {
		dir := filepath.Join(t.TempDir(), "data")
		s, err := Open(context.Background(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		change(t, s.Path())
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
			before, err := os.ReadFile(filepath.Join(dir, DatabaseName))
			must(t, err)
			if _, err := Open(context.Background(), dir, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			after, err := os.ReadFile(filepath.Join(dir, DatabaseName))
			must(t, err)
			if !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestWriteGroupsKeepNeighboursApart(t *testing.T) {
	s := open(t, Options{})
	boom := errors.New("boom")
	errs := make(chan error, 100)
	for i := range 100 {
		go func() {
			errs <- s.db.Write(context.Background(), func(tx *sqlite.Tx) error {
				if i == 50 {
					return boom
				}
				_, err := tx.Exec("INSERT INTO cursors VALUES ('p', ?, 'v')", i)
				return err
			})
		}()
	}
	failed := 0
	for range 100 {
		if err := <-errs; err != nil {
			failed++
		}
	}
	var n int
	must(t, s.db.QueryRow("SELECT count(*) FROM cursors").Scan(&n))
	if failed != 1 || n != 99 {
		t.Fatalf("failed %d, stored %d", failed, n)
	}
}

func TestLockNamesItsHolder(t *testing.T) {
	dir := t.TempDir()
	f, err := Lock(dir)
	must(t, err)
	defer func() { _ = f.Close() }()
	if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "process ") {
		t.Fatalf("got %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func exec(t testing.TB, path, query string) {
	t.Helper()
	db, err := sqlite.Raw(path, "")
	must(t, err)
	_, err = db.Exec(query)
	must(t, err)
	must(t, db.Close())
}

// asWriter are settings like the writer's.
const asWriter = "_journal_mode=WAL&_txlock=immediate&_foreign_keys=on&_secure_delete=on"

func reader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

// percentile is in milliseconds.
func percentile(took []time.Duration, p int) float64 {
	slices.Sort(took)
	return float64(took[len(took)*p/100].Microseconds()) / 1000
}
