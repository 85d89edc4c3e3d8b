package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/text/waittest"
)

// platter is a log whose syncs are let through one by one.
type platter struct {
	begun atomic.Int32
	let   chan error
}

func (p *platter) Sync() error  { p.begun.Add(1); return <-p.let }
func (p *platter) Close() error { return nil }

// onPlatter opens a database whose log is on a platter.
func onPlatter(t *testing.T) (*engine.DB, *platter) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	f := &file{path: path, w: open(path, writerPragmas(Options{Durable: true}), func(error) {})}
	f.w.SetMaxOpenConns(1)
	conn, err := f.w.Conn(t.Context())
	must(t, err)
	must(t, waittest.Second(conn.ExecContext(t.Context(), "CREATE TABLE t (x)")))
	p := &platter{let: make(chan error)}
	f.disk = newDisk(p, func(error) {})
	d := f.db(conn, Raw(path, readerPragmas))
	t.Cleanup(func() {
		close(p.let)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, p
}

func exec(query string) func(*engine.Tx) error {
	return func(tx *engine.Tx) error { _, err := tx.Exec(query); return err }
}

func rows(t *testing.T, d *engine.DB) (n int) {
	t.Helper()
	must(t, d.QueryRow("SELECT count(*) FROM t").Scan(&n))
	return n
}

// TestWriteWaitsForTheDisk: what is committed is seen at once, and acknowledged
// when it is on the disk, by a sync that began after the commit.
func TestWriteWaitsForTheDisk(t *testing.T) {
	d, p := onPlatter(t)
	first := d.Queue(t.Context(), exec("INSERT INTO t VALUES (1)"))
	waittest.Until(t, "the first sync", func() bool { return p.begun.Load() == 1 })
	durable, err := d.Stage(t.Context(), exec("INSERT INTO t VALUES (2)"))
	if err != nil || rows(t, d) != 2 {
		t.Fatal(rows(t, d), err)
	}
	told := make(chan error, 1)
	go func() { told <- durable() }()
	p.let <- nil
	if err := first(); err != nil {
		t.Error(err)
	}
	waittest.Until(t, "a sync for the second", func() bool { return p.begun.Load() == 2 })
	select {
	case <-told:
		t.Error("acknowledged by a sync that began before the commit")
	default:
	}
	p.let <- nil
	if err := <-told; err != nil {
		t.Error(err)
	}
}

// TestCommitsShareASync: however many are committed while one sync runs, the next
// is for all of them.
func TestCommitsShareASync(t *testing.T) {
	d, p := onPlatter(t)
	first := d.Queue(t.Context(), exec("INSERT INTO t VALUES (1)"))
	waittest.Until(t, "the first sync", func() bool { return p.begun.Load() == 1 })
	var wg sync.WaitGroup
	for range 20 {
		durable, err := d.Stage(t.Context(), exec("INSERT INTO t VALUES (2)"))
		must(t, err)
		wg.Go(func() {
			if err := durable(); err != nil {
				t.Error(err)
			}
		})
	}
	p.let <- nil
	p.let <- nil
	wg.Wait()
	if err := first(); err != nil || p.begun.Load() != 2 {
		t.Error(p.begun.Load(), err)
	}
}

// TestCallersSync: who made a write syncs it, once; what is committed meanwhile waits for
// a sync of its own, and what its caller left to itself is on the disk soon.
func TestCallersSync(t *testing.T) {
	d, p := onPlatter(t)
	told := make(chan error, 1)
	write := func(durable func() error) { go func() { told <- durable() }() }
	write(func() error { return d.Write(context.Background(), exec("INSERT INTO t VALUES (1)")) })
	waittest.Until(t, "a sync of the caller", func() bool { return p.begun.Load() == 1 })
	durable, err := d.Stage(t.Context(), exec("INSERT INTO t VALUES (2)"))
	must(t, err)
	write(durable)
	p.let <- nil
	if err := <-told; err != nil {
		t.Error(err)
	}
	waittest.Until(t, "a sync for the second", func() bool { return p.begun.Load() == 2 })
	if len(told) > 0 {
		t.Error("acknowledged by a sync that began before the commit")
	}
	p.let <- nil
	if err := <-told; err != nil {
		t.Error(err)
	}
	must(t, waittest.Second(d.Stage(t.Context(), exec("INSERT INTO t VALUES (3)"))))
	waittest.Until(t, "a sync that nobody waits for", func() bool { return p.begun.Load() == 3 })
	p.let <- nil
}

// TestSoonIsOnTheDiskSoon: it does not wait, and is synced all the same.
func TestSoonIsOnTheDiskSoon(t *testing.T) {
	for name, write := range map[string]func(*engine.DB) error{
		"in turn": func(d *engine.DB) error { return d.Soon(context.Background(), exec("INSERT INTO t VALUES (1)")) },
		"queued": func(d *engine.DB) error {
			return d.Held().QueueSoon(context.Background(), exec("INSERT INTO t VALUES (1)"))()
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, p := onPlatter(t)
			if err := write(d); err != nil || rows(t, d) != 1 {
				t.Fatal(rows(t, d), err)
			}
			waittest.Until(t, "a sync that nobody waits for", func() bool { return p.begun.Load() == 1 })
			p.let <- nil
		})
	}
}

// TestSyncFails: who was not told that it is stored is told why, and the next
// write makes good for it.
func TestSyncFails(t *testing.T) {
	d, p := onPlatter(t)
	write := d.Queue(t.Context(), exec("INSERT INTO t VALUES (1)"))
	p.let <- errors.New("the disk is gone")
	if err := write(); !IsUnwritable(err) {
		t.Errorf("got %v", err)
	}
	write = d.Queue(t.Context(), exec("INSERT INTO t VALUES (2)"))
	p.let <- nil
	if err := write(); err != nil {
		t.Error(err)
	}
}

// TestNothingIsQueued: a write that fails, and one that comes too late, tell so at
// every stage.
func TestNothingIsQueued(t *testing.T) {
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), Options{Durable: true})
	must(t, err)
	if durable, err := d.Stage(t.Context(), exec("INSERT INTO nowhere VALUES (1)")); err == nil || durable != nil {
		t.Error("a write that fails was staged")
	}
	if err := d.Soon(t.Context(), exec("INSERT INTO nowhere VALUES (1)")); err == nil {
		t.Error("a write that fails is not told of")
	}
	must(t, d.Close())
	if _, err := d.Stage(context.Background(), exec("CREATE TABLE t (x)")); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
	if err := d.Soon(context.Background(), exec("CREATE TABLE t (x)")); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
}
