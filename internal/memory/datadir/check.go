package datadir

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
)

// checkedWhole is the size up to which a file is checked in one go, which also
// sees pages that belong to nothing. A larger one is checked table by table:
// while a check reads, the log of what is written meanwhile cannot be folded
// into the file, so each may take only so long.
const checkedWhole = 64 << 20

// Check runs SQLite's quick_check beside the writer: nil means the file is
// sound. What it finds stays in Health. When it has the time it rests between
// tables as long as they took, so that people come first; see Options.
func (f *File) Check(ctx context.Context) error {
	err := f.check(ctx)
	switch {
	case err == nil:
		f.cond.checked.Store(true)
	case ctx.Err() == nil:
		f.cond.checked.Store(true)
		f.cond.see(err)
	}
	return engine.During("check database", f.told(err))
}

func (f *File) check(ctx context.Context) error {
	if f.served {
		return f.checkServed(ctx)
	}
	conn, done, err := sqlite.Fresh(ctx, f.db.Path())
	if err != nil {
		return err
	}
	defer done()
	var size int64
	if err := conn.QueryRowContext(ctx, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").Scan(&size); err != nil {
		return err
	}
	if size <= checkedWhole {
		return f.verdict(ctx, conn, "")
	}
	tables, err := listTables(ctx, conn, "true")
	if err != nil {
		return err
	}
	for _, table := range tables {
		began := time.Now()
		if err := f.verdict(ctx, conn, table); err != nil {
			return err
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// verdict checks a table, or everything for "", and keeps what it finds.
func (f *File) verdict(ctx context.Context, conn *sql.Conn, table string) error {
	err := sqlite.QuickCheck(ctx, conn, table)
	if errors.Is(err, ErrCorrupt) {
		err = advise(err)
		f.cond.damaged.CompareAndSwap(nil, &err)
	}
	return err
}

// listTables names the tables that fit a condition on sqlite_schema.
func listTables(ctx context.Context, conn *sql.Conn, which string) (names []string, err error) {
	rows, err := conn.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND "+which+" ORDER BY name")
	if err != nil {
		return nil, err
	}
	return engine.Collect(rows, engine.Value[string])
}
