package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"

	"parley/internal/db/engine"
)

// pragmas of every connection that writes, each with its reason: WAL lets
// readers run beside the one writer; immediate transactions take the write lock
// first, so a transaction that reads before it writes never fails half-way; a
// busy writer of another process is waited for; caches are small because the
// system caches the file anyway; SQLite need not lock a connection for each of its
// functions, since database/sql gives it to one goroutine at a time.
const pragmas = "_journal_mode=WAL&_txlock=immediate&_busy_timeout=30000&_foreign_keys=on&_mutex=no"

// How much survives. NORMAL never leaves half a commit behind, but may lose the
// last ones in a power failure: enough for what can be rebuilt. Where more is
// promised, disk syncs the log before a write is acknowledged, and secure_delete
// overwrites what is deleted, so that forgetting leaves nothing in free pages. FULL
// is for where there is no log to sync.
const (
	overwriting = "&_secure_delete=on"
	durable     = "&_synchronous=FULL" + overwriting
	rebuildable = "&_synchronous=NORMAL"
	scratch     = "&_synchronous=OFF"
)

// readerPragmas: a reader can never write by mistake.
const readerPragmas = "mode=ro&_query_only=1&_busy_timeout=30000&_cache_size=-2000&_mutex=no"

// Options of Open. The zero value is for an index that can be rebuilt.
type Options struct {
	// Durable keeps what was committed through power loss, and overwrites what
	// is deleted.
	Durable bool
	// Scratch is for a copy that is thrown away: nothing waits for the disk.
	Scratch bool
	// Overwrite overwrites what is deleted, also where little has to survive.
	Overwrite bool
	// Readers run beside the writer; more than a few only add memory. 0 is 4.
	Readers int
	// Cache is how many KB of pages the writer keeps; 0 is 4,000.
	Cache int
	// Prepare checks and migrates the file on the writer's connection, before
	// anything else uses it. nil does nothing.
	Prepare func(context.Context, *sql.DB) error
	// See is called with the error of each statement, also with nil, from many
	// goroutines; nil is never called.
	See func(error)
}

// Open opens a file, which SQLite creates if there is none. The caller closes
// the DB.
func Open(ctx context.Context, path string, o Options) (*engine.DB, error) {
	see := o.See
	if see == nil {
		see = func(error) {}
	}
	f := &file{path: path, w: open(path, writerPragmas(o), see)}
	f.w.SetMaxOpenConns(1)
	if o.Prepare != nil {
		if err := o.Prepare(ctx, f.w); err != nil {
			return nil, errors.Join(err, f.w.Close())
		}
	}
	conn, err := f.w.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, f.w.Close())
	}
	if o.Durable {
		if f.disk, err = openDisk(ctx, conn, path, see); err != nil {
			return nil, errors.Join(err, conn.Close(), f.w.Close())
		}
	}
	r := open(path, readerPragmas, see)
	readers := cmp.Or(o.Readers, 4)
	r.SetMaxOpenConns(readers)
	r.SetMaxIdleConns(readers)
	return f.db(conn, r), nil
}

// db puts the parts of an open file together.
func (f *file) db(conn *sql.Conn, readers *sql.DB) *engine.DB {
	p := engine.Parts{Dialect: dialect, Readers: readers, Writer: conn, File: f, Close: f.close}
	if f.disk != nil {
		p.Disk = f.disk
	}
	return engine.New(p)
}

// shrink frees the pages that a connection keeps.
const shrink = "PRAGMA shrink_memory"

// dialect is SQLite's way.
var dialect = engine.Dialect{Mark: "?", Begin: "BEGIN IMMEDIATE", Explain: Explain, Version: "PRAGMA data_version", Shrink: shrink}

func writerPragmas(o Options) string {
	all := fmt.Sprintf("%s&_cache_size=-%d", pragmas, cmp.Or(o.Cache, 4000))
	switch {
	case o.Durable:
		return all + durable
	case o.Scratch:
		return all + scratch
	case o.Overwrite:
		return all + rebuildable + overwriting
	}
	return all + rebuildable
}

// Raw opens a file with the caller's settings and without our writer: to look into
// one, to build one aside or to copy it. With ":memory:" each connection has its
// own database.
func Raw(path, settings string) *sql.DB { return open(path, settings, nil) }

func dsn(path, settings string) string {
	if path == ":memory:" {
		return path
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + settings
}

// Fresh opens a reader that has read nothing yet, for checks: a full-text index
// remembers what its pages were when a connection last searched it, and its own
// check takes what became of them since then for damage. done closes it.
func Fresh(ctx context.Context, path string) (conn *sql.Conn, done func(), err error) {
	return Connect(ctx, path, readerPragmas)
}

// file is an open database file.
type file struct {
	path string
	w    *sql.DB  // has the writer's only connection
	disk *disk    // nil where a commit is all there is to do
	raw  *os.File // of ClearGaps, on the writer; nil before

	mu     sync.Mutex // guards what follows
	folder *sql.DB    // of Fold; nil before
	closed bool
}

// Path implements engine.File.
func (f *file) Path() string { return f.path }

// Fold implements engine.File, from a connection of its own: chunks change many pages,
// and whose commit makes the log too long would carry them over while all others wait.
// What it cannot do is done later.
func (f *file) Fold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.folder == nil {
		f.folder = Raw(f.path, "_busy_timeout=0&_cache_size=-500")
		f.folder.SetMaxOpenConns(1)
	}
	_, _ = f.folder.Exec("PRAGMA wal_checkpoint(PASSIVE)")
}

// close folds the write-ahead log into the file. The writer and the readers have ended;
// programs that look at the file may read from it for ever, as Litestream does, so
// nobody is waited for: it would keep the bot from writing where this is a doctor's.
func (f *file) close() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.disk != nil {
		err = f.disk.close()
	}
	if f.folder != nil {
		err = errors.Join(err, f.folder.Close())
	}
	_, _ = f.w.Exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)")
	err = errors.Join(err, f.w.Close())
	if f.raw != nil {
		err = errors.Join(err, rest(f.raw))
	}
	return err
}
