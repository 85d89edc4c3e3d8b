package memory

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// TestQuestionsLapse: an edit or a deletion lapses what the message led to, and so does the
// end of a conversation what belongs to it, each in its own transaction; other questions
// wait on. It is shown once, and the model can be told.
func TestQuestionsLapse(t *testing.T) {
	s := open(t, Options{})
	until := time.Now().Add(time.Minute)
	key := chat.Key{Platform: "x", Channel: "room"}
	se, err := s.Sessions.NewSession(bg, Place{Key: key}, false)
	must(t, err)
	must(t, s.Sessions.SaveSession(bg, se))
	rows := map[string]int64{}
	for _, who := range []string{"ada", "bob", "cyd", "dan"} {
		rows[who] = asksFor(t, s, who, who, until)
	}
	must(t, s.db.Write(bg, func(tx *engine.Tx) error {
		return second(tx.Exec("UPDATE questions SET session = ? WHERE id = 'cyd'", se.ID))
	}))
	for who, kind := range map[string]chat.Kind{"ada": chat.KindEdit, "bob": chat.KindDeleted} {
		in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{
			{ID: who + "!", Key: key, From: chat.User{ID: "x:" + who}, Kind: kind, ReplyTo: who, Text: "do not", At: time.Now()}}})
		must(t, err)
		if list, err := s.Questions.LedTo(bg, in[0]); err != nil || len(list) != 1 || list[0].ID != who {
			t.Errorf("%s led to %+v, %v", who, list, err)
		}
		must(t, s.Finish(bg, in[0], nil, nil))
	}
	if ok, err := s.Sessions.EndSession(bg, se, Completed, Closing{}, true); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for who, want := range map[string]chat.Lapse{"ada": chat.LapsedEdited, "bob": chat.LapsedDeleted, "cyd": chat.LapsedSession, "dan": ""} {
		m := chat.Message{From: chat.User{ID: "x:" + who}, Key: key, Row: 99}
		q, ok, err := s.Questions.Question(bg, m, who)
		if err != nil || !ok || q.Lapse != want || (q.State == chat.QuestionOpen) != (want == "") {
			t.Errorf("%s: %+v, %v, %v", who, q, ok, err)
		}
		told, err := s.Questions.Lapsed(bg, m, time.Now().Add(-time.Hour))
		if err != nil || (len(told) == 1) != (want != "") || len(told) == 1 && (told[0].Tool != "pay" || told[0].Why != want) {
			t.Errorf("%s is told of %+v, %v", who, told, err)
		}
	}
	if got, want := callStates(t, s), fmt.Sprintf("[%d expired %d expired %d expired %d pending]", rows["ada"], rows["bob"], rows["cyd"],
		rows["dan"]); got != want {
		t.Errorf("calls are %s, want %s", got, want)
	}
	for _, want := range []int{3, 0} {
		if late, err := s.Questions.ExpireQuestions(bg); err != nil || len(late) != want {
			t.Errorf("shown are %d, want %d, %v", len(late), want, err)
		}
	}
}

// TestNobodyAnswersWhatTheyNeverSaw: where a message breaks after its question was stored, its
// person reads an apology. The question is over, a yes below the apology hears why, and the
// apology is not rewritten to show it. A question of another message waits on.
func TestNobodyAnswersWhatTheyNeverSaw(t *testing.T) {
	s := open(t, Options{})
	key := chat.Key{Platform: "x", Channel: "ada"}
	ada := chat.User{ID: "x:ada"}
	said := func(id, text string) chat.Message {
		in, err := s.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{
			{ID: id, Key: key, From: ada, Kind: chat.KindText, Direct: true, Text: text, At: time.Now()}}})
		must(t, err)
		return in[0]
	}
	asks := func(m chat.Message) {
		must(t, s.Questions.PutQuestion(bg, chat.Question{ID: "q" + m.ID, Asked: ada, Key: key, Row: m.Row, Text: "Pay?",
			Body: []byte("{}"), Until: time.Now().Add(time.Minute), State: chat.QuestionOpen}, ""))
	}
	first, second := said("1", "pay"), said("2", "pay twice")
	asks(first)
	must(t, s.Finish(bg, first, []chat.Part{{Key: key, Text: "Pay?"}}, chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes}))
	asks(second)
	must(t, s.Finish(bg, second, []chat.Part{{Key: key, Text: "Something went wrong."}},
		chat.End{Outcome: chat.Failed, Reason: chat.Fault, ErrorID: "E-1"}))
	for id, want := range map[string]chat.Lapse{"q1": "", "q2": chat.LapsedFault} {
		q, ok, err := s.Questions.Question(bg, second, id)
		if err != nil || !ok || q.Lapse != want || (q.State == chat.QuestionOpen) != (want == "") {
			t.Errorf("%s: %+v, %v, %v", id, q, ok, err)
		}
	}
	if q, ok, err := s.Questions.MeantBy(bg, said("3", "yes")); err != nil || !ok || q.Lapse != chat.LapsedFault {
		t.Errorf("a yes below the apology answers %+v, %v, %v", q, ok, err)
	}
	if late, err := s.Questions.ExpireQuestions(bg); err != nil || len(late) != 0 {
		t.Errorf("the apology is to show %+v, %v", late, err)
	}
}
