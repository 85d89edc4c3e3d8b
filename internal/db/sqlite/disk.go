package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"

	"parley/internal/db/engine"
)

// restless is how long a commit that nobody waits for may be only in the system's
// memory.
const restless = 100 * time.Millisecond

// disk brings commits to the disk beside the writer, which goes on with the next
// transaction meanwhile. SQLite would sync the log within each commit; doing it
// here lets several commits share one sync, and lets a caller go on as soon as its
// change is committed. A log is only ever valid up to a point, so once a commit is
// on the disk, all before it are.
type disk struct {
	log  syncer
	see  func(error)
	wake chan struct{} // has room for one
	over chan struct{} // closed when run has ended

	turn    sync.Mutex        // held by whoever syncs
	mu      sync.Mutex        // guards what follows
	waiting []*engine.Pending // committed since the last sync began
	dirty   bool              // something was
	alarm   *time.Timer
	closed  bool
}

// syncer is the log as far as a disk needs it.
type syncer interface {
	Sync() error
	Close() error
}

// openDisk takes the syncing of the log over from the writer's connection. It returns
// nil where commits are not in a log: there SQLite goes on syncing them itself.
func openDisk(ctx context.Context, conn *sql.Conn, path string, see func(error)) (*disk, error) {
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "SELECT count(*) FROM sqlite_schema"); err != nil { // SQLite opens the log to read
		return nil, err
	}
	log, err := os.OpenFile(path+"-wal", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA synchronous = NORMAL"); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	place, err := PlaceOf(path)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return newDisk(placed{syncs{log}, place}, see), nil
}

func newDisk(log syncer, see func(error)) *disk {
	d := &disk{log: log, see: see, wake: make(chan struct{}, 1), over: make(chan struct{})}
	d.alarm = time.AfterFunc(time.Hour, d.poke)
	d.alarm.Stop()
	go d.run()
	return d
}

func (d *disk) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Committed implements engine.Disk. Those that wait are told once a sync is over that
// began after the commit.
func (d *disk) Committed(batch []*engine.Pending) {
	d.mu.Lock()
	defer d.mu.Unlock()
	hurry := false
	for _, w := range batch {
		if w.Soon {
			w.Tell(nil)
			continue
		}
		d.waiting = append(d.waiting, w)
		hurry = hurry || !w.Own
	}
	switch {
	case hurry:
		d.poke()
	case !d.dirty || len(d.waiting) > 0: // also of those whose caller never comes
		d.alarm.Reset(restless)
	}
	d.dirty = true
}

// Settle implements engine.Disk.
func (d *disk) Settle() {
	if !d.turn.TryLock() { // that sync may have begun too early
		d.poke()
		return
	}
	defer d.turn.Unlock()
	d.sync()
}

// run syncs whenever somebody waits, or something has waited long enough.
func (d *disk) run() {
	defer close(d.over)
	for range d.wake {
		d.mu.Lock()
		closed := d.closed
		d.mu.Unlock()
		d.turn.Lock()
		d.sync()
		d.turn.Unlock()
		if closed { // before it synced: nothing has come since
			return
		}
	}
}

// sync brings to the disk what is committed; the caller has the turn.
func (d *disk) sync() {
	d.mu.Lock()
	due, dirty := d.waiting, d.dirty
	d.waiting, d.dirty = nil, false
	d.alarm.Stop()
	d.mu.Unlock()
	if dirty {
		d.settle(due)
	}
}

// settle syncs the log and tells those who wait for it.
func (d *disk) settle(due []*engine.Pending) {
	err := d.log.Sync()
	if err != nil {
		err = fmt.Errorf("sync: %w: %w", err, sqlite3.Error{Code: sqlite3.ErrIoErr})
		d.mu.Lock()
		d.dirty = true // not yet what was promised
		d.mu.Unlock()
		d.see(err)
	}
	for _, w := range due {
		w.Tell(err)
	}
}

// close syncs what is left. The writer has ended.
func (d *disk) close() error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.poke()
	<-d.over
	d.alarm.Stop()
	d.turn.Lock() // whoever syncs for themselves is done
	defer d.turn.Unlock()
	return d.log.Close()
}
