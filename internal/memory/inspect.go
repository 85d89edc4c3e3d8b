package memory

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"parley/internal/text"
)

// applicationID stands in the header of every database of ours: "Prly".
const applicationID = 0x50726c79

// sign writes it, and that the schema was found right.
func sign(ctx context.Context, db *sql.DB) error {
	digest, _, err := digestOf(ctx, db)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d;
		INSERT INTO heartbeat (id, schema) VALUES (1, '%s') ON CONFLICT DO UPDATE SET schema = excluded.schema`, applicationID, digest))
	return err
}

// digestOf is a digest of everything in the schema, and its tables.
func digestOf(ctx context.Context, db *sql.DB) (digest string, tables []string, err error) {
	rows, err := db.QueryContext(ctx, "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY type, name")
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = rows.Close() }()
	h := sha256.New()
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return "", nil, err
		}
		if kind == "table" {
			tables = append(tables, name)
		}
		_, _ = fmt.Fprintf(h, "%q %q %q\n", kind, name, text)
	}
	return hex.EncodeToString(h.Sum(nil)), tables, rows.Err()
}

// recognize refuses a database that another program made, before anything is
// written to it. Ours that is older than the signature is known by its tables.
func recognize(ctx context.Context, path string) error {
	switch id, err := signature(path); {
	case err != nil:
		return err
	case id == applicationID:
		return nil
	case id != 0:
		return foreign(path, fmt.Sprintf("its application id is %d", id))
	}
	from := "immutable=1" // leaves nothing beside the file
	if st, err := os.Stat(path + "-wal"); err == nil && st.Size() > 0 {
		from = "mode=ro"
	}
	db, err := sql.Open("sqlite3", dsn(path, from))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	here, err := objects(ctx, db)
	if err != nil {
		return err
	}
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	want, err := objectsAt(ctx, version)
	if err != nil {
		return err
	}
	same := 0
	for name, form := range want {
		if here[name] == form {
			same++
		}
	}
	if version < 1 || 2*same < len(want) {
		return foreign(path, "its tables are "+strings.Join(tablesOf(here), ", "))
	}
	return nil
}

// foreign is the refusal of another program's file.
func foreign(path, sign string) error {
	return fmt.Errorf("%w (%s); nothing was changed: move %s away, or name another folder with --data", ErrForeign, text.Shorten(sign, 200), path)
}

// signature reads the application id from the file's header.
func signature(path string) (uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0, fmt.Errorf("%w: its header cannot be read: %v", ErrCorrupt, err)
	}
	if string(head[:16]) != "SQLite format 3\x00" {
		return 0, fmt.Errorf("%w: it is no SQLite database", ErrCorrupt)
	}
	return binary.BigEndian.Uint32(head[68:]), nil
}

// inspect compares the schema with what the migrations make, names what is
// missing, and reads the beginning of every table. What was compared is signed,
// so that the next start has it easier; signed says that it was before. Only a
// file that is whole is migrated.
func inspect(ctx context.Context, db *sql.DB) (signed bool, err error) {
	var version, id int
	if err := db.QueryRowContext(ctx, "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id").Scan(&version, &id); err != nil {
		return false, err
	}
	if version > len(migrations()) {
		return true, nil // migrate says so
	}
	digest, tables, err := digestOf(ctx, db)
	if err != nil {
		return false, err
	}
	var known string
	err = db.QueryRowContext(ctx, "SELECT schema FROM heartbeat").Scan(&known)
	if damaged := explain(err); errors.Is(damaged, ErrCorrupt) {
		return false, fmt.Errorf("table heartbeat: %w", damaged)
	}
	if known != digest {
		if err := compare(ctx, db, version); err != nil {
			return false, err
		}
	}
	return known == digest && id == applicationID, leaf(ctx, db, tables)
}

// compare finds what the migrations up to a version make and is not here.
func compare(ctx context.Context, db *sql.DB, version int) error {
	here, err := objects(ctx, db)
	if err != nil {
		return err
	}
	want, err := objectsAt(ctx, version)
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
		return fmt.Errorf("%w: %s", ErrCorrupt, text.Shorten(strings.Join(wrong, ", "), 400))
	}
	return nil
}

// leaf reads a row of every table, which meets a page of it that is garbage.
func leaf(ctx context.Context, db *sql.DB, tables []string) error {
	for _, table := range tables {
		rows, err := db.QueryContext(ctx, "SELECT * FROM "+quoted(table)+" LIMIT 1")
		if err != nil {
			return fmt.Errorf("%w: table %s: %v", ErrCorrupt, table, err)
		}
		for rows.Next() {
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// objects lists what is in a schema, each as "table messages" with its form:
// the columns of a table, and the statement of anything else without its
// spaces and comments. What SQLite makes for itself is left out.
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

// bareSQL is a statement without comments and spaces.
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

// objectsAt is the schema that the migrations up to a version make.
func objectsAt(ctx context.Context, version int) (map[string]string, error) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1) // each connection would be a database of its own
	if err := migrate(ctx, db, migrations()[:min(max(version, 0), len(migrations()))]); err != nil {
		return nil, err
	}
	return objects(ctx, db)
}

// tablesOf names the tables among objects.
func tablesOf(all map[string]string) (names []string) {
	for name := range all {
		if table, ok := strings.CutPrefix(name, "table "); ok {
			names = append(names, table)
		}
	}
	slices.Sort(names)
	return names
}
