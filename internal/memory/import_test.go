package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text/waittest"
)

func importText(t testing.TB, s *Store, text string) Imported {
	t.Helper()
	done, err := s.Import(context.Background(), strings.NewReader(text))
	must(t, err)
	return done
}

func TestImportLinesOnce(t *testing.T) {
	s := open(t, Options{})
	text := `{"platform":"archive","channel":"c1","user":"alice","name":"Alice","text":"I adopted a puppy called Rex","at":"2023-05-01T10:00:00Z","id":"m1"}
{"platform":"archive","channel":"c1","user":"bob","name":"Bob","text":"How lovely!","at":"2023-05-01 10:01:00","id":2}

{"platform":"archive","channel":"c1","user":"alice","text":"We moved to Lyon","at":1690000000}
`
	if done := importText(t, s, text); done != (Imported{Messages: 3, Sessions: 2}) {
		t.Errorf("first: %+v", done)
	}
	if done := importText(t, s, text); done != (Imported{Known: 3}) {
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
