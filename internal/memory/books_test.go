package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/db/sqlite"
	"parley/internal/memory/agenda"
	"parley/internal/memory/datadir"
	"parley/internal/memory/facts"
	"parley/internal/memory/pgschema"
)

// adding adds one row of each kind for v and returns their numbers, and their keys.
func adding(t *testing.T, s *Store, v Viewer, words string) (numbers, keys []int64) {
	t.Helper()
	f, err := s.Facts.SaveFact(bg, v, facts.NewFact{Content: words})
	must(t, err)
	task, err := s.Agenda.AddTask(bg, v, words, "task "+words, Origin{})
	must(t, err)
	due := agenda.Reminder{User: chat.User{ID: v.User}, Key: v.Key, Text: words, Due: time.Now().Add(time.Hour)}
	r, err := s.Agenda.AddReminder(bg, due, "")
	must(t, err)
	e, err := s.Agenda.AddLog(bg, v, agenda.LogEntry{Content: words}, "")
	must(t, err)
	again, err := s.Agenda.AddTask(bg, v, words, "task "+words, Origin{})
	if must(t, err); again.Number != task.Number {
		t.Errorf("the same call again: #%d, and then #%d", task.Number, again.Number)
	}
	return []int64{f.Number, task.Number, r.Number, e.Number}, []int64{f.ID, task.ID, r.ID, e.ID}
}

// TestBooks: what people have counts from 1 for each of them, whatever others have. No number
// comes twice, not after its row is gone for good, until its person is forgotten; and a
// number of somebody else's is as one that nobody has.
func TestBooks(t *testing.T) {
	s, anna, ben := open(t, Options{}), direct("x:anna"), direct("x:ben")
	for i := range 6 {
		adding(t, s, ben, fmt.Sprintf("Ben owns boat number %c", 'a'+i))
	}
	all := func(n int64) []int64 { return []int64{n, n, n, n} }
	keys := []int64{}
	for i, said := range []string{"plays the harp", "was born in Lima"} {
		var got []int64
		if got, keys = adding(t, s, anna, said); !slices.Equal(got, all(int64(i+1))) {
			t.Errorf("Anna's: %v", got)
		}
	}
	must(t, second(s.Facts.EraseFact(bg, anna, keys[0])))
	must(t, second(s.Agenda.DeleteTask(bg, anna, keys[1])))
	must(t, s.db.Exec(bg, "DELETE FROM reminders WHERE id = ?", keys[2]))
	must(t, s.db.Exec(bg, "DELETE FROM log_entries WHERE id = ?", keys[3]))
	if got, _ := adding(t, s, anna, "swims on Sundays"); !slices.Equal(got, all(3)) {
		t.Errorf("after the last row of each kind was deleted: %v", got)
	}
	for _, number := range []int64{2, 5, 99} { // deleted, Ben's, nobody's
		_, e1 := s.Facts.Meant(bg, anna, facts.Which{Number: number, Erasable: true})
		_, e2 := s.Agenda.TaskID(bg, anna, number)
		_, e3 := s.Agenda.ReminderID(bg, anna, number)
		if !errors.Is(e1, facts.ErrNone) || !errors.Is(e2, agenda.ErrNoTask) || !errors.Is(e3, agenda.ErrNoReminder) {
			t.Errorf("#%d: %v, %v, %v", number, e1, e2, e3)
		}
	}
	must(t, s.ForgetPerson(bg, anna.User, 0))
	if got, _ := adding(t, s, anna, "starts anew"); !slices.Equal(got, all(1)) {
		t.Errorf("after she was forgotten: %v", got)
	}
	if got, _ := adding(t, s, ben, "goes on"); !slices.Equal(got, all(7)) {
		t.Errorf("Ben's: %v", got)
	}
}

// TestBooksOfPlaces: a place counts what is remembered for everybody there, beside people's
// own. One number for both is asked back about, in words that show nobody else's; forgotten
// facts are found only to be erased.
func TestBooksOfPlaces(t *testing.T) {
	s, ctx := open(t, Options{}), bg
	room := chat.Key{Platform: "telegram", Channel: "-5"}
	anna, ben := Viewer{User: "telegram:1", Key: room}, Viewer{User: "telegram:2", Key: room}
	save := func(v Viewer, scope facts.Scope, said string) facts.Fact {
		t.Helper()
		f, err := s.Facts.SaveFact(ctx, v, facts.NewFact{Scope: scope, Content: said})
		must(t, err)
		return f.Fact
	}
	own, all := save(anna, facts.ScopePerson, "plays the harp"), save(ben, facts.ScopeChannel, "meets on Tuesdays, says zxben")
	if own.Number != 1 || all.Number != 1 {
		t.Fatalf("#%d and #%d", own.Number, all.Number)
	}
	meant := func(v Viewer, w facts.Which) (int64, error) { return s.Facts.Meant(ctx, v, w) }
	_, err := meant(anna, facts.Which{Number: 1})
	said := fmt.Sprint(err)
	if !strings.Contains(said, "harp") || !strings.Contains(said, "scope:channel") || strings.Contains(said, "zxben") {
		t.Errorf("two have the number: %v", err)
	}
	for scope, want := range map[facts.Scope]int64{facts.ScopePerson: own.ID, facts.ScopeChannel: all.ID} {
		if got, err := meant(anna, facts.Which{Number: 1, Scope: scope}); got != want || err != nil {
			t.Errorf("%s: %d, %v", scope, got, err)
		}
	}
	if got, err := meant(ben, facts.Which{Number: 1}); got != all.ID || err != nil {
		t.Errorf("only the place has one for Ben: %d, %v", got, err)
	}
	must(t, second(s.Facts.ForgetFact(ctx, anna, own.ID)))
	if got, err := meant(anna, facts.Which{Number: 1}); got != all.ID || err != nil {
		t.Errorf("a forgotten fact still counts: %d, %v", got, err)
	}
	gone := facts.Which{Number: 1, Scope: facts.ScopePerson}
	if _, err := meant(anna, gone); !errors.Is(err, facts.ErrNone) {
		t.Errorf("forgotten: %v", err)
	}
	gone.Erasable = true
	if got, err := meant(anna, gone); got != own.ID || err != nil {
		t.Errorf("to erase: %d, %v", got, err)
	}
}

// TestBookMoves: a channel that goes on under another id takes its book along, behind what was
// remembered there before the move was known.
func TestBookMoves(t *testing.T) {
	s := open(t, Options{})
	from, to := chat.Key{Platform: "telegram", Channel: "-5"}, chat.Key{Platform: "telegram", Channel: "-1005"}
	save := func(k chat.Key, said string) facts.Fact {
		t.Helper()
		f, err := s.Facts.SaveFact(bg, Viewer{User: "telegram:1", Key: k}, facts.NewFact{Scope: facts.ScopeChannel, Content: said})
		must(t, err)
		return f.Fact
	}
	save(from, "meets on Tuesdays")
	save(from, "has a blue door")
	save(to, "keeps two parrots")
	for range 2 {
		must(t, s.Move(bg, chat.Move{From: from, To: to}))
	}
	list, err := s.Facts.Facts(bg, Viewer{User: "telegram:1", Key: to}, 10, 0)
	must(t, err)
	got := map[string]int64{}
	for _, f := range list {
		got[f.Content] = f.Number
	}
	if got["keeps two parrots"] != 1 || got["meets on Tuesdays"] != 2 || got["has a blue door"] != 3 {
		t.Errorf("%v", got)
	}
	if f := save(to, "sings in winter"); f.Number != 4 {
		t.Errorf("the next is #%d", f.Number)
	}
	if f := save(from, "was left alone"); f.Number != 1 {
		t.Errorf("under the old name begins #%d", f.Number)
	}
}

// TestBooksOfOlderFiles: what was numbered before keeps its number, since people noted it and
// old buttons have it; each person goes on behind their own.
func TestBooksOfOlderFiles(t *testing.T) {
	all := Migrations()
	at := slices.IndexFunc(all, func(m sqlite.Migration) bool { return m.Name == "0068_numbers.sql" })
	db := migrated(t, all[:at])
	const task = "INSERT INTO tasks (user_id, platform, channel, description, created_at, updated_at) VALUES (?, 'x', 'c', 'x', '', '')"
	for _, who := range []string{"anna", "ben", "anna", "ben", "ben"} {
		_, err := db.Exec(task, who)
		must(t, err)
	}
	_, err := db.Exec("DELETE FROM tasks WHERE id = 4")
	must(t, err)
	must(t, all.Apply(t.Context(), db))
	for _, who := range []string{"anna", "ben", "carol"} {
		_, err := db.Exec(task, who)
		must(t, err)
	}
	got := rowsOf(t, db, "SELECT user_id, string_agg(number, ' ' ORDER BY id) FROM tasks GROUP BY user_id ORDER BY user_id")
	want := [][]string{{"anna", "1 3 4"}, {"ben", "2 5 6"}, {"carol", "1"}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBooksOfOlderServers: as TestBooksOfOlderFiles, for a database on a server.
func TestBooksOfOlderServers(t *testing.T) {
	all := Migrations()
	at := slices.IndexFunc(all, func(m sqlite.Migration) bool { return m.Name == "0068_numbers.sql" })
	url := postgrestest.Database(t)
	made := func(n int) {
		o := datadir.Options{Migrations: all[:n], Today: script(t, all[:n]), URL: url, Served: pgschema.Schema()}
		f, _, err := datadir.Open(t.Context(), "", o)
		must(t, err)
		must(t, f.Close())
	}
	made(at)
	db := postgrestest.Raw(t, url)
	add := func(people ...string) {
		for _, who := range people {
			_, err := db.Exec("INSERT INTO log_entries (user_id, platform, channel, author, type, content, at) VALUES ($1, 'x', 'c', 'user', "+
				"'thought', 'x', '')", who)
			must(t, err)
		}
	}
	must(t, second(db.Exec("ALTER TABLE log_entries DISABLE TRIGGER log_entries_number"))) // which an older server does not have
	add("anna", "ben", "anna")
	made(len(all))
	must(t, second(db.Exec("ALTER TABLE log_entries ENABLE TRIGGER log_entries_number")))
	add("anna", "ben", "carol")
	var got string
	must(t, db.QueryRow("SELECT string_agg(user_id || number, ' ' ORDER BY id) FROM log_entries").Scan(&got))
	if got != "anna1 ben2 anna3 anna4 ben3 carol1" {
		t.Error(got)
	}
}

// TestBooksAtOnce: writers side by side, of one process or of several on a server, never give
// a number out twice.
func TestBooksAtOnce(t *testing.T) {
	const writers, each = 4, 25
	check := func(t *testing.T, got []int64) {
		t.Helper()
		slices.Sort(got)
		for i, n := range got {
			if n != int64(i+1) {
				t.Fatalf("%v", got)
			}
		}
	}
	t.Run("one process", func(t *testing.T) {
		s, v, mu, got := open(t, Options{}), direct("x:anna"), sync.Mutex{}, []int64{}
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					task, err := s.Agenda.AddTask(bg, v, "x", "", Origin{})
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					got = append(got, task.Number)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		check(t, got)
	})
	t.Run("several", func(t *testing.T) {
		url := postgrestest.Database(t)
		f, _, err := datadir.Open(t.Context(), "", datadir.Options{Migrations: Migrations(), Today: today, URL: url, Served: pgschema.Schema()})
		must(t, err)
		must(t, f.Close())
		db := postgrestest.Raw(t, url)
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					if _, err := db.Exec("INSERT INTO tasks (user_id, platform, channel, description, created_at, updated_at) VALUES ('anna', " +
						"'x', 'c', 'x', '', '')"); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		var got []int64
		rows, err := db.Query("SELECT number FROM tasks")
		must(t, err)
		for rows.Next() {
			var n int64
			must(t, rows.Scan(&n))
			got = append(got, n)
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
		check(t, got)
	})
}

// TestBookOutlivesItsCount: a row inserted where the count of its book was lost is numbered
// behind the rows there are.
func TestBookOutlivesItsCount(t *testing.T) {
	s, v := open(t, Options{}), direct("x:anna")
	adding(t, s, v, "plays the harp")
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		_, err := tx.Exec("DELETE FROM numbers")
		return err
	}))
	if got, _ := adding(t, s, v, "was born in Lima"); !slices.Equal(got, []int64{2, 2, 2, 2}) {
		t.Errorf("%v", got)
	}
}
