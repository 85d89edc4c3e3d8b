package facts_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// embeddings is a model for which some words are synonyms. It records its texts.
type embeddings struct {
	synonyms map[string]string
	down     bool
	asked    [][]string
}

func (e *embeddings) embed(_ context.Context, texts []string) (list [][]float32, err error) {
	e.asked = append(e.asked, texts)
	if e.down {
		return nil, errors.New("down")
	}
	for _, text := range texts {
		list = append(list, llmtest.Vector(text, e.synonyms))
	}
	return list, nil
}

func (e *embeddings) options() memory.Options { return memory.Options{Embed: e.embed, EmbedModel: "m"} }

func embedAll(t testing.TB, s *memory.Store) {
	t.Helper()
	for more := s.Facts.Embeds(); more; {
		var err error
		more, err = s.Facts.EmbedFacts(bg)
		must(t, err)
	}
}

// storedVectors returns the vectors of a person's facts.
func storedVectors(t *testing.T, s *memory.Store, user string) [][]byte {
	t.Helper()
	rows, err := s.Facts.DB().Query(
		"SELECT x.vector FROM fact_vectors x JOIN key_facts f ON f.id = x.fact_id WHERE f.subject = ? AND x.model <> ''", user)
	must(t, err)
	list, err := engine.Collect(rows, func(r engine.Scanner) (b []byte, err error) { return b, r.Scan(&b) })
	must(t, err)
	return list
}

// inFiles counts how many of some byte strings are in the database's files, or on a server in
// its rows.
func inFiles(t *testing.T, s *memory.Store, all [][]byte) (n int) {
	t.Helper()
	files, err := filepath.Glob(s.File.Path() + "*")
	must(t, err)
	var whole []byte
	if memorytest.Served() {
		files, whole = nil, rowsOnServer(t, s)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		whole = append(whole, b...)
	}
	for _, b := range all {
		if bytes.Contains(whole, b) || memorytest.Served() && bytes.Contains(whole, []byte(hex.EncodeToString(b))) {
			n++
		}
	}
	return n
}

// rowsOnServer returns every row as text.
func rowsOnServer(t *testing.T, s *memory.Store) (whole []byte) {
	t.Helper()
	rows, err := s.Facts.DB().QueryContext(bg, "SELECT CAST(tablename AS text) FROM pg_tables WHERE schemaname = 'public'")
	must(t, err)
	tables, err := engine.Collect(rows, engine.Value[string])
	must(t, err)
	for _, table := range tables {
		var text string
		must(t, s.Facts.DB().QueryRowContext(bg, `SELECT coalesce(string_agg(CAST(x AS text), ' '), '') FROM "`+table+`" x`).Scan(&text))
		whole = append(whole, text...)
	}
	return whole
}

func TestFactsAreFoundByMeaning(t *testing.T) {
	e := &embeddings{synonyms: map[string]string{"feline": "cat", "kitty": "cat", "automobile": "vehicle"}}
	o := e.options()
	s := memorytest.Open(t, o)
	v := direct("x:a")
	if k, err := s.Facts.FactsFor(bg, v, "my kitty", 4000); err != nil || len(k.Relevant) > 0 || len(e.asked) > 0 {
		t.Fatalf("where nothing is known: %+v, %v, asked %q", k, err, e.asked)
	}
	pet := save(t, s, v, "Keeps a feline called Misha")
	for i := range 30 {
		save(t, s, v, fmt.Sprintf("Visited town%d in year%d", i, i))
	}
	save(t, s, direct("x:b"), "Has a feline too")
	if got, err := s.Facts.SearchFacts(bg, v, "kitty", 5); err != nil || len(got) > 0 || len(e.asked) > 0 {
		t.Fatalf("before there are vectors: %q, %v, asked %q", contents(got), err, e.asked)
	}
	embedAll(t, s)
	made := len(e.asked)
	if got, err := s.Facts.SearchFacts(bg, v, "kitty", 5); err != nil || !slices.Equal(contents(got), []string{pet.Content}) {
		t.Errorf("by meaning: %q, %v", contents(got), err)
	}
	k, err := s.Facts.FactsFor(bg, v, "town7 and the kitty", 4000)
	must(t, err)
	if got := contents(k.Relevant); !slices.Contains(got, pet.Content) || !slices.Contains(got, "Visited town7 in year7") {
		t.Errorf("by words and meaning: %q", got)
	}
	if n := len(e.asked) - made; n != 2 {
		t.Errorf("%d vectors for 2 questions", n)
	}
	// A correction is found by its new content and not by the old one.
	_, err = s.Facts.UpdateFact(bg, v, pet.ID, facts.NewFact{Content: "Drives an automobile called Misha"})
	must(t, err)
	if got, err := s.Facts.SearchFacts(bg, v, "kitty", 5); err != nil || len(got) > 0 {
		t.Errorf("what it said before: %q, %v", contents(got), err)
	}
	embedAll(t, s)
	if got, err := s.Facts.SearchFacts(bg, v, "vehicle", 5); err != nil || len(got) != 1 || got[0].ID != pet.ID {
		t.Errorf("what it says now: %q, %v", contents(got), err)
	}
	made = len(e.asked)
	if embedAll(t, s); len(e.asked) != made {
		t.Error("vectors were made again")
	}
	e.down = true
	got, err := s.Facts.SearchFacts(bg, v, "town7 vehicle", 5)
	if err != nil || !slices.Equal(contents(got), []string{"Visited town7 in year7"}) {
		t.Errorf("with the model down: %q, %v", contents(got), err)
	}
	// Another model cannot use these vectors.
	e.down = false
	s.Facts.UseModel("other")
	if got, err := s.Facts.SearchFacts(bg, v, "vehicle", 5); err != nil || len(got) > 0 {
		t.Errorf("by another model's vectors: %q, %v", contents(got), err)
	}
	embedAll(t, s)
	if got, err := s.Facts.SearchFacts(bg, v, "vehicle", 5); err != nil || len(got) != 1 {
		t.Errorf("after all were made anew: %q, %v", contents(got), err)
	}
}

// A fact that is corrected while its vector is made does not get the old vector.
func TestVectorsFollowCorrections(t *testing.T) {
	e := &embeddings{}
	o := e.options()
	var s *memory.Store
	v := direct("x:a")
	var id int64
	o.Embed = func(ctx context.Context, texts []string) ([][]float32, error) {
		if len(e.asked) == 0 {
			must(t, second(s.Facts.UpdateFact(bg, v, id, facts.NewFact{Content: "likes coffee"})))
		}
		return e.embed(ctx, texts)
	}
	s = memorytest.Open(t, o)
	id = save(t, s, v, "likes tea").ID
	must(t, second(s.Facts.EmbedFacts(bg)))
	if n := len(storedVectors(t, s, v.User)); n != 0 {
		t.Errorf("%d vectors of what is no longer said", n)
	}
	embedAll(t, s)
	if len(storedVectors(t, s, v.User)) != 1 || !slices.Equal(e.asked[1], []string{"likes coffee"}) {
		t.Errorf("asked %q", e.asked)
	}
}

func TestForgettingTakesVectors(t *testing.T) {
	e := &embeddings{}
	clock, o := &clockAt{time.Now()}, e.options()
	o.Now = clock.now
	s := memorytest.Open(t, o)
	v, other := direct("x:a"), direct("x:b")
	first := save(t, s, v, "likes tea from China")
	save(t, s, v, "lives in Rome")
	save(t, s, other, "plays the piano")
	embedAll(t, s)
	gone := storedVectors(t, s, v.User)
	must(t, second(s.Facts.ForgetFact(bg, v, first.ID)))
	clock.t = clock.t.Add(25 * time.Hour) // nobody took it back
	must(t, s.Facts.PruneChanges(bg))
	if n := len(storedVectors(t, s, v.User)); n != 1 {
		t.Errorf("%d vectors after one of two facts was forgotten", n)
	}
	_, _, err := s.Facts.ClearFacts(bg, v, false)
	must(t, err)
	clock.t = clock.t.Add(25 * time.Hour)
	must(t, s.Facts.PruneChanges(bg))
	if !memorytest.Served() {
		must(t, sqlite.Scrub(bg, s.Facts.DB(), "messages_fts", "key_facts_fts"))
	}
	if n := inFiles(t, s, gone); n != 0 || len(storedVectors(t, s, other.User)) != 1 {
		t.Errorf("%d vectors are still in the file", n)
	}
}

// BenchmarkNearFacts compares a thousand facts of one person with a message.
func BenchmarkNearFacts(b *testing.B) {
	e := &embeddings{}
	s := memorytest.Open(b, e.options())
	v := direct("x:a")
	err := s.Facts.DB().Write(bg, func(tx *engine.Tx) error {
		for i := range 1000 {
			_, err := tx.Exec(`INSERT INTO key_facts (scope, subject, owner, platform, channel, content, type, author, confidence, valid_from, created_at, updated_at)
				VALUES ('person', :user, '', 'x', 'c', :text, 'fact', 'user', 1, '', :at, :at)`,
				engine.Named{"user": v.User, "text": fmt.Sprintf("fact number%d about subject%d", i, i), "at": fmt.Sprint(i)})
			if err != nil {
				return err
			}
		}
		return nil
	})
	must(b, err)
	embedAll(b, s)
	for b.Loop() {
		must(b, second(s.Facts.FindNear(bg, v, "what about subject77")))
	}
}
