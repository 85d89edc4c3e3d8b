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

// Report says what an index file holds.
type Report struct {
	Documents map[string]int // searchable files, by source
	Skipped   []Entry        // files that searches do not find, or not wholly
}

// maxReported limits the files that a Report names.
const maxReported = 100

// Inspect reads an index file that another process may be using, without changing it.
// The Report is empty if there is no file, or one of another version.
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
	r.Documents = map[string]int{}
	err = each(ctx, db, func(rows *sql.Rows) error {
		var source string
		var n int
		err := rows.Scan(&source, &n)
		r.Documents[source] = n
		return err
	}, "SELECT source, sum(skipped = '') FROM docs GROUP BY source")
	if err == nil {
		r.Skipped, err = skipped(ctx, db, maxReported)
	}
	return r, err
}

// Skipped names files that searches do not find, or not wholly, with the reason.
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
	return all, each(ctx, db, func(rows *sql.Rows) error {
		var e Entry
		var mtime int64
		err := rows.Scan(&e.Source, &e.Path, &e.Kind, &e.Title, &e.Size, &mtime, &e.Skipped, &e.Partly)
		e.Modified = time.Unix(0, mtime)
		all = append(all, e)
		return err
	}, `SELECT source, path, kind, title, size, mtime, skipped, partly FROM docs
		WHERE skipped <> '' OR partly <> '' ORDER BY source, path LIMIT ?`, limit)
}

// Gone reports whether a folder can be read but has no file to index. If it had files,
// its disk is probably away.
func Gone(dir string) bool {
	return !SourceStatus{Empty: true}.back(dir)
}
