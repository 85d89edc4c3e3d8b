package memory

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/db/sqlite"
)

var update = flag.Bool("update", false, "write today.sql again")

// stepsBehind is how many steps a new file may go through after today.sql.
const stepsBehind = 8

// TestToday: today.sql makes what the migrations make, as far as it goes.
func TestToday(t *testing.T) {
	all := Migrations()
	if *update {
		text := script(t, all)
		must(t, os.WriteFile("today.sql", []byte(text), 0o644))
		must(t, os.WriteFile("today.db.gz", image(t, text), 0o644))
		return
	}
	const how = "go test -tags sqlite_fts5 ./internal/memory -run TestToday -update"
	db := inMemory(t)
	must(t, sqlite.Run(t.Context(), db, today))
	var version int
	must(t, db.QueryRow("PRAGMA user_version").Scan(&version))
	if version < 1 || len(all)-version > stepsBehind {
		t.Fatalf("today.sql goes as far as step %d of %d: %s", version, len(all), how)
	}
	want := contents(t, migrated(t, all[:version]))
	for name, db := range map[string]*sql.DB{"today.sql": db, "today.db.gz": copied(t)} {
		got := contents(t, db)
		if slices.Equal(got, want) {
			continue
		}
		t.Errorf("%s makes something else than the steps; if they are right: %s", name, how)
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("%s\ninstead of\n%s", got[i], want[i])
			}
		}
	}
}

// copied is a file that is made of today.db.gz as a new store's is.
func copied(t *testing.T) *sql.DB {
	path := filepath.Join(t.TempDir(), "copy.db")
	must(t, second(sqlite.Make(t.Context(), path, todayFile, func(ctx context.Context, db *sql.DB) error {
		return sqlite.Run(ctx, db, seed)
	})))
	db := sqlite.Raw(path, "")
	t.Cleanup(func() { must(t, db.Close()) })
	var vacuum int
	var whole string
	must(t, db.QueryRow("PRAGMA auto_vacuum").Scan(&vacuum))
	must(t, db.QueryRow("PRAGMA integrity_check").Scan(&whole))
	if vacuum != 2 || whole != "ok" {
		t.Errorf("of today.db.gz auto_vacuum is %d and integrity_check says %q", vacuum, whole)
	}
	return db
}

// image is the file that a script makes without what seed adds, compressed.
func image(t *testing.T, script string) []byte {
	path := filepath.Join(t.TempDir(), "image.db")
	db := sqlite.Raw(path, "_journal_mode=DELETE&_secure_delete=on")
	db.SetMaxOpenConns(1)
	must(t, second(db.Exec("PRAGMA auto_vacuum = incremental")))
	must(t, sqlite.Run(t.Context(), db, script))
	for _, statement := range []string{"DELETE FROM secrets", "VACUUM"} {
		must(t, second(db.Exec(statement)))
	}
	must(t, db.Close())
	file, err := os.ReadFile(path)
	must(t, err)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	must(t, err)
	must(t, second(w.Write(file)))
	must(t, w.Close())
	return packed.Bytes()
}

// Two new files have no secret in common.
func TestNewFilesDiffer(t *testing.T) {
	nonce := func() (n []byte) {
		s, err := Open(t.Context(), t.TempDir()+"/data", Options{}) // on a server tests copy a database
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		must(t, s.db.QueryRow("SELECT value FROM secrets WHERE name = 'nonce'").Scan(&n))
		return n
	}
	if a, b := nonce(), nonce(); len(a) != 16 || bytes.Equal(a, b) {
		t.Errorf("%x and %x", a, b)
	}
}

func inMemory(t *testing.T) *sql.DB {
	db := sqlite.Raw(":memory:", "")
	t.Cleanup(func() { must(t, db.Close()) })
	db.SetMaxOpenConns(1)
	return db
}

func migrated(t *testing.T, steps sqlite.Migrations) *sql.DB {
	db := inMemory(t)
	must(t, steps.Apply(context.Background(), db))
	return db
}

// script is what makes the schema of the steps in one go. A full-text index makes
// tables of its own, and its settings are given to it by name.
func script(t *testing.T, steps sqlite.Migrations) string {
	db := migrated(t, steps)
	var b strings.Builder
	b.WriteString("-- What the migrations make, in one go. Written by TestToday.\n")
	for _, r := range rowsOf(t, db, `SELECT sql FROM sqlite_schema m WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_' AND NOT EXISTS (
			SELECT 1 FROM sqlite_schema v WHERE v.sql LIKE 'CREATE VIRTUAL%' AND v.name <> m.name AND substr(m.name, 1, length(v.name) + 1) = v.name || '_' AND m.type = 'table')
		ORDER BY rowid`) {
		b.WriteString(r[0] + ";\n")
	}
	for _, v := range rowsOf(t, db, "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' ORDER BY name") {
		for _, c := range rowsOf(t, db, "SELECT k, quote(v) FROM "+sqlite.Quoted(v[0]+"_config")+" WHERE k <> 'version'") {
			fmt.Fprintf(&b, "INSERT INTO %[1]s (%[1]s, rank) VALUES ('%[2]s', %[3]s);\n", v[0], c[0], c[1])
		}
	}
	for _, r := range rowsOf(t, db, "SELECT name, seq FROM sqlite_sequence ORDER BY name") {
		fmt.Fprintf(&b, "INSERT INTO sqlite_sequence (name, seq) VALUES ('%s', %s);\n", r[0], r[1])
	}
	b.WriteString(seed)
	fmt.Fprintf(&b, "PRAGMA user_version = %d;\n", len(steps))
	return b.String()
}

// contents is everything in a new database: its schema and its rows. What is
// random counts by its length.
func contents(t *testing.T, db *sql.DB) (list []string) {
	for _, r := range rowsOf(t, db, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name") {
		list = append(list, strings.Join(r, " "))
	}
	for _, r := range rowsOf(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name") {
		query := "SELECT * FROM " + sqlite.Quoted(r[0])
		if r[0] == "secrets" {
			query = "SELECT name, length(value) FROM secrets"
		}
		rows := rowsOf(t, db, query)
		slices.SortFunc(rows, slices.Compare)
		for _, row := range rows {
			list = append(list, fmt.Sprintf("%s %q", r[0], row))
		}
	}
	return list
}

func rowsOf(t *testing.T, db *sql.DB, query string) (list [][]string) {
	rows, err := db.Query(query)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	names, err := rows.Columns()
	must(t, err)
	for rows.Next() {
		row, to := make([]string, len(names)), make([]any, len(names))
		for i := range row {
			to[i] = &row[i]
		}
		must(t, rows.Scan(to...))
		list = append(list, row)
	}
	must(t, rows.Err())
	return list
}
