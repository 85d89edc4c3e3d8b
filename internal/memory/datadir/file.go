package datadir

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/text"
	"parley/internal/text/machine"
)

// Name is the file inside the data folder.
const Name = "bot.db"

// File is the open database file and its health. It is safe for many
// goroutines.
type File struct {
	db      *engine.DB
	now     func() time.Time
	cond    condition
	served  bool         // a server holds it
	place   sqlite.Place // where the file was when it was opened
	looking sync.Mutex   // held by whoever looks whether it still is
	narrow  atomic.Bool  // there was hardly any room
}

// Options of Open. Migrations are required, the rest may be zero.
type Options struct {
	// Migrations make the schema.
	Migrations sqlite.Migrations
	// Today is what the first of them make together, as one script that sets
	// user_version to how many; "" goes through all of them.
	Today string
	// Image is the file that Today makes without the rows of Seed, compressed with gzip: copying it
	// takes a quarter of the time. nil runs Today. Seed adds what differs from one file to the next.
	Image []byte
	Seed  string
	// URL is where a PostgreSQL server holds the database, as postgres://…; "" is a file
	// in the folder. Served says how, then.
	URL    string
	Served Served
	// Fresh begins a new database where that of a used folder is missing.
	Fresh bool
	// Alone refuses a database on a server that another bot uses.
	Alone bool
	// Self is the number of this process among those that share the database, "" for none.
	Self string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// MaxPages limits the file's size in pages, to prove what a full disk
	// does; 0 is no limit.
	MaxPages int
	// Scratch is for a copy that is thrown away: nothing waits for the disk.
	Scratch bool
}

// Errors of Open. Each comes wrapped with the path it is about.
var (
	ErrNewerSchema = engine.ErrNewerSchema
	ErrCorrupt     = engine.ErrCorrupt
	ErrForeign     = errors.New("the database file belongs to another program")
)

// Open opens the database in dir, creating it when there is none, and brings
// its schema up to date. It never replaces or truncates an existing file. The
// caller closes the File, and with it the DB, which is the way to its rows. A
// second process may open the same folder (the owner's commands do); only Lock
// keeps a second bot out.
func Open(ctx context.Context, dir string, o Options) (*File, *engine.DB, error) {
	if o.URL != "" {
		return openServed(ctx, o)
	}
	path := filepath.Join(dir, Name)
	if err := ready(dir, path); err != nil {
		return nil, nil, advise(err)
	}
	if err := displaced(dir); err != nil {
		return nil, nil, err
	}
	text.SweepDrafts(path)
	f := &File{now: o.Now}
	if f.now == nil {
		f.now = time.Now
	}
	made, err := create(ctx, path, o)
	if err != nil {
		return nil, nil, fmt.Errorf("create %s: %w", path, advise(err))
	}
	f.cond.checked.Store(made) // what is a moment old needs no check
	if err := recognize(ctx, path, o.Migrations); err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, advise(sqlite.Explain(err)))
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Durable: !o.Scratch, Scratch: o.Scratch, See: f.cond.see,
		Prepare: func(ctx context.Context, db *sql.DB) error {
			if made {
				return bound(ctx, db, o) // what it was made as just now is right
			}
			return prepare(ctx, db, o)
		}})
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, advise(sqlite.Explain(err)))
	}
	f.db = db
	if f.place, err = sqlite.PlaceOf(path); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	mark(dir)
	return f, db, nil
}

// prepare looks the schema over, migrates and signs.
func prepare(ctx context.Context, db *sql.DB, o Options) error {
	signed, err := inspect(ctx, db, o.Migrations)
	if err != nil {
		return err
	}
	if err := o.Migrations.Apply(ctx, db); err != nil {
		return err
	}
	if !signed {
		// The heartbeat reports a full disk.
		if err := sign(ctx, db); err != nil && !sqlite.IsUnwritable(err) {
			return err
		}
	}
	return bound(ctx, db, o)
}

// bound limits the file's size, where it is to have a limit.
func bound(ctx context.Context, db *sql.DB, o Options) (err error) {
	if o.MaxPages > 0 {
		_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", o.MaxPages))
	}
	return err
}

func ready(dir, path string) error {
	if err := private(dir); err != nil {
		return err
	}
	return sound(path)
}

// private makes the folder and refuses one that others can read.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	st, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if !machine.Private(st) {
		return fmt.Errorf("data folder %s can be read by other users of this machine (mode %04o): run chmod 700 %s", dir, st.Mode().Perm(), dir)
	}
	return nil
}

// sound refuses a file that cannot be written, and one that is not whole. A
// missing file is fine.
func sound(path string) error {
	if err := sqlite.Writable(path); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return sqlite.Whole(path)
}

// advise adds to an error about a damaged database or a full disk what to do about it.
func advise(err error) error {
	if sqlite.IsUnwritable(err) {
		return unwritable(err)
	}
	if errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w; put a backup in its place with bot restore FILE, or move it away and begin anew with bot run --fresh", err)
	}
	return err
}

// create makes a new database where there is none. made is true if this process did.
func create(ctx context.Context, path string, o Options) (made bool, err error) {
	if _, err := os.Stat(path); err == nil {
		return false, nil
	}
	if err := mayBegin(path, o); err != nil {
		return false, err
	}
	return sqlite.Make(ctx, path, o.Image, func(ctx context.Context, db *sql.DB) error {
		script := o.Seed
		if o.Image == nil {
			script = o.Today
			// A file can only be made to give free pages back while it is empty.
			if _, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = incremental"); err != nil {
				return err
			}
		}
		if script != "" {
			if err := sqlite.Run(ctx, db, script); err != nil {
				return err
			}
		}
		if err := o.Migrations.Apply(ctx, db); err != nil {
			return err
		}
		return sign(ctx, db)
	})
}

// Close waits for queued writes, folds the write-ahead log into the file and
// closes it. It may be called twice.
func (f *File) Close() error { return f.db.Close() }

// Path returns the database file.
func (f *File) Path() string { return f.db.Path() }

// SchemaVersion returns the number of the newest migration in the file.
func (f *File) SchemaVersion(ctx context.Context) (int, error) {
	var v int
	err := f.db.QueryRowContext(ctx, f.db.Either("PRAGMA user_version", "SELECT schema FROM parley")).Scan(&v)
	return v, err
}
