package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"parley/internal/facts"
	"parley/internal/sqlite"
	"parley/internal/vector"
)

// DatabaseName is the file inside the data folder.
const DatabaseName = "bot.db"

// Store is the one door to the database. It is safe for many goroutines. Reads
// run beside each other; writes are queued to one writer that commits what has
// gathered in one transaction.
type Store struct {
	db   *sqlite.DB
	now  func() time.Time
	cond condition

	salt   []byte // of this database's nonces
	doubts doubts

	*facts.Store
}

// Options of Open. The zero value is ready for use.
type Options struct {
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// MaxPages limits the file's size in pages, to prove what a full disk
	// does; 0 is no limit.
	MaxPages int
	// Embed makes vectors of facts and of what is asked, with the model named;
	// nil finds facts by words alone.
	Embed      vector.Embed
	EmbedModel string
}

// Errors of Open. Each comes wrapped with the path it is about.
var (
	ErrNewerSchema = sqlite.ErrNewerSchema
	ErrCorrupt     = sqlite.ErrCorrupt
	ErrForeign     = errors.New("the database file belongs to another program")
)

// ErrNotFound is returned for a row that is not there, wrapped or bare.
var ErrNotFound = sqlite.ErrNotFound

// ErrClosed is returned by writes after Close.
var ErrClosed = sqlite.ErrClosed

// Open opens the database in dir, creating it when there is none, and brings
// its schema up to date. It never replaces or truncates an existing file. The
// caller closes the Store. A second process may open the same folder (the
// owner's commands do); only Lock keeps a second bot out.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	path := filepath.Join(dir, DatabaseName)
	if err := ready(dir, path); err != nil {
		return nil, mend(err)
	}
	sweep(path)
	s := &Store{now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	if err := create(ctx, path); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, mend(err))
	}
	if err := recognize(ctx, path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, mend(sqlite.Explain(err)))
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Durable: true, See: s.cond.see, Prepare: func(ctx context.Context, db *sql.DB) error {
		return s.prepare(ctx, db, o.MaxPages)
	}})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, mend(sqlite.Explain(err)))
	}
	s.db = db
	s.Store = facts.NewStore(db, facts.Options{Now: s.now, Settings: s, Generation: generation, Embed: o.Embed, EmbedModel: o.EmbedModel})
	return s, nil
}

// prepare looks the schema over, migrates and reads what the Store needs.
func (s *Store) prepare(ctx context.Context, db *sql.DB, maxPages int) error {
	signed, err := inspect(ctx, db)
	if err != nil {
		return err
	}
	if err := migrations().Apply(ctx, db); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, "SELECT value FROM secrets WHERE name = 'nonce'").Scan(&s.salt); err != nil {
		return fmt.Errorf("read the salt of nonces: %w", err)
	}
	if !signed {
		// A full disk is the heartbeat's to tell.
		if err := sign(ctx, db); err != nil && !sqlite.IsUnwritable(err) {
			return err
		}
	}
	if maxPages > 0 {
		_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", maxPages))
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
	if st.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("data folder %s can be read by other users of this machine (mode %04o): run chmod 700 %s", dir, st.Mode().Perm(), dir)
	}
	return nil
}

// sound refuses a file that cannot be written, and one that is not whole. A
// missing file is fine.
func sound(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	_ = f.Close()
	return sqlite.Whole(path)
}

// mend adds to an error about a damaged database, or a full disk, what to do.
func mend(err error) error {
	if sqlite.IsUnwritable(err) {
		return unwritable(err)
	}
	if errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w; put a backup in its place with bot restore FILE, or move it away to begin anew", err)
	}
	return err
}

// create builds a new database aside and gives it its name only when it is
// whole, so that an empty or half-made file under that name always means
// damage. Another process that was faster wins.
func create(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	f, err := newDraft(path)
	if err != nil {
		return err
	}
	draft := f.Name()
	defer func() { _ = f.Close(); _ = os.Remove(draft) }()
	db, err := sqlite.Raw(draft, "_synchronous=OFF&_journal_mode=MEMORY")
	if err != nil {
		return err
	}
	if err := errors.Join(migrations().Apply(ctx, db), sign(ctx, db), db.Close(), f.Sync()); err != nil {
		return err
	}
	if err := os.Link(draft, path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// Close waits for queued writes, folds the write-ahead log into the file and
// closes it. It may be called twice.
func (s *Store) Close() error { return s.db.Close() }

// Path is the database file.
func (s *Store) Path() string { return s.db.Path() }

// SchemaVersion is the number of the newest migration in the file.
func (s *Store) SchemaVersion(ctx context.Context) (int, error) {
	var v int
	err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}
