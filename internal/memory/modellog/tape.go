package modellog

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/text"
)

// Options of Open. File, Keep, MaxSize and Witness are required.
type Options struct {
	File    string
	Keep    time.Duration // of a call
	MaxSize int64         // bytes of the file; the oldest calls are deleted first
	Hide    text.Redactor // removes secrets
	Witness Witness
	Now     func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil logs nothing
}

// Tape stores model calls. A nil Tape is empty and stores none. It is safe for concurrent
// use.
type Tape struct {
	o       Options
	db      *engine.DB
	queue   chan *take
	asked   chan chan struct{} // from readers: closed when everything is written
	hurry   chan struct{}      // ends gather
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
	queued  atomic.Int64 // bytes in queue
	dropped atomic.Int64
	writing sync.Mutex // held to write or delete; guards packer and grown
	packer  packer
	grown   int64 // bytes of requests since the size of the file was checked

	mu     sync.Mutex // guards barred
	barred barred
}

//go:embed schema.sql
var schema string

// schemaVersion changes with schema.sql and with the form of bodies.
const schemaVersion = 1

// Open opens the file or makes a new one. It replaces a file that is damaged or has another
// version. The caller calls Close.
func Open(ctx context.Context, o Options) (*Tape, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db, damage, err := cache(o.File).Open(ctx)
	if damage != nil {
		o.Log.Warn("the traces of model calls are begun anew", "err", damage)
	}
	if err != nil {
		return nil, fmt.Errorf("open the traces of model calls: %w", err)
	}
	t := &Tape{o: o, db: db, queue: make(chan *take, maxQueue), asked: make(chan chan struct{}), hurry: make(chan struct{}),
		quit: make(chan struct{}), done: make(chan struct{})}
	go t.run()
	return t, nil
}

func cache(file string) sqlite.Cache {
	return sqlite.Cache{Path: file, Schema: schema, Version: schemaVersion, Options: sqlite.Options{Readers: 2, Cache: 1000,
		Overwrite: true, Prepare: func(ctx context.Context, db *sql.DB) error {
			_, err := db.ExecContext(ctx, heardSchema)
			return err
		}}}
}

// Remove deletes the file with SQLite's files beside it. A missing file is no error.
func Remove(file string) error { return cache(file).Remove() }

// Close stores the waiting calls and closes the file. It may be called twice. Later calls
// of models are not kept.
func (t *Tape) Close() error {
	if t == nil {
		return nil
	}
	t.once.Do(func() { close(t.quit) })
	<-t.done
	return t.db.Close()
}

// Rest gives back what only busy times need.
func (t *Tape) Rest(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.writing.Lock()
	t.packer.flate = nil
	t.writing.Unlock()
	return t.db.Rest(ctx)
}

// Dropped counts the calls that were not kept because too many were waiting.
func (t *Tape) Dropped() int64 {
	if t == nil {
		return 0
	}
	return t.dropped.Load()
}

// Size returns the used bytes of the file.
func (t *Tape) Size(ctx context.Context) (n int64, err error) {
	if t == nil {
		return 0, nil
	}
	err = t.db.QueryRowContext(ctx, usedBytes).Scan(&n)
	return n, err
}

const usedBytes = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"

// Copy writes what is stored in a file into a new one, which Open takes; ok is false if
// nothing is stored. A Tape may be writing to the first.
func Copy(ctx context.Context, from, to string) (ok bool, err error) {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	src, done, err := sqlite.Connect(ctx, from, "mode=rw&_query_only=1&_busy_timeout=30000&_cache_size=-2000")
	if err != nil {
		return false, fmt.Errorf("copy the traces of model calls: %w", err)
	}
	defer done()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	if _, err := src.ExecContext(ctx, "BEGIN"); err != nil {
		return false, fmt.Errorf("copy the traces of model calls: %w", err)
	}
	if err := sqlite.Copy(ctx, src, file); err != nil {
		return false, fmt.Errorf("copy the traces of model calls: %w", err)
	}
	return true, nil
}
