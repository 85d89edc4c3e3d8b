package memory

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/chat"
)

// takenUp adopts all that is left, as a start does.
func takenUp(s *Store, ctx context.Context) (open []chat.Message, keys []chat.Key, err error) {
	if keys, err = s.Left(ctx); err != nil {
		return nil, nil, err
	}
	open, err = s.Adopt(ctx, keys)
	return open, keys, err
}

// A second process that takes up some conversations leaves those alone that the
// first is at work on: no part of theirs becomes one whose outcome is unknown, no
// message counts as begun twice, and no call that waits for a yes ends.
func TestAdoptingDisturbsNobodyElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := openIn(t, dir, Options{})
	must(t, err)
	defer func() { must(t, first.Close()) }()
	rows := map[string]chat.Message{}
	for _, channel := range []string{"mine", "theirs"} {
		k := chat.Key{Platform: "x", Channel: channel}
		in, err := first.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{
			{ID: "1", Key: k, From: chat.User{ID: "x:1"}, Text: "a", Addressed: true}, {ID: "2", Key: k, From: chat.User{ID: "x:1"},
				Text: "b", Addressed: true}}})
		must(t, err)
		parts := []chat.Part{{Key: k, Text: "an answer", Sending: chat.Sending{Started: true}}}
		must(t, first.Finish(bg, in[0], parts, &Turn{Calls: []CallRecord{{CallID: "1", Name: "t", Status: "pending"}},
			Decision: Decision{End: chat.End{Outcome: chat.Answered}}}))
		rows[channel] = in[1]
	}
	second, err := openIn(t, dir, Options{})
	must(t, err)
	defer func() { must(t, second.Close()) }()
	mine := chat.Key{Platform: "x", Channel: "mine"}
	list, err := second.Adopt(t.Context(), []chat.Key{mine})
	must(t, err)
	if len(list) != 1 || list[0].Key != mine || list[0].Attempt != 1 {
		t.Errorf("adopted %+v", list)
	}
	for channel, unknown := range map[string]int{"mine": 1, "theirs": 0} {
		parts, err := first.Pending(bg, chat.Key{Platform: "x", Channel: channel})
		must(t, err)
		var attempt int
		must(t, first.db.QueryRow("SELECT attempt FROM inbox WHERE id = ?", rows[channel].Row).Scan(&attempt))
		if len(parts) != 1 || parts[0].Unknown != unknown || parts[0].Started != (unknown == 0) || attempt != unknown {
			t.Errorf("%s: %+v, begun %d times, want %d", channel, parts, attempt, unknown)
		}
	}
	var waiting int
	must(t, first.db.QueryRow("SELECT count(*) FROM tool_calls WHERE status = 'pending'").Scan(&waiting))
	if waiting != 2 {
		t.Errorf("%d of 2 calls wait for a yes", waiting)
	}
	must(t, first.Mark(bg, chat.Part{Row: 1}, chat.PartSent, "9", time.Time{}))
}
