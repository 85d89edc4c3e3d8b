package datadir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/memory"
	"parley/internal/memory/datadir"
	"parley/internal/memory/memorytest"
	"parley/internal/text/waittest"
)

// filled returns a store with n rounds of batches of messages in it.
func filled(t testing.TB, rounds int) *memory.Store {
	t.Helper()
	s := memorytest.Open(t, memory.Options{})
	for i := range rounds {
		must(t, waittest.Second(s.Accept(t.Context(), batch(1+i*100, 100))))
	}
	return s
}

func TestBackupBesideAWriter(t *testing.T) {
	memorytest.AboutFiles(t)
	s := filled(t, 30)
	dir, file := filepath.Dir(s.File.Path()), filepath.Join(t.TempDir(), "copy.db")
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := s.Settings.SetSetting(context.Background(), strconv.Itoa(i), "x"); err != nil {
				t.Error(err)
			}
		}
	})
	c, err := folder(dir).Backup(t.Context(), file, false)
	stop()
	wg.Wait()
	must(t, err)
	if c.Unsettled != 3000 || c.Rows < 3000 || c.Schema != len(memory.Migrations()) {
		t.Errorf("%+v", c)
	}
	st, err := os.Stat(file)
	must(t, err)
	if st.Mode().Perm() != 0o600 || st.Size() != c.Bytes {
		t.Errorf("mode %v, %d bytes of %d", st.Mode(), st.Size(), c.Bytes)
	}
	left, _ := filepath.Glob(file + "*")
	if len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
	if _, err := folder(dir).Backup(t.Context(), file, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("overwriting: %v", err)
	}
	_, err = folder(dir).Backup(t.Context(), file, true)
	must(t, err)
	if _, err := folder(dir).Backup(t.Context(), s.File.Path(), true); err == nil || !strings.Contains(err.Error(), "database itself") {
		t.Errorf("onto itself: %v", err)
	}
}

func TestBackupCancelledLeavesNothing(t *testing.T) {
	memorytest.AboutFiles(t)
	s := filled(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	empty := t.TempDir()
	if _, err := folder(filepath.Dir(s.File.Path())).Backup(ctx, filepath.Join(empty, "copy.db"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(empty); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestRestoreKeepsWhatWasThere(t *testing.T) {
	memorytest.AboutFiles(t)
	s := filled(t, 1)
	dir, file := filepath.Dir(s.File.Path()), filepath.Join(t.TempDir(), "copy.db")
	_, err := folder(dir).Backup(t.Context(), file, false)
	must(t, err)
	must(t, s.Settings.SetSetting(t.Context(), "after", "the backup"))
	must(t, s.Close())

	lock, err := datadir.Lock(dir)
	must(t, err)
	if _, err := folder(dir).Restore(t.Context(), file); err == nil || !strings.Contains(err.Error(), "in use by another Parley") {
		t.Errorf("beside a bot: %v", err)
	}
	must(t, lock.Close())
	must(t, os.Chmod(file, 0o400))
	c, err := folder(dir).Restore(t.Context(), file)
	must(t, err)
	if c.Unsettled != 100 || c.Aside == "" {
		t.Errorf("%+v", c)
	}
	after := func(dir string) string {
		s, err := memory.Open(t.Context(), dir, memory.Options{})
		must(t, err)
		defer func() { must(t, s.Close()) }()
		v, err := s.Settings.Setting(t.Context(), "after")
		must(t, err)
		return v
	}
	if got := after(dir); got != "" {
		t.Errorf("the restored database knows %q", got)
	}
	old := filepath.Join(t.TempDir(), "old")
	must(t, os.Mkdir(old, 0o700))
	must(t, os.Rename(c.Aside, filepath.Join(old, datadir.Name)))
	if got := after(old); got != "the backup" {
		t.Errorf("the database set aside knows %q", got)
	}
}

func TestRestoreOntoNothingAndOntoDamage(t *testing.T) {
	memorytest.AboutFiles(t)
	s := filled(t, 1)
	file := filepath.Join(t.TempDir(), "copy.db")
	_, err := folder(filepath.Dir(s.File.Path())).Backup(t.Context(), file, false)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "data")
	if c, err := folder(dir).Restore(t.Context(), file); err != nil || c.Aside != "" {
		t.Errorf("onto nothing: %+v %v", c, err)
	}
	path := filepath.Join(dir, datadir.Name)
	must(t, os.Truncate(path, 5000))
	if _, err := memory.Open(t.Context(), dir, memory.Options{}); !errors.Is(err, datadir.ErrCorrupt) ||
		!strings.Contains(err.Error(), "bot restore") {
		t.Errorf("damaged: %v", err)
	}
	must(t, s.Settings.SetSetting(t.Context(), "stale", "yes"))
	log, err := os.ReadFile(s.File.Path() + "-wal")
	must(t, err)
	must(t, os.WriteFile(path+"-wal", log, 0o600))
	c, err := folder(dir).Restore(t.Context(), file)
	must(t, err)
	if st, err := os.Stat(c.Aside); err != nil || st.Size() != 5000 {
		t.Errorf("set aside: %v %v", st, err)
	}
	again, err := memory.Open(t.Context(), dir, memory.Options{})
	must(t, err)
	must(t, again.File.Check(t.Context()))
	if v, err := again.Settings.Setting(t.Context(), "stale"); v != "" || err != nil {
		t.Errorf("a log that is not its own was taken over: %q %v", v, err)
	}
	must(t, again.Close())
}

func TestRestoreRefuses(t *testing.T) {
	memorytest.AboutFiles(t)
	s := filled(t, 3)
	dir, copies := filepath.Dir(s.File.Path()), t.TempDir()
	must(t, s.Settings.SetSetting(t.Context(), "here", "still"))
	must(t, s.Close())
	for _, tt := range []struct {
		name, want string
		spoil      func(path string)
	}{
		{"newer", "newer version", func(p string) { exec(t, p, "PRAGMA user_version = 999") }},
		{"foreign", "not a database of Parley", func(p string) { exec(t, p, "DROP TABLE inbox") }},
		{"truncated", "cut short", func(p string) { must(t, os.Truncate(p, 8192)) }},
		{"junk inside", "damaged", func(p string) {
			f, err := os.OpenFile(p, os.O_RDWR, 0)
			must(t, err)
			_, err = f.WriteAt([]byte(strings.Repeat("junk", 4096)), 8192)
			must(t, err)
			must(t, f.Close())
		}},
		{"text", "damaged", func(p string) { must(t, os.WriteFile(p, []byte(strings.Repeat("text", 100)), 0o600)) }},
		{"missing", "no such file", func(p string) { must(t, os.Remove(p)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(copies, tt.name)
			_, err := folder(dir).Backup(t.Context(), file, false)
			must(t, err)
			tt.spoil(file)
			if _, err := folder(dir).Restore(t.Context(), file); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if aside, _ := filepath.Glob(s.File.Path() + ".*"); len(aside) != 0 {
				t.Errorf("left over: %v", aside)
			}
			again, err := memory.Open(t.Context(), dir, memory.Options{})
			must(t, err)
			if v, err := again.Settings.Setting(t.Context(), "here"); v != "still" || err != nil {
				t.Errorf("the database there was touched: %q %v", v, err)
			}
			must(t, again.Close())
		})
	}
}

// BenchmarkBackup copies a database of PARLEY_BACKUP_MB (64) while a writer
// commits as turns do, and reports how long its commits took beside the copy.
func BenchmarkBackup(b *testing.B) {
	megabytes, _ := strconv.Atoi(os.Getenv("PARLEY_BACKUP_MB"))
	if megabytes == 0 {
		megabytes = 64
	}
	s := memorytest.Open(b, memory.Options{})
	blob := strings.Repeat("words ", 200_000/6)
	for i := range 5 * megabytes {
		must(b, s.Settings.SetSetting(b.Context(), "fill"+strconv.Itoa(i), blob))
	}
	dir, file := filepath.Dir(s.File.Path()), filepath.Join(b.TempDir(), "copy.db")
	for b.Loop() {
		ctx, stop := context.WithCancel(b.Context())
		var took []time.Duration
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				began := time.Now()
				if _, err := s.Accept(context.Background(), batch(1+i, 1)); err != nil {
					b.Error(err)
				}
				took = append(took, time.Since(began))
				waittest.Take(ctx, 2*time.Millisecond) // between messages
			}
		})
		began := time.Now()
		must(b, waittest.Second(folder(dir).Backup(b.Context(), file, true)))
		b.ReportMetric(float64(megabytes)/time.Since(began).Seconds(), "MB/s")
		stop()
		wg.Wait()
		b.ReportMetric(waittest.Percentile(took, 50), "commit-p50-ms")
		b.ReportMetric(waittest.Percentile(took, 99), "commit-p99-ms")
		b.ReportMetric(float64(slices.Max(took).Microseconds())/1000, "commit-max-ms")
	}
}
