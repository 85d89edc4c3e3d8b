package memory

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text"
)

// encoder is an embedding model for which some words mean the same.
type encoder struct {
	same map[string]string
	dims int

	mu   sync.Mutex // guards the rest
	made []string   // the texts that were sent, in order
	err  error
}

func (e *encoder) embed(_ context.Context, texts []string) (list [][]float32, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	e.made = append(e.made, texts...)
	for _, said := range texts {
		v := make([]float32, max(e.dims, 256))
		for w := range text.Words(said) {
			if m, ok := e.same[w]; ok {
				w = m
			}
			h := fnv.New64a()
			_, _ = h.Write([]byte(w))
			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			for i := range v {
				v[i] += float32(r.NormFloat64())
			}
		}
		list = append(list, v)
	}
	return list, nil
}

// embedAll lets a store make vectors until it has all.
func embedAll(t testing.TB, s *Store) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = s.Meanings().Embed(t.Context())
		must(t, err)
	}
}

// clock is a time that moves on with each look: an encoder seems slow, and gets one text at a
// time.
func clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(2 * time.Second)
		return now
	}
}

// still is a time that does not move on, in which texts are taken many at once.
func still() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func newEncoder() *encoder {
	return &encoder{same: map[string]string{"hound": "pooch", "dwells": "lives", "azure": "blue"}}
}

// What is meant is found though no word of it was said, among few messages and
// among many, and not where it may not be seen.
func TestRecallByMeaning(t *testing.T) {
	for _, n := range []int{30, maxWhole + 300} {
		for _, e := range []*encoder{nil, newEncoder()} {
			o := Options{Now: still, EmbedModel: "m"}
			if e != nil {
				o.Embed = e.embed
			}
			s := open(t, o)
			must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
				list := []spoken{{key: chat.Key{Platform: "x", Channel: "other"}, user: "x:u2", text: "their pooch lives elsewhere"},
					{key: sayingsKey, user: "x:u1", text: "our pooch lives upstairs"}}
				for i := range n {
					list = append(list, spoken{key: sayingsKey, user: "x:u1", text: fmt.Sprintf("some words number%d said%d", i, i%97)})
				}
				for i, m := range list {
					m.role, m.session = "user", m.key.Channel
					if err := m.insert(tx, i); err != nil {
						return err
					}
				}
				return nil
			}))
			embedAll(t, s)
			for _, q := range []Query{{User: "x:u1", Text: "where dwells that hound?", Limit: 3}, {User: "x:u1", Key: sayingsKey,
				Text: "where dwells that hound?", Limit: 3}} {
				found, err := s.Recall(t.Context(), q)
				must(t, err)
				if got := len(found) > 0 && found[0].content == "our pooch lives upstairs"; got != (e != nil) {
					t.Errorf("%d messages, vectors %v: %+v", n, e != nil, found)
				}
				if slices.ContainsFunc(found, func(p Passage) bool { return p.Key.Channel == "other" }) {
					t.Errorf("sees what was said elsewhere: %+v", found)
				}
			}
		}
	}
}

// say stores one message of somebody's.
func say(t testing.TB, s *Store, key chat.Key, user, said string) (id int64) {
	t.Helper()
	must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error {
		m := spoken{key: key, role: "user", user: user, session: key.Channel, text: said}
		if err := m.insert(tx, 0); err != nil {
			return err
		}
		return tx.QueryRow("SELECT max(id) FROM messages").Scan(&id)
	}))
	return id
}

func vectors(t *testing.T, s *Store, where string, args ...any) (n int) {
	t.Helper()
	must(t, s.db.QueryRow("SELECT count(*) FROM message_vectors WHERE "+where, args...).Scan(&n))
	return n
}

// The newest come first; after a crash nothing is made twice, after an edit and
// with another model it is made again, and what is deleted has none.
func TestVectorsOfMessagesAreKeptUp(t *testing.T) {
	e := newEncoder()
	dir := filepath.Join(t.TempDir(), "data")
	reopen := func(model string) *Store {
		t.Helper()
		s, err := openIn(t, dir, Options{Now: clock(), Embed: e.embed, EmbedModel: model})
		must(t, err)
		return s
	}
	s := reopen("m")
	var ids []int64
	for i := range 40 {
		ids = append(ids, say(t, s, sayingsKey, "x:u1", fmt.Sprintf("message %d", i)))
	}
	for vectors(t, s, "true") == 0 {
		must(t, second(s.Meanings().Embed(t.Context())))
	}
	if !strings.HasSuffix(e.made[0], "message 39") || !strings.HasPrefix(e.made[0], "N1: ") {
		t.Errorf("first comes %q", e.made[0])
	}
	must(t, s.Close()) // somewhere in the middle
	s = reopen("m")
	late := say(t, s, sayingsKey, "x:u1", "said later")
	embedAll(t, s)
	if n := vectors(t, s, "embedder > 0"); n != 41 || len(e.made) != 41 {
		t.Errorf("%d have a vector, %d were made", n, len(e.made))
	}
	must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
		_, err := tx.Exec("UPDATE messages SET content = 'our pooch' WHERE id = ?", late)
		_, err2 := tx.Exec("DELETE FROM messages WHERE id = ?", ids[0])
		return errors.Join(err, err2)
	}))
	if vectors(t, s, "message_id = ? AND length(vector) > 0", late) != 0 || vectors(t, s, "message_id = ?", ids[0]) != 0 {
		t.Error("a vector outlives what was said")
	}
	embedAll(t, s)
	if last := e.made[len(e.made)-1]; len(e.made) != 42 || last != "N1: our pooch" {
		t.Errorf("after an edit %d were made, the last %q", len(e.made), last)
	}
	must(t, s.Close())
	s = reopen("other")
	defer func() { must(t, s.Close()) }()
	embedAll(t, s)
	if len(e.made) != 82 || vectors(t, s, "embedder = (SELECT n FROM embedders WHERE name = 'other')") != 40 {
		t.Errorf("with another model %d were made", len(e.made))
	}
}

// A vector and its sketch take at most 1 KB, however many dimensions a model has;
// after forgetting no byte of them is in the file.
func TestForgettingTakesVectorsOfMessages(t *testing.T) {
	e := newEncoder()
	e.dims = 3072
	s := open(t, Options{Now: clock(), Embed: e.embed, EmbedModel: "m"})
	say(t, s, sayingsKey, "x:u2", "somebody else's words")
	say(t, s, sayingsKey, "x:u1", "our pooch lives upstairs")
	embedAll(t, s)
	var vec, sketch []byte
	must(t, s.db.QueryRow("SELECT v.vector, s.sketch FROM message_vectors v JOIN message_sketches s USING (message_id) "+
		"JOIN messages m ON m.id = v.message_id WHERE m.user_id = 'x:u1'").Scan(&vec, &sketch))
	if n := len(vec) + len(sketch); n < 500 || n > 1000 {
		t.Errorf("a vector takes %d bytes", n)
	}
	if n := inFiles(t, s, [][]byte{vec[8:40], sketch[8:40]}); n != 2 {
		t.Errorf("the file has %d of 2 pieces", n)
	}
	must(t, s.ForgetPerson(t.Context(), "x:u1", 0))
	if n := inFiles(t, s, [][]byte{vec[8:40], sketch[8:40]}); n != 0 {
		t.Errorf("%d pieces of a vector are left in the file", n)
	}
	if n := vectors(t, s, "true"); n != 1 {
		t.Errorf("%d vectors are left", n)
	}
	embedAll(t, s)
	if found, err := s.Recall(t.Context(), Query{User: "x:u2", Text: "hound dwells"}); err != nil || len(found) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
}

// While the encoder fails, words decide, and nothing is lost of what is due.
func TestWordsDecideWithoutAnEncoder(t *testing.T) {
	e := newEncoder()
	s := open(t, Options{Now: clock(), Embed: e.embed, EmbedModel: "m"})
	say(t, s, sayingsKey, "x:u1", "our pooch lives upstairs")
	embedAll(t, s)
	e.err = errors.New("away")
	say(t, s, sayingsKey, "x:u1", "a canary sings")
	if _, err := s.Meanings().Embed(t.Context()); !errors.Is(err, e.err) {
		t.Errorf("making vectors ended with %v", err)
	}
	found, err := s.Recall(t.Context(), Query{User: "x:u1", Text: "canary", Limit: 1})
	if err != nil || len(found) != 1 || found[0].content != "a canary sings" {
		t.Errorf("found %+v, %v", found, err)
	}
	e.err = nil
	embedAll(t, s)
	if n := vectors(t, s, "true"); n != 2 {
		t.Errorf("%d of 2 have a vector", n)
	}
}
