package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/importer"
	"parley/internal/text/waittest"
)

func importText(t testing.TB, s *Store, text string) Imported {
	t.Helper()
	done, err := s.Import(context.Background(), strings.NewReader(text))
	must(t, err)
	return done
}

// same compares what imports brought in.
func same(a, b Imported) bool { return cmp.Equal(a, b) }

func TestImportLinesOnce(t *testing.T) {
	s := open(t, Options{})
	text := `{"platform":"archive","channel":"c1","user":"alice","name":"Alice","text":"I adopted a puppy called Rex","at":"2023-05-01T10:00:00Z","id":"m1"}
{"platform":"archive","channel":"c1","user":"bob","name":"Bob","text":"How lovely!","at":"2023-05-01 10:01:00","id":2}

{"platform":"archive","channel":"c1","user":"alice","text":"We moved to Lyon","at":1690000000}
`
	if done := importText(t, s, text); !same(done, Imported{Messages: 3, Sessions: 2}) {
		t.Errorf("first: %+v", done)
	}
	if done := importText(t, s, text); !same(done, Imported{Known: 3}) {
		t.Errorf("second: %+v", done)
	}
	found, err := s.Recall(context.Background(), Query{User: "archive:bob", Text: "What is the name of Alice's dog?"})
	must(t, err)
	if len(found) == 0 || found[0].MessageID != "m1" || found[0].Text != "[2023-05-01 10:00] Alice: I adopted a puppy called Rex" {
		t.Errorf("found %+v", found)
	}
	if found, err = s.Recall(context.Background(), Query{User: "archive:eve", Text: "dog Rex"}); err != nil || len(found) != 0 {
		t.Errorf("a stranger finds %+v, %v", found, err)
	}
	p, err := s.Prune(context.Background(), Retention{Days: 1, Archived: 1})
	must(t, err)
	if p.Messages != 0 {
		t.Errorf("retention deleted %d imported messages", p.Messages)
	}
}

func TestImportIsAllOrNothing(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		if i == 39 {
			b.WriteString("{\"platform\":\"archive\",\"user\":\"a\"}\n")
			continue
		}
		fmt.Fprintf(&b, `{"platform":"archive","channel":"c","user":"a","text":"x","at":"2023-05-01T10:00:00Z","id":"%d"}`+"\n", i)
	}
	s := open(t, Options{})
	if _, err := s.Import(context.Background(), strings.NewReader(b.String())); err == nil || !strings.Contains(err.Error(),
		"line 40") || !strings.Contains(err.Error(), "text") {
		t.Errorf("got %v", err)
	}
	var n int
	must(t, s.db.QueryRow("SELECT count(*) FROM messages").Scan(&n))
	if n != 0 {
		t.Errorf("%d messages stayed", n)
	}
}

// An import that is cut short keeps what it stored, and the same again brings in
// the rest, once each; a line that is there twice counts once.
func TestImportIsCompletedLater(t *testing.T) {
	s := open(t, Options{})
	text := corpus(2500)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- second(s.Import(ctx, strings.NewReader(text))) }()
	stored := func() (n int) {
		must(t, s.db.QueryRow("SELECT count(*) FROM messages").Scan(&n))
		return n
	}
	waittest.Until(t, "some are stored", func() bool { return stored() > 0 })
	stop()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	before := stored()
	first, _, _ := strings.Cut(text, "\n")
	if got := importText(t, s, first+"\n"+text); got.Messages != 2500-before || got.Known != before+1 {
		t.Errorf("%d were stored, then %+v", before, got)
	}
	var found int
	must(t, s.db.QueryRow("SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM sessions)").Scan(&found))
	if found != 2500+250 {
		t.Errorf("%d messages and sessions", found)
	}
	must(t, s.File.Check(bg))
}

// importInChild is the other process of the test below.
const importInChild = "PARLEY_TEST_IMPORT"

// TestFaultImportKilled: of an import whose process is killed, what it stored is there, what is
// missing is told, and what it kept meanwhile is gone from the disk. The same again brings in
// the rest, once each, and ends the telling.
func TestFaultImportKilled(t *testing.T) {
	const total = 40_000 // more than it holds
	if dir := os.Getenv(importInChild); dir != "" {
		s, err := openIn(t, dir, Options{})
		must(t, err)
		must(t, second(s.Import(context.Background(), strings.NewReader(corpus(total)))))
		return
	}
	dir := filepath.Join(t.TempDir(), "data")
	s, err := openIn(t, dir, Options{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	stored := func() (n int) {
		must(t, s.db.QueryRow("SELECT count(*) FROM messages").Scan(&n))
		return n
	}
	child := exec.Command(os.Args[0], "-test.run=^TestFaultImportKilled$")
	child.Env = append(os.Environ(), importInChild+"="+dir)
	child.Env = append(child.Env, postgrestest.OfParent+"="+postgrestest.InFolder(t, dir, nil))
	must(t, child.Start())
	waittest.Until(t, "some are stored", func() bool { return stored() > 0 })
	must(t, child.Process.Kill())
	_ = child.Wait()
	before := stored()
	if list, err := s.CutShort(t.Context()); err != nil || len(list) != 1 || list[0].Total != total || list[0].Stored != int64(before) {
		t.Errorf("%d are stored, told is %+v, %v", before, list, err)
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), "import") {
			t.Errorf("%s is left", e.Name())
		}
	}
	if done := importText(t, s, corpus(total)); done.Messages != total-before || done.Known != before || stored() != total {
		t.Errorf("%d were stored, then %+v, in all %d", before, done, stored())
	}
	if list, err := s.CutShort(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("told is %+v, %v", list, err)
	}
	must(t, s.File.Check(bg))
}

// An import finds what a place has by the numbers of its messages: on a server without
// statistics, too, it does not read the place for each sitting.
func TestImportReadsNoPlaceAgain(t *testing.T) {
	if !postgrestest.Served() {
		t.Skip("about a server's planner")
	}
	const total = 3_000
	dir := filepath.Join(t.TempDir(), "data")
	s, err := openIn(t, dir, Options{})
	must(t, err)
	importText(t, s, corpus(total))
	must(t, s.Close())
	server := postgrestest.Raw(t, postgrestest.InFolder(t, dir, nil))
	var stored, read int
	waittest.Until(t, "the server has counted", func() bool {
		must(t, server.QueryRowContext(t.Context(), `SELECT (SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'messages'),
			(SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'messages')`).Scan(&stored, &read))
		return stored == total
	})
	if read > 10*total {
		t.Errorf("%d entries of the indexes were read for %d messages", read, total)
	}
}

// What people said before they asked to be forgotten is not brought back, nor the answers to
// them, nor a title; what they said later is, and what others said. That holds for a forgetting
// of another process while the import goes on, and for one that only the data folder knows of.
func TestImportBringsNobodyBack(t *testing.T) {
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	line := func(who, text, role string, at time.Time) string {
		return fmt.Sprintf(`{"platform":"x","channel":"c","user":"%s","text":"%s","at":"%s","role":"%s"}`+"\n",
			who, text, at.Format(time.RFC3339), role)
	}
	old := line("ada", "zxada first", "user", at.Add(-9*time.Minute)) +
		line("bot", "zxada answered", "assistant", at.Add(-8*time.Minute)) + line("bob", "bob spoke", "user", at.Add(-7*time.Minute)) +
		line("ada", "zxada at that time", "user", at) + line("ada", "ada came back", "user", at.Add(time.Minute))
	check := func(s *Store, done Imported) {
		t.Helper()
		if !same(done, Imported{Messages: 2, Sessions: 1, Forgotten: 3}) {
			t.Errorf("%+v", done)
		}
		for _, c := range textColumns(t, s) {
			if n := rowsWith(t, s, c, "zxada"); n > 0 && !strings.HasPrefix(c, "messages_fts.") {
				t.Errorf("%d in %s", n, c)
			}
		}
	}
	t.Run("before", func(t *testing.T) {
		s := open(t, Options{Now: func() time.Time { return at }})
		must(t, s.ForgetPerson(bg, "x:ada", 0))
		check(s, importText(t, s, old))
	})
	t.Run("meanwhile", func(t *testing.T) {
		s := open(t, Options{Now: func() time.Time { return at }})
		all, err := importer.Sort(t.Context(), importer.Source{From: strings.NewReader(old)}, nil)
		must(t, err)
		gone, err := s.goneBefore(t.Context())
		must(t, err)
		must(t, s.ForgetPerson(bg, "x:ada", 0))
		var done Imported
		must(t, s.storeAll(t.Context(), all, gone, func(some []*sitting) {
			for _, st := range some {
				done.Messages, done.Sessions = done.Messages+int(st.messages), done.Sessions+int(st.sessions)
				done.Forgotten += int(st.forgotten)
			}
		}))
		check(s, done)
	})
	t.Run("an earlier database", func(t *testing.T) {
		s := open(t, Options{Now: func() time.Time { return at }})
		key := []byte("of another")
		mark, err := markOf(key, "x:ada")
		must(t, err)
		b, err := json.Marshal([]forgottenBook{{Key: []byte("newer")}, {Key: key, Marks: map[string]string{mark: Stamp(at)}}})
		must(t, err)
		must(t, os.MkdirAll(s.dir, 0o700))
		must(t, os.WriteFile(filepath.Join(s.dir, ForgottenName), b, 0o600))
		check(s, importText(t, s, old))
	})
	t.Run("after", func(t *testing.T) {
		s := open(t, Options{Now: func() time.Time { return at }})
		if done := importText(t, s, old); done.Messages != 5 {
			t.Errorf("%+v", done)
		}
		must(t, s.ForgetPerson(bg, "x:ada", 0))
		if done := importText(t, s, old); done.Messages != 1 || done.Forgotten != 3 || done.Known != 1 {
			t.Errorf("%+v", done)
		}
	})
}

// A conversation of many parts is one session from its first message to its last, and a message
// that is there twice, far apart, is stored once. A longer export later prolongs it.
func TestImportOfALongConversation(t *testing.T) {
	s := open(t, Options{})
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	const line = `{"platform":"x","channel":"c","user":"u","text":"number %d","at":"%s","id":"%d"}` + "\n"
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i, at.Add(time.Duration(i)*time.Minute).Format(time.RFC3339), i)
		}
		fmt.Fprintf(&b, line, 0, at.Add(time.Duration(n-1)*time.Minute).Format(time.RFC3339), 0)
		return b.String()
	}
	for _, step := range []struct {
		n    int
		want Imported
	}{{250, Imported{Messages: 250, Known: 1, Sessions: 1}}, {250, Imported{Known: 251}}, {430, Imported{Messages: 180, Known: 251}}} {
		if done := importText(t, s, lines(step.n)); !same(done, step.want) {
			t.Errorf("%d: %+v", step.n, done)
		}
		var sessions int
		var began, ended, left string
		must(t, s.db.QueryRow("SELECT count(*), min(created_at), max(last_activity), max(expires_at) FROM sessions").Scan(
			&sessions, &began, &ended, &left))
		if sessions != 1 || began != Stamp(at) || ended != Stamp(at.Add(time.Duration(step.n-1)*time.Minute)) || ended != left {
			t.Errorf("%d: %d sessions, from %s to %s, %s", step.n, sessions, began, ended, left)
		}
	}
}

// A disk that is full while an import stores leaves what was stored, counted truly; with room
// the same completes it.
func TestFaultImportOnAFullDisk(t *testing.T) {
	postgrestest.AboutFiles(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := openIn(t, dir, Options{MaxPages: 700})
	must(t, err)
	done, err := s.Import(t.Context(), strings.NewReader(corpus(20_000)))
	list, told := s.CutShort(t.Context())
	if must(t, told); err == nil || done.Messages == 0 || len(list) != 1 || list[0].Stored != int64(done.Messages) {
		t.Errorf("%+v, %v; told is %+v", done, err, list)
	}
	must(t, s.Close())
	s, err = openIn(t, dir, Options{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	if again := importText(t, s, corpus(20_000)); again.Messages+done.Messages != 20_000 || again.Known != done.Messages {
		t.Errorf("%+v, then %+v", done, again)
	}
}

func TestImportTelegramExport(t *testing.T) {
	s := open(t, Options{})
	done := importText(t, s, `{
 "name": "Ann", "type": "personal_chat", "id": 77,
 "messages": [
  {"id": 1, "type": "service", "date": "2023-05-01T10:00:00", "text": ""},
  {"id": 2, "type": "message", "date": "2023-05-01T10:00:00", "date_unixtime": "1682935200", "from": "Ann", "from_id": "user42", "text": "plain"},
  {"id": 3, "type": "message", "date": "2023-05-01T10:00:05", "from": "Me", "from_id": "user1", "forwarded_from": "Eve", "text": ["see ", {"type": "link", "text": "http://x.y"}, "!"]}
 ]
}`)
	if done.Messages != 2 || done.Sessions != 1 {
		t.Errorf("%+v", done)
	}
	found, err := s.Recall(context.Background(), Query{User: "telegram:42", Key: chat.Key{Platform: "telegram", Channel: "77"},
		Text: "plain see"})
	must(t, err)
	if len(found) != 2 || !strings.Contains(found[0].Text+found[1].Text, "[forwarded] see http") {
		t.Errorf("found %+v", found)
	}
}

// Whose words are an assistant's can be said where an export does not: they are answers to who
// spoke before.
func TestImportIsToldWhoIsAnAssistant(t *testing.T) {
	s := open(t, Options{})
	const group = `{
 "type": "private_group", "id": 5, "messages": [
  {"id": 1, "type": "message", "date": "2023-05-01T10:00:00", "from": "Ann", "from_id": "user42", "text": "which tea?"},
  {"id": 2, "type": "message", "date": "2023-05-01T10:00:05", "from": "Parley", "from_id": "user99", "text": "green tea"}
 ]
}`
	must(t, second(s.ImportAll(t.Context(), Older{From: strings.NewReader(group), Assistants: []string{"telegram:99"}})))
	var role, user, name string
	must(t, s.db.QueryRow("SELECT role, user_id, name FROM messages WHERE message_id = '2'").Scan(&role, &user, &name))
	if role != "assistant" || user != "telegram:42" || name != "" {
		t.Errorf("%s of %s, %q", role, user, name)
	}
}

// corpus is n messages of two people over months, in sessions of ten.
func corpus(n int) string {
	var b strings.Builder
	at := time.Date(2022, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range n {
		if i%10 == 0 {
			at = at.Add(26 * time.Hour)
		}
		at = at.Add(time.Minute)
		fmt.Fprintf(&b, `{"platform":"archive","channel":"big","user":"u%d","name":"N%d","text":"message %d about topic%d and thing%d with some more words in it","at":"%s","id":"%d"}`+"\n",
			i%2, i%2, i, i%997, i%4999, at.Format(time.RFC3339), i)
	}
	return b.String()
}

func BenchmarkImport100k(b *testing.B) {
	text := corpus(100_000)
	for range b.N {
		importText(b, open(b, Options{}), text)
	}
}

func BenchmarkRecall100k(b *testing.B) {
	s := open(b, Options{})
	importText(b, s, corpus(100_000))
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		began := time.Now()
		found, err := s.Recall(context.Background(), Query{User: "archive:u1",
			Text: fmt.Sprintf("what did N0 say about topic%d and thing%d?", i%997, i%4999)})
		must(b, err)
		if len(found) == 0 {
			b.Fatal("nothing found")
		}
		took = append(took, time.Since(began))
	}
	b.ReportMetric(waittest.Percentile(took, 50), "p50-ms")
	b.ReportMetric(waittest.Percentile(took, 95), "p95-ms")
}

// TestImportedAreListedByAge: a conversation of years ago does not stand before today's
// because it was brought in later.
func TestImportedAreListedByAge(t *testing.T) {
	s, ctx := open(t, Options{}), context.Background()
	must(t, s.Sessions.SaveSession(ctx, Session{ID: "today", Key: chat.Key{Platform: "p", Channel: "c"}, Status: Archived, Created: s.now()}))
	importText(t, s, `{"platform":"archive","channel":"c1","user":"alice","text":"later","at":"2023-05-01T10:00:00Z","id":"m2"}
{"platform":"archive","channel":"c2","user":"alice","text":"earlier","at":"2021-05-01T10:00:00Z","id":"m1"}
`)
	list, err := s.Sessions.SessionsByAge(ctx, "", 10, 0)
	must(t, err)
	var got []string
	for _, se := range list {
		got = append(got, se.Key.Channel)
	}
	if strings.Join(got, " ") != "c c1 c2" {
		t.Errorf("listed as %q", got)
	}
}
