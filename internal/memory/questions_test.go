package memory

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// asksFor has somebody's turn end with a question about a call; row is that of the turn.
func asksFor(t *testing.T, s *Store, who, id string, until time.Time) (row int64) {
	t.Helper()
	m := chat.Message{ID: id, Key: chat.Key{Platform: "x", Channel: "room"}, From: chat.User{ID: "x:" + who, Name: who},
		Text: "pay", Addressed: true, At: time.Now()}
	in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m}})
	must(t, err)
	q := chat.Question{ID: id, Asked: m.From, Key: m.Key, Row: in[0].Row, Text: "pay?", Body: []byte("{}"), Until: until,
		State: chat.QuestionOpen}
	must(t, s.Finish(bg, in[0], []chat.Part{{Key: m.Key, Text: "pay?"}}, &Turn{
		Decision: Decision{End: chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes}},
		Calls:    []CallRecord{{CallID: "c", Name: "pay", Arguments: "{}", Status: "pending", Class: "needs_yes"}},
		Asks:     &Asking{Question: q}}))
	return in[0].Row
}

// callStates lists the inbox rows of calls with how they stand.
func callStates(t *testing.T, s *Store) string {
	t.Helper()
	rows, err := s.db.Query("SELECT inbox_id || ' ' || status FROM tool_calls ORDER BY inbox_id")
	must(t, err)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var one string
		must(t, rows.Scan(&one))
		list = append(list, one)
	}
	must(t, rows.Err())
	return fmt.Sprint(list)
}

// TestForgettingLeavesOthersTheirQuestions: what others were asked still waits for them,
// with its calls.
func TestForgettingLeavesOthersTheirQuestions(t *testing.T) {
	now := time.Now()
	s := open(t, Options{Now: func() time.Time { return now }})
	asksFor(t, s, "ada", "a", now.Add(time.Minute))
	row := asksFor(t, s, "bob", "b", now.Add(time.Minute))
	must(t, s.ForgetPerson(bg, "x:ada", 0))
	for who, want := range map[string]bool{"ada": false, "bob": true} {
		m := chat.Message{From: chat.User{ID: "x:" + who}, Key: chat.Key{Platform: "x", Channel: "room"}, Named: true, Row: 99}
		if q, ok, err := s.Questions.MeantBy(bg, m); err != nil || ok != want || ok && (q.Text != "pay?" || string(q.Body) != "{}") {
			t.Errorf("%s: %+v, %v, %v", who, q, ok, err)
		}
	}
	must(t, second(s.Questions.ExpireQuestions(bg)))
	if got, want := callStates(t, s), fmt.Sprintf("[%d pending]", row); got != want {
		t.Errorf("calls are %s, want %s", got, want)
	}
	now = now.Add(2 * time.Minute)
	must(t, second(s.Questions.ExpireQuestions(bg)))
	if got, want := callStates(t, s), fmt.Sprintf("[%d expired]", row); got != want {
		t.Errorf("calls are %s, want %s", got, want)
	}
	var left int
	must(t, s.db.QueryRow("SELECT count(*) FROM questions WHERE text <> '' OR body <> ''").Scan(&left))
	if left != 0 {
		t.Errorf("%d questions that are over keep their words", left)
	}
}

// TestNoCallWaitsForGood: a call whose question has gone, however it did, ends.
func TestNoCallWaitsForGood(t *testing.T) {
	s := open(t, Options{})
	until := time.Now().Add(time.Minute)
	gone, settled, open := asksFor(t, s, "ada", "a", until), asksFor(t, s, "bob", "b", until), asksFor(t, s, "cyd", "c", until)
	must(t, s.db.Write(bg, func(tx *engine.Tx) error { return second(tx.Exec("DELETE FROM questions WHERE id = 'a'")) }))
	must(t, s.Questions.EndQuestion(bg, "b", chat.QuestionSettled, ""))
	must(t, second(s.Questions.ExpireQuestions(bg)))
	if got, want := callStates(t, s), fmt.Sprintf("[%d expired %d expired %d pending]", gone, settled, open); got != want {
		t.Errorf("calls are %s, want %s", got, want)
	}
}
