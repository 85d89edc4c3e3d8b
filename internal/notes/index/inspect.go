package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/internal/db/sqlite"
)

// Report is what an index holds, for those who do not open it: files by source,
// and those that are not found, or not whole.
type Report struct {
	Documents map[string]int // files that are searched, by source
	Skipped   []Entry
}

// maxReported is how many files a Report names.
const maxReported = 100

// Inspect looks into an index file that another process may be using, and changes
// nothing. Without a file, or with one of another version, nothing is known.
func Inspect(ctx context.Context, file string) (r Report, err error) {
	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return r, err
	}
	db := sqlite.Raw(file, "mode=ro&_query_only=1&_busy_timeout=5000")
	defer func() { err = errors.Join(err, db.Close()) }()
	var version int
	if err := db.QueryRowContext(ctx, "SELECT user_version FROM pragma_user_version").Scan(&version); err != nil || version != schemaVersion {
		return r, err
	}
	if r.Documents, err = counted(ctx, db); err != nil {
		return r, err
	}
	r.Skipped, err = skipped(ctx, db, maxReported)
	return r, err
}

// counted returns how many files of each source are searched.
func counted(ctx context.Context, db rower) (map[string]int, error) {
	rows, err := db.QueryContext(ctx, "SELECT source, sum(skipped = '') FROM docs GROUP BY source")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[string]int{}
	for rows.Next() {
		var source string
		var n int
		if err := rows.Scan(&source, &n); err != nil {
			return nil, err
		}
		all[source] = n
	}
	return all, rows.Err()
}

// rower is an index that is open in one way or another.
type rower interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Skipped names files that are not searched, or not whole, with the reason.
func (v *Vault) Skipped(ctx context.Context, limit int) (all []Entry, err error) {
	err = v.asking(func(ix *index) error {
		all, err = skipped(ctx, ix.db, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list skipped files: %w", err)
	}
	return all, nil
}

func skipped(ctx context.Context, db rower, limit int) (all []Entry, err error) {
	rows, err := db.QueryContext(ctx, `SELECT source, path, kind, title, size, mtime, skipped, partly FROM docs
		WHERE skipped <> '' OR partly <> '' ORDER BY source, path LIMIT ?`, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var e Entry
		var mtime int64
		if err := rows.Scan(&e.Source, &e.Path, &e.Kind, &e.Title, &e.Size, &mtime, &e.Skipped, &e.Partly); err != nil {
			return nil, err
		}
		e.Modified = time.Unix(0, mtime)
		all = append(all, e)
	}
	return all, rows.Err()
}

// Gone reports whether a folder can be read and has nothing in it that would be
// looked at: of one that had files, a sign that its disk is away.
func Gone(dir string) bool {
	return !SourceStatus{Empty: true}.back(dir)
}
