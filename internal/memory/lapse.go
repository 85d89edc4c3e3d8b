package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// A question lapses when what it hangs on is gone: nothing is done about it, whatever its
// answer. What ends a conversation, or changes the words that led to a question, lapses it in
// the same transaction; what is decided outside the database (rights, quota) is asked at the
// yes.

// callLapsed is the class of a call whose question lapsed: tools.Lapsed.
const callLapsed = "LAPSED"

// Lapse ends an open question because of why, with the calls that waited.
func (s *Questions) Lapse(ctx context.Context, id string, why chat.Lapse) error {
	return during("lapse a question", s.db.Write(ctx, func(tx *engine.Tx) error {
		return lapse(tx, why, "id = ? AND state = 'open'", id)
	}))
}

// lapse ends the open questions that a condition finds. What was asked stays until it is
// shown as over (ExpireQuestions).
func lapse(tx *engine.Tx, why chat.Lapse, where string, args ...any) error {
	list, err := engine.Select(tx, scanQuestion, "SELECT "+questionColumns+" FROM questions WHERE "+where, args...)
	for _, q := range list {
		err = errors.Join(err, lapseOne(tx, q, why))
	}
	return err
}

func lapseOne(tx *engine.Tx, q chat.Question, why chat.Lapse) error {
	_, err := tx.Exec("UPDATE questions SET state = 'expired', lapse = ?, body = '' WHERE id = ? AND state = 'open'", string(why), q.ID)
	for _, row := range append([]int64{q.Row}, q.Behind...) {
		_, e := tx.Exec("UPDATE tool_calls SET status = 'expired', class = ?, result = ? WHERE inbox_id = ? AND inbox_id <> 0 AND "+
			"status = 'pending'", callLapsed, string(why), row)
		err = errors.Join(err, e)
	}
	return err
}

// lapseUnseen lapses the question that m led to before its handling broke: what its person
// reads in its place is an apology, and a yes after that is no answer to it.
func lapseUnseen(tx *engine.Tx, m chat.Message) error {
	if err := lapse(tx, chat.LapsedFault, "state = 'open' AND inbox_id <> 0 AND inbox_id = ?", m.Row); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE questions SET text = '' WHERE lapse = ? AND inbox_id = ?", string(chat.LapsedFault), m.Row) // no message shows it
	return err
}

// lapseSaid lapses the questions that a message led to which m changes or takes back.
func lapseSaid(tx *engine.Tx, m chat.Message) error {
	why := chat.LapsedEdited
	if m.Kind == chat.KindDeleted {
		why = chat.LapsedDeleted
	}
	list, err := ledTo(tx, m)
	for _, q := range list {
		err = errors.Join(err, lapseOne(tx, q, why))
	}
	return err
}

// ledTo returns the open questions to which the message led that m changes or takes back.
func ledTo(db engine.Querier, m chat.Message) (list []chat.Question, err error) {
	rows, err := engine.Select(db, engine.Value[int64], "SELECT id FROM inbox WHERE platform = ? AND channel = ? AND thread = ? AND "+
		"message_id = ?", m.Key.Platform, m.Key.Channel, m.Key.Thread, m.ReplyTo)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list, err = engine.Select(db, scanQuestion, "SELECT "+questionColumns+" FROM questions WHERE state = 'open' AND platform = ?", m.Key.Platform)
	return slices.DeleteFunc(list, func(q chat.Question) bool {
		led := q.Row == rows[0] || slices.Contains(q.Behind, rows[0])
		if !led && err == nil {
			led, err = caughtUp(db, q, m.ReplyTo)
		}
		return !led
	}), err
}

// caughtUp reports whether a question's turn also read a message of the same person that had
// got no answer before: the model was not there, or an answer was stopped.
func caughtUp(db engine.Querier, q chat.Question, message string) (led bool, err error) {
	if q.Session == "" {
		return false, nil
	}
	found, err := engine.Select(db, engine.Value[int64], `SELECT early.id FROM messages early
		JOIN messages late ON late.session_id = early.session_id AND late.id > early.id
		WHERE early.session_id = ? AND early.role = 'user' AND early.user_id = ? AND early.message_id = ? AND late.role = 'user'
		AND late.message_id = (SELECT message_id FROM inbox WHERE id = ?) AND NOT EXISTS (SELECT 1 FROM messages answer
		WHERE answer.session_id = early.session_id AND answer.role = 'assistant' AND answer.id > early.id AND answer.id < late.id)`,
		q.Session, q.Asked.ID, message, q.Row)
	return len(found) > 0, err
}

// LedTo returns the open questions to which the message led that m, an edit or a deletion,
// changes. They lapse when m is finished.
func (s *Questions) LedTo(_ context.Context, m chat.Message) ([]chat.Question, error) {
	list, err := ledTo(s.db, m)
	return list, during("find what a message led to", err)
}

// Lapsed is a call that a person was asked about and that was not done.
type Lapsed struct {
	Tool, Args string
	Why        chat.Lapse
}

// maxLapsed is how many of them are told at most.
const maxLapsed = 3

// Lapsed returns the newest calls since then of m's author in m's place that lapsed.
func (s *Questions) Lapsed(_ context.Context, m chat.Message, since time.Time) ([]Lapsed, error) {
	some, err := s.lapsed.Get(standing{m.From.ID, m.Key}, func() (some bool, err error) {
		err = s.db.QueryRow("SELECT EXISTS (SELECT 1 FROM questions WHERE user_id = ? AND platform = ? AND channel = ? AND thread = ? "+
			"AND lapse <> '')", m.From.ID, m.Key.Platform, m.Key.Channel, m.Key.Thread).Scan(&some)
		return some, err
	})
	if err != nil || !some {
		return nil, during("find lapsed calls", err)
	}
	list, err := engine.Select(s.db, func(r engine.Scanner) (l Lapsed, err error) {
		err = r.Scan(&l.Tool, &l.Args, &l.Why)
		return l, err
	}, `SELECT c.name, c.arguments, c.result FROM decisions d JOIN tool_calls c ON c.decision_id = d.id
		WHERE d.platform = ? AND d.channel = ? AND d.thread = ? AND d.at >= ? AND d.user_id = ? AND c.class = ? ORDER BY c.id DESC LIMIT ? + 0`,
		m.Key.Platform, m.Key.Channel, m.Key.Thread, Stamp(since), m.From.ID, callLapsed, maxLapsed)
	return list, during("find lapsed calls", err)
}
