package memory

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"

	"parley/internal/vector"
)

// DatabaseName is the file inside the data folder.
const DatabaseName = "bot.db"

// writerPragmas, each with its reason:
// WAL lets readers run beside the one writer; FULL makes an acknowledged
// commit survive power loss (promises.md B16); immediate transactions take the
// write lock first, so a read-then-write never fails half-way (platforms.md
// 1.4); secure_delete overwrites what is deleted, so forgetting leaves nothing
// in free pages (promises.md C19).
const writerPragmas = "_journal_mode=WAL&_synchronous=FULL&_txlock=immediate&_busy_timeout=30000&_foreign_keys=on&_secure_delete=on&_cache_size=-4000"

// readerPragmas: a reader can never write by mistake.
const readerPragmas = "mode=ro&_query_only=1&_busy_timeout=30000&_cache_size=-2000"

// readers is the size of the read pool; more than a few only adds memory.
const readers = 4

// Store is the one door to the database. It is safe for many goroutines. Reads
// run beside each other; writes are queued to one writer that commits what has
// gathered in one transaction.
type Store struct {
	path  string
	db    *sql.DB // the writer's only connection
	ro    *sql.DB
	queue chan *write
	done  chan struct{} // closed when the writer has stopped
	now   func() time.Time
	reads stmtCache
	cond  condition

	salt   []byte // of this database's nonces
	doubts doubts

	embed      vector.Embed // nil for none
	embedModel string

	mu     sync.RWMutex // guards closed against a write that is being queued
	closed bool
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
	ErrNewerSchema = errors.New("the database was written by a newer version of Parley")
	ErrCorrupt     = errors.New("the database file is damaged")
	ErrForeign     = errors.New("the database file belongs to another program")
)

// Open opens the database in dir, creating it when there is none, and brings
// its schema up to date. It never replaces or truncates an existing file. The
// caller closes the Store. A second process may open the same folder (the
// owner's commands do); only Lock keeps a second bot out.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	path := filepath.Join(dir, DatabaseName)
	if err := prepare(dir, path); err != nil {
		return nil, mend(err)
	}
	sweep(path)
	s := &Store{path: path, now: o.Now, queue: make(chan *write, 1024), done: make(chan struct{}), embed: o.Embed, embedModel: o.EmbedModel}
	if s.now == nil {
		s.now = time.Now
	}
	if err := create(ctx, path); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, mend(err))
	}
	if err := recognize(ctx, path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, mend(explain(err)))
	}
	s.db = openSeen(dsn(path, writerPragmas), s.cond.see)
	s.db.SetMaxOpenConns(1)
	if err := s.start(ctx, o); err != nil {
		_ = s.db.Close()
		return nil, fmt.Errorf("open %s: %w", path, mend(explain(err)))
	}
	return s, nil
}

// start looks the schema over, migrates, opens the readers and starts the
// writer.
func (s *Store) start(ctx context.Context, o Options) error {
	signed, err := inspect(ctx, s.db)
	if err != nil {
		return err
	}
	if err := migrate(ctx, s.db, migrations()); err != nil {
		return err
	}
	if err := s.db.QueryRowContext(ctx, "SELECT value FROM secrets WHERE name = 'nonce'").Scan(&s.salt); err != nil {
		return fmt.Errorf("read the salt of nonces: %w", err)
	}
	if !signed {
		// A full disk is the heartbeat's to tell.
		if err := sign(ctx, s.db); err != nil && !isUnwritable(err) {
			return err
		}
	}
	if o.MaxPages > 0 {
		if _, err := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", o.MaxPages)); err != nil {
			return err
		}
	}
	ro := openSeen(dsn(s.path, readerPragmas), s.cond.see)
	ro.SetMaxOpenConns(readers)
	ro.SetMaxIdleConns(readers)
	conn, err := s.db.Conn(ctx)
	if err != nil {
		_ = ro.Close()
		return err
	}
	s.ro = ro
	s.reads.db = ro
	go s.run(conn)
	return nil
}

func prepare(dir, path string) error {
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

// headerSize is the length of SQLite's file header, which holds the page size
// at byte 16 and the page count at byte 28, both big-endian.
const headerSize = 100

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
	return whole(path)
}

// mend adds to an error about a damaged database, or a full disk, what to do.
func mend(err error) error {
	if isUnwritable(err) {
		return unwritable(err)
	}
	if errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w; put a backup in its place with bot restore FILE, or move it away to begin anew", err)
	}
	return err
}

// whole refuses a file that lost its end, an empty one included: SQLite would
// take that for a new database and hide the loss.
func whole(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	head := make([]byte, headerSize)
	if _, err := f.ReadAt(head, 0); err != nil {
		return fmt.Errorf("%w: %s has %d bytes", ErrCorrupt, path, st.Size())
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 { // the format's way to say 65536
		page = 65536
	}
	wal, _ := os.Stat(path + "-wal")
	if want := page * int64(binary.BigEndian.Uint32(head[28:])); st.Size() < want && (wal == nil || wal.Size() == 0) {
		return fmt.Errorf("%w: %s is cut short (%d of %d bytes)", ErrCorrupt, path, st.Size(), want)
	}
	return nil
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
	db, err := sql.Open("sqlite3", dsn(draft, "_synchronous=OFF&_journal_mode=MEMORY"))
	if err != nil {
		return err
	}
	if err := errors.Join(migrate(ctx, db, migrations()), sign(ctx, db), db.Close(), f.Sync()); err != nil {
		return err
	}
	if err := os.Link(draft, path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

func dsn(path, pragmas string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + pragmas
}

// explain turns SQLite's own words for a damaged file into ErrCorrupt.
func explain(err error) error {
	if c := code(err); (c == sqlite3.ErrCorrupt || c == sqlite3.ErrNotADB) && !errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// Close waits for queued writes, folds the write-ahead log into the file and
// closes it. It may be called twice.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.queue)
	s.mu.Unlock()
	<-s.done
	s.reads.close()
	err := s.ro.Close()
	_, _ = s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, s.db.Close())
}

// Path is the database file.
func (s *Store) Path() string { return s.path }

// SchemaVersion is the number of the newest migration in the file.
func (s *Store) SchemaVersion(ctx context.Context) (int, error) {
	var v int
	err := s.ro.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}
