package datadir

import (
	"errors"
	"strings"
	"testing"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite"
	"parley/internal/text/waittest"
)

var must = waittest.Must

// TestOlderProcesses: while an older process lives, a newer one adds to the schema and
// takes nothing away; afterwards it does, and says clearly to an older one why it cannot
// start.
func TestOlderProcesses(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	steps := sqlite.Migrations{
		{Name: "0001_a.sql", SQL: "CREATE TABLE a (x TEXT NOT NULL);"},
		{Name: "0002_more.sql", SQL: "ALTER TABLE a ADD COLUMN y TEXT NOT NULL DEFAULT '';"},
		{Name: "0003_less.sql", SQL: "ALTER TABLE a DROP COLUMN x;"},
	}
	open := func(version int) error {
		f, _, err := Open(t.Context(), t.TempDir(), Options{URL: url, Self: "me", Migrations: steps[:version],
			Served: Served{Effects: map[string]Effect{"0002_more.sql": Adds, "0003_less.sql": Takes}}, Today: steps[0].SQL +
				"\nPRAGMA user_version = 1;"})
		if err == nil {
			err = f.Close()
		}
		return err
	}
	must(t, open(1))
	rows := postgrestest.Raw(t, url)
	for _, statement := range []string{
		"CREATE TABLE node_leases (id text, name text, version text, until timestamptz)",
		"INSERT INTO node_leases VALUES ('me', 'here:1', '2.0', 'infinity'), ('twin', 'here:2', '2.0', 'infinity'), " +
			"('dead', 'here:3', '1.0', '-infinity'), ('old', 'there:4', '1.0', 'infinity')",
	} {
		must(t, waittest.Second(rows.Exec(statement)))
	}
	if err := open(2); err != nil {
		t.Errorf("a step that adds: %v", err)
	}
	if err := open(3); !errors.Is(err, ErrOlderRuns) || !strings.Contains(err.Error(), "there:4 (1.0);") ||
		!strings.Contains(err.Error(), "0003_less.sql") {
		t.Errorf("a step that takes away: %v", err)
	}
	must(t, waittest.Second(rows.Exec("DELETE FROM node_leases WHERE id = 'old'")))
	if err := open(3); err != nil {
		t.Errorf("with processes of the same version: %v", err)
	}
	if err := open(2); !errors.Is(err, ErrNewerSchema) {
		t.Errorf("an older process that starts: %v", err)
	}
}
