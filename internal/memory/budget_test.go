package memory

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/llm"
)

// sizes returns the bytes by table.
func sizes(t *testing.T, s *Store) map[string]int64 {
	t.Helper()
	list, err := s.File.Sizes(bg)
	must(t, err)
	all := map[string]int64{}
	for _, sz := range list {
		all[sz.Table] = sz.Bytes
	}
	return all
}

// What each kind of message leaves in each table, in bytes of its rows; a table
// that is not named gets nothing. What grows without end is what people said
// and were answered; of what was overheard only a count stays.
func TestWhatAMessageLeaves(t *testing.T) {
	postgrestest.AboutFiles(t)
	const n = 40
	passes := map[string]int64{"inbox": 170, "outbox": 190} // for a week, to know redelivery
	for name, tt := range map[string]struct {
		addressed bool
		answer    string
		record    func(chat.Message) any
		stays     map[string]int64
	}{
		"overheard": {stays: map[string]int64{"overheard": 1}},
		"a command": {addressed: true, answer: "done", record: func(chat.Message) any {
			return chat.End{Outcome: chat.Answered,
				Command: "status"}
		},
			stays: map[string]int64{"decisions": 180}},
		"answered": {addressed: true, answer: "It is noon.", stays: map[string]int64{"decisions": 400, "messages": 400, "messages_fts_data": 60},
			record: func(m chat.Message) any {
				se := Session{ID: "0000aaaa-0000-4000-8000-000000000000", Key: m.Key, Status: Active}
				return &Turn{Session: &se, Decision: Decision{Session: se.ID, End: chat.End{Outcome: chat.Answered}, Model: "a-model",
					Detail: Detail{Steps: []Lap{{Kind: "model", Name: "a-model", Took: 900, Tokens: 1200}}}},
					Entries: []Entry{{Role: llm.RoleUser, User: m.From.ID, Name: "Alice", MessageID: m.ID, Content: m.Text, At: time.Now()},
						{Role: llm.RoleAssistant, User: m.From.ID, Content: "It is noon.", At: time.Now()}}}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			s := open(t, Options{Now: func() time.Time { return now }})
			say := func(i int) {
				m := chat.Message{ID: fmt.Sprint(1000 + i), Key: chat.Key{Platform: "telegram", Channel: "-1001234567890"},
					From: chat.User{ID: "telegram:424242", Name: "Alice"}, Text: "what time is it?", Addressed: tt.addressed}
				in, err := s.Accept(bg, chat.Batch{Platform: "telegram", Messages: []chat.Message{m}})
				must(t, err)
				var parts []chat.Part
				var record any
				if tt.answer != "" {
					parts = []chat.Part{{Key: m.Key, Text: tt.answer, To: m.From}}
					record = tt.record(in[0])
				}
				must(t, s.Finish(bg, in[0], parts, record))
				for _, p := range parts {
					must(t, s.Mark(bg, p, chat.PartSent, "2000", time.Time{}))
				}
			}
			say(0) // what is there once for all of them
			before := sizes(t, s)
			for i := range n {
				say(1 + i)
			}
			check := func(when string, allowed ...map[string]int64) {
				t.Helper()
				for table, bytes := range sizes(t, s) {
					var budget int64
					for _, a := range allowed {
						budget = max(budget, a[table])
					}
					if each := float64(bytes-before[table]) / n; each >= float64(budget)+0.5 {
						t.Errorf("%s, each leaves %.0f bytes in %s, allowed are %d", when, each, table, budget)
					}
				}
			}
			check("at first", tt.stays, passes)
			now = now.AddDate(0, 0, 8)
			must(t, second(s.Prune(bg, Retention{})))
			check("after a week", tt.stays)
		})
	}
}

// counted returns how many messages ended in which way.
func counted(stats []Stat) map[chat.Outcome]int {
	n := map[chat.Outcome]int{}
	for _, st := range stats {
		n[st.Outcome] += st.Messages
	}
	return n
}

// What was overheard is still in the totals, and in no list of answers.
func TestOverheardIsCounted(t *testing.T) {
	now := time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC)
	s := open(t, Options{Now: func() time.Time { return now }})
	key := chat.Key{Platform: "telegram", Channel: "-100", Thread: "5"}
	hear := func(list ...chat.Message) {
		t.Helper()
		in, err := s.Accept(bg, chat.Batch{Platform: "telegram", Messages: list})
		must(t, err)
		for _, m := range in {
			must(t, s.Finish(bg, m, nil, nil))
		}
	}
	from := chat.User{ID: "telegram:1"}
	hear(chat.Message{ID: "1", Key: key, From: from, Text: "a"}, chat.Message{ID: "2", Key: key, From: from, Text: "b"})
	now = now.Add(time.Hour)
	hear(chat.Message{ID: "3", Key: key, From: from, Text: "c"}, chat.Message{ID: "1@2", Key: key, Kind: chat.KindEdit,
		ReplyTo: "1", From: from, Addressed: true},
		chat.Message{ID: "4", Key: key, From: from, Addressed: true})
	for since, want := range map[time.Time]int{now.AddDate(0, 0, -7): 4, now.Add(-time.Minute): 2} {
		stats, err := s.Decisions.Stats(bg, since)
		must(t, err)
		if got := counted(stats); got[chat.Overheard] != want || got[chat.Refused] != 1 || len(got) != 2 {
			t.Errorf("since %s: %+v, want %d", since, stats, want)
		}
	}
	if n, err := s.Rows(bg, "decisions"); err != nil || n != 1 {
		t.Errorf("%d decisions, %v", n, err)
	}
	must(t, s.Move(bg, chat.Move{From: key, To: chat.Key{Platform: "telegram", Channel: "-200"}}))
	if stats, err := s.Decisions.Stats(bg, now.AddDate(0, 0, -7)); err != nil || counted(stats)[chat.Overheard] != 4 {
		t.Errorf("after a move: %+v %v", stats, err)
	}
}
