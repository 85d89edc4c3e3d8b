package memory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// spoken is a message as the test knows it.
type spoken struct {
	key           chat.Key
	role, user    string
	text, session string
}

// world is random talk in many places: small ones that recall reads as a whole,
// and two threads of a channel that are too big for that. Each message has a
// canary of its own.
func world(r *rand.Rand) (list []spoken) {
	places := []chat.Key{{Platform: "x", Channel: "c0", Thread: "t1"}, {Platform: "x", Channel: "c0", Thread: "t2"},
		{Platform: "x", Channel: "c0"}}
	for i := range 20 {
		places = append(places, chat.Key{Platform: []string{"x", "y"}[i%2], Channel: fmt.Sprint("c", r.IntN(6)),
			Thread: []string{"", "", "t1", "t2"}[r.IntN(4)]})
	}
	words := strings.Fields("dog house mother garden music train concert letter winter boat doctor bread school summer friend")
	for i := range 500 {
		words = append(words, fmt.Sprint("word", i))
	}
	for i := range 7000 {
		k := places[r.IntN(len(places))]
		if i%3 > 0 {
			k = places[i%2]
		}
		m := spoken{key: k, role: []string{"user", "user", "user", "assistant", "tool"}[r.IntN(5)],
			user: fmt.Sprint(k.Platform, ":u", r.IntN(12)), session: k.String() + fmt.Sprint(i/400)}
		m.text = fmt.Sprintf("canary%d", i)
		for range 1 + r.IntN(8) {
			m.text += " " + words[r.IntN(len(words))]
		}
		list = append(list, m)
	}
	return list
}

func (m spoken) insert(tx *engine.Tx, i int) error {
	if _, err := tx.Exec("INSERT INTO sessions (id, platform, channel, thread, status, created_at, last_activity, "+
		"expires_at) VALUES (?, ?, ?, ?, 'archived', '', '', '') ON CONFLICT DO NOTHING", m.session, m.key.Platform,
		m.key.Channel, m.key.Thread); err != nil {
		return err
	}
	_, err := tx.Exec("INSERT INTO messages (session_id, platform, channel, thread, role, user_id, name, content, "+
		"tool_call_id, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'c', ?)",
		m.session, m.key.Platform, m.key.Channel, m.key.Thread, m.role, m.user, "N"+m.user[3:], m.text, Stamp(time.Unix(int64(1.7e9+60*i), 0)))
	return err
}

// rule says who may see what, from the messages alone.
type rule struct {
	said  map[string]spoken           // by text
	spoke map[string]map[chat.Key]int // by person: one more than the place of their last word
	place map[string]int              // by text
}

func ruleOf(list []spoken) rule {
	is := rule{said: map[string]spoken{}, spoke: map[string]map[chat.Key]int{}, place: map[string]int{}}
	for i, m := range list {
		is.said[m.text], is.place[m.text] = m, i
		if is.spoke[m.user] == nil {
			is.spoke[m.user] = map[chat.Key]int{}
		}
		if m.role == "user" {
			is.spoke[m.user][m.key] = i + 1
		}
	}
	return is
}

// visible: in a place that place, a thread also its parent; without one every
// place the asker has spoken in, up to their last word there; never what tools said.
func (is rule) visible(text string, q Query) bool {
	m, known := is.said[text]
	if !known || m.role == "tool" {
		return false
	}
	if q.Key.Channel == "" {
		last := is.spoke[q.User][m.key]
		return last > 0 && (m.user == q.User || is.place[text] < last)
	}
	return m.key == q.Key || m.key == chat.Key{Platform: q.Key.Platform, Channel: q.Key.Channel}
}

func randomQuery(r *rand.Rand, list []spoken) Query {
	about := list[r.IntN(len(list))]
	q := Query{User: list[r.IntN(len(list))].user, Text: about.text, Tokens: []int{0, 1, 30, 1000, 100000}[r.IntN(5)],
		Limit: []int{0, 0, 1, 7}[r.IntN(4)]}
	switch r.IntN(4) {
	case 0:
		q.User = "x:stranger"
	case 1:
		q.Key = about.key
	case 2:
		q.Key = list[r.IntN(len(list))].key
	}
	if r.IntN(2) == 0 { // what somebody else said, in their name
		q.Text = fmt.Sprintf("what did N%d say about %s?", r.IntN(12), list[r.IntN(len(list))].text)
	}
	return q
}

func TestRecallNeverLeavesItsScope(t *testing.T) {
	waittest.Alone(t)
	t.Run("by words", func(t *testing.T) { neverLeaves(t, Options{}) })
	t.Run("by meaning", func(t *testing.T) {
		neverLeaves(t, Options{Now: still, Embed: newEncoder().embed, EmbedModel: "m"})
	})
}

func neverLeaves(t *testing.T, o Options) {
	r := rand.New(rand.NewPCG(7, 11))
	list := world(r)
	s := open(t, o)
	must(t, s.db.Write(context.Background(), func(tx *engine.Tx) error {
		for i, m := range list {
			if err := m.insert(tx, i); err != nil {
				return err
			}
		}
		return nil
	}))
	embedAll(t, s)
	passages, is, queries := 0, ruleOf(list), 2000
	if o.Embed != nil {
		queries /= 8
	}
	if postgrestest.Served() { // which is asked in a dozen trips
		queries /= 4
	}
	for range queries {
		q := randomQuery(r, list)
		found, err := s.Recall(context.Background(), q)
		must(t, err)
		for _, p := range found {
			if !is.visible(p.content, q) || !strings.HasSuffix(p.Text, ": "+p.content) {
				t.Fatalf("%+v brings %+v", q, p)
			}
		}
		withinBounds(t, q, found)
		if q.Tokens == 100000 && q.Limit == 0 && is.visible(q.Text, q) && !slices.ContainsFunc(found,
			func(p Passage) bool { return p.content == q.Text }) {
			t.Fatalf("%+v does not find its own words", q)
		}
		passages += len(found)
	}
	if passages < 5*queries {
		t.Errorf("only %d passages: the queries prove little", passages)
	}
}

func withinBounds(t *testing.T, q Query, found []Passage) {
	t.Helper()
	limit, tokens, best := q.Limit, q.Tokens, 1.0
	if tokens == 0 {
		tokens = 4000
	}
	for _, p := range found {
		tokens -= (utf8.RuneCountInString(p.Text) + 3) / 4
		if p.Score <= 0 || p.Score > best {
			t.Fatalf("%+v: score %v after %v", q, p.Score, best)
		}
		best = p.Score
	}
	if tokens < 0 || limit > 0 && len(found) > limit {
		t.Fatalf("%+v: %d passages, %d tokens left", q, len(found), tokens)
	}
}

func FuzzRecallQuery(f *testing.F) {
	s, list := oldChats(f)
	for _, q := range list[:8] {
		f.Add(q.Question, "archive:priya", "", 1000)
	}
	f.Add("NEAR(\"a\" b) AND content:x* ^-\x00\xff", everyone, "", 0)
	f.Add("😀 winter", everyone, "", 0)
	f.Add("’s 猫 😀 e\u0301 K", "", "priya-jonas", -1)
	f.Fuzz(func(t *testing.T, text, user, channel string, tokens int) {
		q := Query{User: user, Key: chat.Key{Platform: "archive", Channel: channel}, Text: text, Tokens: max(tokens, 0)}
		found, err := s.Recall(context.Background(), q)
		must(t, err)
		withinBounds(t, q, found)
	})
}
