package datadir

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/internal/db/sqlite"
	"parley/internal/text"
)

// saltedSchema is the first schema whose nonces are a database's own.
const saltedSchema = 9

// Folder is a data folder, whether or not a bot runs on it.
type Folder struct {
	Dir        string
	Migrations sqlite.Migrations // what makes the schema
}

// Copied is what Backup or Restore made.
type Copied struct {
	Bytes     int64
	Schema    int
	Rows      int64  // of all tables
	Unsettled int64  // messages unanswered and parts unsent when it was copied
	Aside     string // Restore: the database from before; "" when there was none
	Carried   bool   // Restore: what was received, sent and told since the copy was made is known (carry)
}

// Backup copies the database to file while a bot may be at work on it:
// one snapshot, read beside the writer, never a lock that a turn waits for.
// The copy gets its name only once it was read back and found whole. Unless
// force, a file that exists is kept. Nothing in the folder changes.
func (f Folder) Backup(ctx context.Context, file string, force bool) (Copied, error) {
	path := filepath.Join(f.Dir, Name)
	if err := freeFor(path, file, force); err != nil {
		return Copied{}, err
	}
	if err := displaced(f.Dir); err != nil {
		return Copied{}, err
	}
	if err := sqlite.Whole(path); err != nil {
		return Copied{}, advise(err)
	}
	draft, err := text.Draft(file)
	if err != nil {
		return Copied{}, fmt.Errorf("back up %s: %w", path, err)
	}
	defer func() { _ = draft.Close(); _ = os.Remove(draft.Name()) }()
	c, err := f.duplicate(ctx, path, "mode=rw&_query_only=1&_busy_timeout=30000&_cache_size=-2000", draft)
	if err != nil {
		return Copied{}, fmt.Errorf("back up %s: %w", path, advise(sqlite.Explain(err)))
	}
	if err := text.Rename(draft.Name(), file); err != nil {
		return Copied{}, fmt.Errorf("back up %s: %w", path, err)
	}
	return c, nil
}

// freeFor says why file cannot be the backup of the database at path.
func freeFor(path, file string, force bool) error {
	there, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	for _, part := range []string{"", "-wal", "-shm"} {
		if live, err := os.Stat(path + part); err == nil && os.SameFile(live, there) {
			return fmt.Errorf("%s is the database itself: name another file", file)
		}
	}
	switch {
	case there.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", file)
	case !force:
		return fmt.Errorf("%s exists already: name another file, or overwrite it with --force", file)
	}
	return nil
}

// Restore puts the copy in file in the place of the database, which is
// kept under another name beside it. It refuses while a bot runs on the folder, and
// changes nothing there before the copy was read back and found whole.
func (f Folder) Restore(ctx context.Context, file string) (c Copied, err error) {
	if err := sqlite.Whole(file); err != nil {
		return Copied{}, fmt.Errorf("nothing was restored: %w", err)
	}
	if err := private(f.Dir); err != nil {
		return Copied{}, err
	}
	lock, err := Lock(f.Dir)
	if err != nil {
		return Copied{}, err
	}
	defer func() { _ = lock.Close() }()
	path := filepath.Join(f.Dir, Name)
	draft, err := text.Draft(path)
	if err != nil {
		return Copied{}, fmt.Errorf("nothing was restored: %w", err)
	}
	defer func() { _ = draft.Close(); _ = os.Remove(draft.Name()) }()
	if c, err = f.duplicate(ctx, file, untouched(file), draft); err != nil {
		return Copied{}, fmt.Errorf("nothing was restored: %s: %w", file, sqlite.Explain(err))
	}
	if c.Carried, err = settle(ctx, draft.Name(), c.Schema, path); err != nil {
		return Copied{}, fmt.Errorf("nothing was restored: %s: %w", file, err)
	}
	if c.Aside, err = setAside(path, "before-restore"); err == nil {
		err = text.Rename(draft.Name(), path)
	}
	if err != nil {
		return c, fmt.Errorf("restore %s: %w", file, err)
	}
	return c, nil
}

// untouched are the settings that read a file and leave nothing beside it: it may lie where
// nothing can be written.
func untouched(path string) string {
	if sqlite.HasLog(path) {
		return "mode=ro"
	}
	return "immutable=1"
}

// settle makes a draft of a restored database ready to take the place of replaced: carry, and
// nonces of its own, because what is said from now on must not be taken for what was said
// after the copy was made. One from before there was a salt gets its first with the migration.
// It also says that it was restored, to whoever opens it next (memory.Store.AfterRestore).
func settle(ctx context.Context, draft string, schema int, replaced string) (carried bool, err error) {
	if schema < saltedSchema {
		return false, nil
	}
	conn, done, err := sqlite.Connect(ctx, draft, "_journal_mode=DELETE&_synchronous=FULL")
	if err != nil {
		return false, err
	}
	defer done()
	if carried, err = carry(ctx, conn, replaced); err != nil {
		return false, err
	}
	if _, err = conn.ExecContext(ctx, "UPDATE secrets SET value = randomblob(16) WHERE name = 'nonce'"); err != nil {
		return false, err
	}
	_, err = conn.ExecContext(ctx, "INSERT OR REPLACE INTO secrets (name, value) VALUES ('restored', 'yes')")
	return carried, err
}

// setAside gives the database at path a second name, moves what belongs to it
// there, and returns that name; "" where there is none, though maybe its log.
// path itself stays until it is replaced: a folder without a database is not used.
func setAside(path, why string) (string, error) {
	fold(path)
	name := path + "." + why + "-" + time.Now().UTC().Format("20060102-150405")
	aside := name
	err := os.Link(path, aside)
	for n := 2; errors.Is(err, os.ErrExist); n++ { // within the same second
		aside = fmt.Sprint(name, "-", n)
		err = os.Link(path, aside)
	}
	kept := aside
	if errors.Is(err, os.ErrNotExist) {
		kept = ""
	} else if err != nil {
		return "", err
	}
	// A log left beside the restored file would be taken for its own.
	if err := os.Rename(path+"-wal", aside+"-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.Remove(path + "-shm"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return kept, nil
}

// fold brings the write-ahead log into the file, as far as a file that is
// being replaced, perhaps because it is damaged, still can.
func fold(path string) {
	db := sqlite.Raw(path, "mode=rw&_busy_timeout=1000")
	_, _ = db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	_ = db.Close()
}

// duplicate copies one snapshot of a database to draft and verifies the copy.
func (f Folder) duplicate(ctx context.Context, path, settings string, draft *os.File) (c Copied, err error) {
	src, done, err := sqlite.Connect(ctx, path, settings)
	if err != nil {
		return c, err
	}
	defer done()
	if _, err := src.ExecContext(ctx, "BEGIN"); err != nil {
		return c, err
	}
	counted, err := f.tally(ctx, src)
	if err != nil {
		return c, err
	}
	if err := sqlite.Copy(ctx, src, draft); err != nil {
		return c, err
	}
	if err := f.verify(ctx, draft.Name(), counted); err != nil {
		return c, err
	}
	st, err := draft.Stat()
	if err != nil {
		return c, err
	}
	return Copied{Bytes: st.Size(), Schema: counted.schema, Rows: counted.all(), Unsettled: counted.unsettled}, nil
}

// count is what two copies of a database have in common.
type count struct {
	schema    int
	rows      map[string]int64 // table -> rows
	unsettled int64
}

func (c count) all() (n int64) {
	for _, rows := range c.rows {
		n += rows
	}
	return n
}

// tally counts the rows of every table, and refuses what this version cannot
// read.
func (f Folder) tally(ctx context.Context, conn *sql.Conn) (c count, err error) {
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&c.schema); err != nil {
		return c, err
	}
	if known := len(f.Migrations); c.schema > known {
		return c, fmt.Errorf("%w (schema %d, this one knows %d): use the newer version", ErrNewerSchema, c.schema, known)
	}
	tables, err := listTables(ctx, conn, "sql NOT LIKE 'CREATE VIRTUAL%'")
	if err != nil {
		return c, err
	}
	if !slices.Contains(tables, "inbox") || c.schema == 0 {
		return c, errors.New("this is not a database of Parley")
	}
	c.rows = map[string]int64{}
	for _, name := range tables {
		var n int64
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM "+sqlite.Quoted(name)).Scan(&n); err != nil {
			return c, fmt.Errorf("count %s: %w", name, err)
		}
		c.rows[name] = n
	}
	err = conn.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM inbox WHERE state = 'new')
		+ (SELECT count(*) FROM outbox WHERE state IN ('ready', 'started'))`).Scan(&c.unsettled)
	return c, err
}

// verify reads a copy back: sound, and with the rows of the original.
func (f Folder) verify(ctx context.Context, path string, want count) error {
	conn, done, err := sqlite.Connect(ctx, path, "immutable=1")
	if err != nil {
		return err
	}
	defer done()
	if err := sqlite.QuickCheck(ctx, conn, ""); err != nil {
		return err
	}
	got, err := f.tally(ctx, conn)
	if err != nil {
		return err
	}
	if got.schema != want.schema || !maps.Equal(got.rows, want.rows) {
		return errors.New("the copy differs from its original; try again")
	}
	return nil
}
