package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/internal/db/engine"
	"parley/internal/text"
)

// Digest returns a digest of everything in the schema, and its tables; what a
// virtual one holds is in others.
func Digest(ctx context.Context, db *sql.DB) (digest string, tables []string, err error) {
	rows, err := db.QueryContext(ctx,
		"SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY type, name")
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = rows.Close() }()
	h, line := sha256.New(), []byte(nil)
	for rows.Next() {
		var kind, name, form string
		if err := rows.Scan(&kind, &name, &form); err != nil {
			return "", nil, err
		}
		if kind == "table" && !strings.HasPrefix(form, "CREATE VIRTUAL") {
			tables = append(tables, name)
		}
		line = append(strconv.AppendQuote(line[:0], kind), ' ')
		line = append(strconv.AppendQuote(line, name), ' ')
		_, _ = h.Write(append(strconv.AppendQuote(line, form), '\n'))
	}
	return hex.EncodeToString(h.Sum(nil)), tables, rows.Err()
}

// Compare returns ErrCorrupt with the names of everything that the migrations up to
// a version make and that is missing or different.
func (ms Migrations) Compare(ctx context.Context, db *sql.DB, version int) error {
	here, err := objects(ctx, db)
	if err != nil {
		return err
	}
	want, err := ms.objects(ctx, version)
	if err != nil {
		return err
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch form, there := here[name]; {
		case !there:
			wrong = append(wrong, name+" is missing")
		case form != want[name]:
			wrong = append(wrong, name+" is not as Parley makes it")
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %s", engine.ErrCorrupt, text.Shorten(strings.Join(wrong, ", "), 400))
	}
	return nil
}

// Resembles reports whether a file, damaged or not, has at least half of what the
// migrations make, and names its tables.
func (ms Migrations) Resembles(ctx context.Context, db *sql.DB) (ours bool, tables []string, err error) {
	here, err := objects(ctx, db)
	if err != nil {
		return false, nil, err
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return false, nil, err
	}
	want, err := ms.objects(ctx, version)
	if err != nil {
		return false, nil, err
	}
	same := 0
	for name, form := range want {
		if here[name] == form {
			same++
		}
	}
	for name := range here {
		if table, ok := strings.CutPrefix(name, "table "); ok {
			tables = append(tables, table)
		}
	}
	slices.Sort(tables)
	return version >= 1 && 2*same >= len(want), tables, nil
}

// made holds the schemas that were asked for, by a hash of their steps: going through all
// steps takes a tenth of a second.
var made sync.Map

// objects returns the schema that the migrations up to a version make. It must not be changed.
func (ms Migrations) objects(ctx context.Context, version int) (map[string]string, error) {
	ms = ms[:min(max(version, 0), len(ms))]
	h := sha256.New()
	for _, m := range ms {
		_, _ = fmt.Fprintf(h, "%q", m.SQL)
	}
	steps := [sha256.Size]byte(h.Sum(nil))
	if all, ok := made.Load(steps); ok {
		return all.(map[string]string), nil
	}
	db := Raw(":memory:", "")
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if err := ms.Apply(ctx, db); err != nil {
		return nil, err
	}
	all, err := objects(ctx, db)
	if err == nil {
		made.Store(steps, all)
	}
	return all, err
}

// objects lists what is in a schema, each as "table messages" with its form:
// the columns of a table, and the statement of anything else without its
// spaces and comments. SQLite's own objects are left out.
func objects(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT type || ' ' || name,
			CASE WHEN type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' THEN (SELECT group_concat(name, ',') FROM pragma_table_xinfo(m.name)) ELSE sql END
		FROM sqlite_schema AS m WHERE substr(name, 1, 7) <> 'sqlite_'`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	all := map[string]string{}
	for rows.Next() {
		var name string
		var form sql.NullString
		if err := rows.Scan(&name, &form); err != nil {
			return nil, err
		}
		all[name] = bareSQL(form.String)
	}
	return all, rows.Err()
}

// bareSQL returns a statement without comments and spaces.
func bareSQL(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "--")
		for _, word := range strings.Fields(line) {
			b.WriteString(word)
		}
	}
	return b.String()
}

// ReadEach reads one row of every table, which finds a page that is garbage.
func ReadEach(ctx context.Context, db *sql.DB, tables []string) error {
	for _, table := range tables {
		rows, err := db.QueryContext(ctx, "SELECT * FROM "+Quoted(table)+" LIMIT 1")
		if err != nil {
			return fmt.Errorf("%w: table %s: %v", engine.ErrCorrupt, table, err)
		}
		for rows.Next() {
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

// Quoted returns the name of a table as written in a statement.
func Quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
