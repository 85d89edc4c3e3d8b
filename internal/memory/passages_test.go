package memory

import (
	"slices"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// What separates the parts of a text with many messages may stand in any of these.
func TestPassagesAreReadAsTheyStand(t *testing.T) {
	s := open(t, Options{})
	odd := []string{"1,2,3:", ",", ":,:", "Größe, 漢字: 1", "a\nb\x1fc\x1e", " "}
	importText(t, s, `{"platform":"archive","channel":"c","user":"zoe","name":"Zoe","text":"first","at":"2025-01-01T09:00:00Z"}`)
	for _, said := range odd {
		must(t, s.db.Exec(t.Context(), `INSERT INTO messages (session_id, platform, channel, thread, message_id, role, user_id, name,
			content, at, people) SELECT session_id, platform, channel, thread, ?, role, user_id, ?, ?, at, '["a:b","c,d"]'
			FROM messages ORDER BY id LIMIT 1`, said, said, said))
	}
	found, err := s.passages(wholeQuery, Query{Key: chat.Key{Platform: "archive", Channel: "c"}}.scope().With(engine.Named{"limit": 100}))
	must(t, err)
	var got []string
	for _, p := range inOrder(pointers(nil, found))[1:] {
		if p.name != p.content || p.MessageID != p.content || p.At.IsZero() ||
			p.User != "archive:zoe" || !slices.Equal(p.Origin.People, []string{"a:b", "c,d"}) {
			t.Errorf("%+v", p)
		}
		got = append(got, p.content)
	}
	if !slices.Equal(got, odd) {
		t.Errorf("%q", got)
	}
	for _, broken := range []string{"1", "1,2,3,4,5,6,7,8,9,10,11,12,:", "a,0,0,0,0,0,0,0,0,0,0,0,:", "1,0,0,-1,0,0,0,0,0,0,0,0,:"} {
		if _, err := new(Passage).read(broken); err == nil {
			t.Errorf("%q can be read", broken)
		}
	}
}

// Beside a message stands what was said in its own place, also where a server brings a message
// late.
func TestOrderKnowsWhatStandsBeside(t *testing.T) {
	a, b := chat.Key{Channel: "a"}, chat.Key{Channel: "b"}
	o := (&order{places: map[chat.Key][]int64{}}).with(map[chat.Key][]int64{a: {10, 30, 50, 300}, b: {20, 40}}, 300)
	o = o.with(map[chat.Key][]int64{b: {310, 320}}, 320)
	late := o.with(map[chat.Key][]int64{a: {25}}, 330)
	for _, c := range []struct {
		o    *order
		said []Passage
		want []int64
	}{
		{o, []Passage{{ID: 50, Key: a}}, []int64{10, 30, 300}},
		{o, []Passage{{ID: 40, Key: b}, {ID: 320, Key: b}}, []int64{20, 310}},
		{o, []Passage{{ID: 999, Key: b}}, nil},
		{late, []Passage{{ID: 50, Key: a}}, []int64{25, 30, 300}},
		{late, []Passage{{ID: 320, Key: b}}, []int64{40, 310}},
		{late.with(nil, 340), []Passage{{ID: 10, Key: a}}, []int64{25, 30}},
	} {
		if got := c.o.beside(c.said); !slices.Equal(got, c.want) {
			t.Errorf("beside %+v: %d, not %d", c.said, got, c.want)
		}
	}
}
