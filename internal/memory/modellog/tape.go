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
	Keep    time.Duration // how long a call is kept
	MaxSize int64         // bytes of all together; the oldest go first
	Hide    text.Redactor // secrets
	Witness Witness
	Now     func() time.Time // nil is time.Now
	Log     *slog.Logger     // nil is silent
}

// Tape keeps model calls. A nil Tape keeps none and has none. It is safe for many
// goroutines.
type Tape struct {
	o       Options
	db      *engine.DB
	queue   chan take
	asked   chan chan struct{} // by readers, to be closed when all is written
	hurry   chan struct{}      // ends gathering
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
	queued  atomic.Int64 // bytes in queue
	dropped atomic.Int64
	writing sync.Mutex // held by whoever writes or deletes; guards packer and grown
	packer  packer
	grown   int64 // bytes of requests since the size of the file was looked at

	mu     sync.Mutex // guards barred
	barred barred
}

//go:embed schema.sql
var schema string

// schemaVersion changes with schema.sql and with the form of bodies.
const schemaVersion = 1

// Open opens the file or makes a new one; one that is damaged or of another version is
// replaced. The caller calls Close.
func Open(ctx context.Context, o Options) (*Tape, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db, err := open(ctx, o.File)
	if errors.Is(err, errOtherVersion) || sqlite.IsDamage(err) {
		o.Log.Warn("the traces of model calls are begun anew", "err", err)
		if err := Remove(o.File); err != nil {
			return nil, err
		}
		db, err = open(ctx, o.File)
	}
	if err != nil {
		return nil, fmt.Errorf("open the traces of model calls: %w", err)
	}
	t := &Tape{o: o, db: db, queue: make(chan take, maxQueue), asked: make(chan chan struct{}), hurry: make(chan struct{}),
		quit: make(chan struct{}), done: make(chan struct{})}
	go t.run()
	return t, nil
}

var errOtherVersion = errors.New("the file was made by another version")

func open(ctx context.Context, file string) (*engine.DB, error) {
	if err := sqlite.Reserve(file); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, file, sqlite.Options{Readers: 2, Cache: 1000, Overwrite: true, Prepare: func(ctx context.Context,
		db *sql.DB) error {
		var version, tables int
		if err := db.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version").Scan(&version,
			&tables); err != nil {
			return err
		}
		switch {
		case tables > 0 && version != schemaVersion:
			return errOtherVersion
		case tables == 0:
			if _, err := db.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)); err != nil {
				return err
			}
		}
		_, err := db.ExecContext(ctx, heardSchema)
		return err
	}})
}

// Remove deletes the file and what SQLite keeps beside it; none is no error.
func Remove(file string) error {
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(file + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the traces of model calls: %w", err)
		}
	}
	return nil
}

// Close writes what waits and closes the file. It may be called twice; later calls are
// not kept.
func (t *Tape) Close() error {
	if t == nil {
		return nil
	}
	t.once.Do(func() { close(t.quit) })
	<-t.done
	return t.db.Close()
}

// Dropped counts the calls that were not kept because too many waited.
func (t *Tape) Dropped() int64 {
	if t == nil {
		return 0
	}
	return t.dropped.Load()
}

// Size returns how many bytes of the disk are in use.
func (t *Tape) Size(ctx context.Context) (n int64, err error) {
	if t == nil {
		return 0, nil
	}
	err = t.db.QueryRowContext(ctx, usedBytes).Scan(&n)
	return n, err
}

const usedBytes = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
