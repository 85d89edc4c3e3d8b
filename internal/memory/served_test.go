package memory

import (
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite"
	"parley/internal/memory/datadir"
	"parley/internal/memory/pgschema"
)

// firstServed is how many steps there were when databases on a server began: none of
// those has older rows.
const firstServed = 29

// TestServedSteps: every migration is made on a server as well, by translation or in its
// own words (internal/memory/pgschema/steps), and leads where a new database begins.
func TestServedSteps(t *testing.T) {
	all := Migrations()
	fresh := catalog(t, datadir.Options{Migrations: all, Today: today})
	stepwise := postgrestest.Database(t)
	for n := firstServed; n <= len(all); n++ {
		o := datadir.Options{Migrations: all[:n], Today: script(t, all[:n]), URL: stepwise, Served: pgschema.Schema()}
		f, _, err := datadir.Open(t.Context(), "", o)
		if err != nil {
			t.Fatalf("step %s: %v", all[n-1].Name, err)
		}
		must(t, f.Close())
	}
	if got := described(t, stepwise); !slices.Equal(got, fresh) {
		t.Errorf("the steps make something else than a new database has:\n%s\nbut not\n%s", strings.Join(less(got, fresh), "\n"),
			strings.Join(less(fresh, got), "\n"))
	}
}

// lastUndeclared is the last step from before several processes could share a database.
const lastUndeclared = "0038_planned_once.sql"

// TestServedEffects: each step declares how it affects older processes, which answer
// meanwhile. An undeclared one waits until they are gone.
func TestServedEffects(t *testing.T) {
	effects := pgschema.Schema().Effects
	for _, m := range Migrations() {
		if _, said := effects[m.Name]; !said && m.Name > lastUndeclared {
			t.Errorf("internal/memory/pgschema/schema.go does not say whether %s only adds", m.Name)
		}
	}
	if effects["none"] != datadir.Takes {
		t.Error("an undeclared step does not wait")
	}
	for name := range effects {
		if !slices.ContainsFunc(Migrations(), func(m sqlite.Migration) bool { return m.Name == name }) {
			t.Errorf("internal/memory/pgschema/schema.go speaks of %s, which is no step", name)
		}
	}
}

// TestServedTriggers: each trigger for SQLite names the one on a server that does its
// work.
func TestServedTriggers(t *testing.T) {
	own := strings.Fields(pgschema.Schema().Own)
	for _, m := range regexp.MustCompile(`CREATE TRIGGER (\w+)`).FindAllStringSubmatch(today, -1) {
		if !slices.Contains(own, m[1]) {
			t.Errorf("internal/memory/pgschema/own.sql does not say which trigger does what %s does", m[1])
		}
	}
}

// TestServedFlags: a column that holds yes or no has a type of its own on a server.
func TestServedFlags(t *testing.T) {
	all := catalog(t, datadir.Options{Migrations: Migrations(), Today: today})
	for _, flag := range []string{"sessions.direct", "sessions.carry", "key_facts.important", "tasks.done",
		"fact_changes.learned", "note_authors.shared", "guard_calls.confirmed", "reminders.ask", "reminders.only_changed"} {
		if !slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, "column "+flag+" boolean NO") }) {
			t.Errorf("%s is no flag", flag)
		}
	}
}

// TestServedTwice: a row that is changed twice in one transaction is put into the index
// once, with its last words.
func TestServedTwice(t *testing.T) {
	url := postgrestest.Database(t)
	f, db, err := datadir.Open(t.Context(), "", datadir.Options{Migrations: Migrations(), Today: today, URL: url, Served: pgschema.Schema()})
	must(t, err)
	defer func() { must(t, f.Close()) }()
	tries := 0
	must(t, db.Write(t.Context(), func(tx *engine.Tx) error {
		tries++
		for _, statement := range []string{
			"INSERT INTO key_facts (scope, subject, owner, platform, channel, content, type, author, confidence, valid_from, " +
				"created_at, updated_at) VALUES ('person', 'x:1', 'x1', 'x', 'c', 'tea', 'fact', 'user', 1, '', '', '')",
			"UPDATE key_facts SET tags = '#work'",
			"UPDATE key_facts SET content = 'coffee'",
		} {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	}))
	var words string
	must(t, postgrestest.Raw(t, url).QueryRow("SELECT string_agg(words::text, '') FROM key_facts_fts").Scan(&words))
	if tries != 1 || !strings.Contains(words, "coffe") || !strings.Contains(words, "work") || strings.Contains(words, "tea") {
		t.Errorf("after %d attempts the words are %s", tries, words)
	}
}

// TestServedWords: the rows whose words are due are looked up by their keys, in a database
// that is new as well: a connection plans that once, when its tables are empty.
func TestServedWords(t *testing.T) {
	url := postgrestest.Database(t)
	f, _, err := datadir.Open(t.Context(), "", datadir.Options{Migrations: Migrations(), Today: today, URL: url, Served: pgschema.Schema()})
	must(t, err)
	defer func() { must(t, f.Close()) }()
	conn, err := postgrestest.Raw(t, url).Conn(t.Context())
	must(t, err)
	defer func() { must(t, conn.Close()) }()
	_, err = conn.ExecContext(t.Context(), "SET random_page_cost = 4") // as servers have it
	must(t, err)
	rows, err := conn.QueryContext(t.Context(), "EXPLAIN "+pgschema.Schema().Words.Due)
	must(t, err)
	plan, err := engine.Collect(rows, engine.Value[string])
	must(t, err)
	if text := strings.Join(plan, "\n"); strings.Contains(text, "Seq Scan on") || strings.Count(text, "Index") < 4 {
		t.Errorf("it reads whole tables:\n%s", text)
	}
}

func less(a, b []string) (left []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			left = append(left, x)
		}
	}
	return left
}

// catalog describes a new database on a server.
func catalog(t *testing.T, o datadir.Options) []string {
	t.Helper()
	o.URL, o.Served = postgrestest.Database(t), pgschema.Schema()
	f, _, err := datadir.Open(context.Background(), "", o)
	must(t, err)
	must(t, f.Close())
	return described(t, o.URL)
}

// described lists columns, indexes, rules and triggers.
func described(t *testing.T, url string) (list []string) {
	t.Helper()
	rows, err := postgrestest.Raw(t,
		url).Query(`SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT 'rule ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0
		UNION ALL SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
		ORDER BY 1`)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	for rows.Next() {
		var s sql.NullString
		must(t, rows.Scan(&s))
		list = append(list, s.String)
	}
	must(t, rows.Err())
	return list
}
