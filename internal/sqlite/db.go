package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"sync"
	"time"
)

// pragmas of every connection that writes, each with its reason: WAL lets
// readers run beside the one writer; immediate transactions take the write lock
// first, so a transaction that reads before it writes never fails half-way; a
// busy writer of another process is waited for; caches are small because the
// system caches the file anyway.
const pragmas = "_journal_mode=WAL&_txlock=immediate&_busy_timeout=30000&_foreign_keys=on&_cache_size=-4000"

// How much survives. NORMAL never leaves half a commit behind, but may lose the
// last ones in a power failure: enough for what can be rebuilt. Where more is
// promised, disk syncs the log before a write is acknowledged, and secure_delete
// overwrites what is deleted, so that forgetting leaves nothing in free pages. FULL
// is for where there is no log to sync.
const (
	overwriting = "&_secure_delete=on"
	durable     = "&_synchronous=FULL" + overwriting
	rebuildable = "&_synchronous=NORMAL"
)

// readerPragmas: a reader can never write by mistake.
const readerPragmas = "mode=ro&_query_only=1&_busy_timeout=30000&_cache_size=-2000"

// Options of Open. The zero value is for an index that can be rebuilt.
type Options struct {
	// Durable keeps what was committed through power loss, and overwrites what
	// is deleted.
	Durable bool
	// Overwrite overwrites what is deleted, also where little has to survive.
	Overwrite bool
	// Readers run beside the writer; more than a few only add memory. 0 is 4.
	Readers int
	// Prepare checks and migrates the file on the writer's connection, before
	// anything else uses it. nil does nothing.
	Prepare func(context.Context, *sql.DB) error
	// See is called with the error of each statement, also with nil, from many
	// goroutines; nil is never called.
	See func(error)
}

// DB is one database file. It is safe for many goroutines. Reads run beside each
// other; writes are queued to one writer that commits what has gathered in one
// transaction.
type DB struct {
	path  string
	w     *sql.DB // the writer's only connection
	r     *sql.DB
	queue chan *write
	aside chan *write   // what runs while nothing is queued
	done  chan struct{} // closed when the writer has stopped
	reads statements
	file  *os.File      // of ClearGaps, which the writer opens; nil before
	disk  *disk         // nil where a commit is all there is to do
	tail  time.Duration // how long the last chunk took to end; the writer's

	folding sync.Mutex // guards folder
	folder  *sql.DB    // of fold; nil before

	mu     sync.RWMutex // guards closed against a write that is being queued
	closed bool
}

// Open opens a file, which SQLite creates if there is none. The caller closes
// the DB.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	see := o.See
	if see == nil {
		see = func(error) {}
	}
	d := &DB{path: path, queue: make(chan *write, 1024), aside: make(chan *write), done: make(chan struct{})}
	d.w = openSeen(dsn(path, writerPragmas(o)), see)
	d.w.SetMaxOpenConns(1)
	if o.Prepare != nil {
		if err := o.Prepare(ctx, d.w); err != nil {
			return nil, errors.Join(err, d.w.Close())
		}
	}
	conn, err := d.w.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, d.w.Close())
	}
	if o.Durable {
		if d.disk, err = openDisk(ctx, conn, path, see); err != nil {
			return nil, errors.Join(err, conn.Close(), d.w.Close())
		}
	}
	d.r = openSeen(dsn(path, readerPragmas), see)
	readers := cmp.Or(o.Readers, 4)
	d.r.SetMaxOpenConns(readers)
	d.r.SetMaxIdleConns(readers)
	d.reads.prepare = d.r.PrepareContext
	go d.run(conn)
	return d, nil
}

func writerPragmas(o Options) string {
	switch {
	case o.Durable:
		return pragmas + durable
	case o.Overwrite:
		return pragmas + rebuildable + overwriting
	}
	return pragmas + rebuildable
}

// Raw opens a file with the caller's settings and without our writer: to look into
// one, to build one aside or to copy it. With ":memory:" each connection has its
// own database.
func Raw(path, settings string) (*sql.DB, error) {
	if path == ":memory:" {
		return openBare(path), nil
	}
	return openBare(dsn(path, settings)), nil
}

func dsn(path, settings string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + settings
}

// Path returns the file.
func (d *DB) Path() string { return d.path }

// Fresh opens a reader that has read nothing yet, for checks: a full-text index
// remembers what its pages were when a connection last searched it, and its own
// check takes what became of them since then for damage. done closes it.
func (d *DB) Fresh(ctx context.Context) (conn *sql.Conn, done func(), err error) {
	return Connect(ctx, d.path, readerPragmas)
}

// Close waits for queued writes, folds the write-ahead log into the file and
// closes it. It may be called twice.
func (d *DB) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	close(d.queue)
	d.mu.Unlock()
	<-d.done
	d.reads.close()
	err := d.r.Close()
	if d.disk != nil {
		err = errors.Join(err, d.disk.close())
	}
	if d.folder != nil {
		err = errors.Join(err, d.folder.Close())
	}
	_, _ = d.w.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	err = errors.Join(err, d.w.Close())
	if d.file != nil {
		err = errors.Join(err, d.file.Close())
	}
	return err
}
