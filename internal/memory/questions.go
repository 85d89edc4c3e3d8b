package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// Questions are those that wait for a person, and what became of them.
type Questions struct {
	db      *engine.DB
	now     func() time.Time
	waiting *engine.Kept[standing, bool] // whether there may be one
	lapsed  *engine.Kept[standing, bool] // whether one lapsed
}

// standing is a person in a place.
type standing struct {
	user string
	key  chat.Key
}

const questionColumns = "id, user_id, name, platform, channel, thread, inbox_id, behind, text, body, expires_at, " +
	"state, taken_by, by_id, by_name, came, restored, session, agent, lapse"

func scanQuestion(row engine.Scanner) (q chat.Question, err error) {
	err = row.Scan(&q.ID, &q.Asked.ID, &q.Asked.Name, &q.Key.Platform, &q.Key.Channel, &q.Key.Thread, &q.Row,
		engine.JSON(&q.Behind), &q.Text, &q.Body, engine.Stamped(&q.Until), &q.State, &q.Taken, &q.By.ID, &q.By.Name, &q.Came, &q.Restored,
		&q.Session, &q.Agent, &q.Lapse)
	return q, err
}

// PutQuestion stores a question. It replaces the one with the id instead, and
// any open one that the same message has led to: an earlier attempt's.
func (s *Questions) PutQuestion(ctx context.Context, q chat.Question, instead string) error {
	return during("store question", s.db.Write(ctx, func(tx *engine.Tx) error { return s.putQuestion(tx, q, instead) }))
}

func (s *Questions) putQuestion(tx *engine.Tx, q chat.Question, instead string) error {
	behind, err := json.Marshal(append([]int64{}, q.Behind...))
	if err != nil {
		return err
	}
	_, e1 := tx.Exec("UPDATE questions SET state = 'replaced', text = '', body = '' WHERE state = 'open' AND (id = ? OR "+
		"inbox_id <> 0 AND inbox_id = ?)", instead, q.Row)
	_, e2 := tx.Exec(`INSERT INTO questions (id, user_id, name, platform, channel, thread, inbox_id, behind, text, body, asked_at, expires_at, session, agent, state)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')
		ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, name = excluded.name, platform = excluded.platform, channel = excluded.channel, thread = excluded.thread,
		inbox_id = excluded.inbox_id, behind = excluded.behind, text = excluded.text, body = excluded.body, asked_at = excluded.asked_at, expires_at = excluded.expires_at,
		session = excluded.session, agent = excluded.agent, state = 'open', taken_by = 0, by_id = '', by_name = '', came = '', again = 0, lapse = ''`,
		q.ID, q.Asked.ID, q.Asked.Name, q.Key.Platform, q.Key.Channel, q.Key.Thread, q.Row, string(behind), q.Text, q.Body,
		Stamp(s.now()), Stamp(q.Until), q.Session, q.Agent)
	return errors.Join(e1, e2)
}

// Question finds a question by its id, whatever became of it; without an id the
// newest that waits for m's author in m's place, in time or not, or that an
// earlier process began to settle with m.
func (s *Questions) Question(_ context.Context, m chat.Message, id string) (q chat.Question, ok bool, err error) {
	query := "SELECT " + questionColumns + " FROM questions WHERE id = ? AND platform = ? AND channel = ? AND thread = ?"
	args := []any{id, m.Key.Platform, m.Key.Channel, m.Key.Thread}
	if id == "" {
		if some, err := s.waitsIn(m); err != nil || !some {
			return q, false, during("read question", err)
		}
		query = "SELECT " + questionColumns + ` FROM questions WHERE user_id = ? AND platform = ? AND channel = ? AND thread = ?
			AND (state IN ('open', 'expired') OR state = 'taken' AND taken_by = ? AND taken_by <> 0) ORDER BY state = 'taken' DESC, state = 'open' DESC, asked_at DESC, rowid DESC LIMIT 1`
		args[0] = m.From.ID
		args = append(args, m.Row)
	}
	q, ok, err = engine.Found(scanQuestion(s.db.QueryRow(query, args...)))
	return q, ok, during("read question", err)
}

// MeantBy finds the question that m is said to, by where m stands: the one whose
// message it replies to; in a direct chat without a reply, the last thing that was
// said there; elsewhere the newest of its author, if m calls the bot by its name or is
// a command. It is in time or not, or m began to settle it in an earlier process.
func (s *Questions) MeantBy(_ context.Context, m chat.Message) (q chat.Question, ok bool, err error) {
	if some, err := s.waitsIn(m); err != nil || !some {
		return q, false, during("find what is answered", err)
	}
	args := engine.Named{"user": m.From.ID, "platform": m.Key.Platform, "channel": m.Key.Channel, "thread": m.Key.Thread,
		"row": m.Row, "reply": m.ReplyTo}
	q, ok, err = engine.Found(scanQuestion(s.db.QueryRow("SELECT "+questionColumns+
		` FROM questions WHERE user_id = :user AND platform = :platform AND channel = :channel AND thread = :thread
		AND ((state IN ('open', 'expired') OR lapse <> '' AND :reply <> '') AND (`+stands(m)+`) OR state = 'taken' AND taken_by = :row AND taken_by <> 0)
		ORDER BY state = 'taken' DESC, state = 'open' DESC, asked_at DESC, rowid DESC LIMIT 1`, args)))
	return q, ok, during("find what is answered", err)
}

// stands is the condition on a question that m is said to.
func stands(m chat.Message) string {
	const shownIn = "(SELECT inbox_id FROM outbox WHERE inbox_id <> 0 AND platform = :platform AND channel = :channel " +
		"AND thread = :thread AND "
	switch {
	case m.Kind == chat.KindCommand:
		return "1 = 1"
	case m.ReplyTo != "":
		const there = shownIn + "platform_id = :reply)"
		return "inbox_id IN " + there + " OR again IN " + there
	case m.Direct: // who wrote it may have seen what is still on its way
		const last = "(SELECT inbox_id FROM outbox WHERE platform = :platform AND channel = :channel AND thread = :thread " +
			"AND state <> 'dead' ORDER BY id DESC LIMIT 1)"
		return "inbox_id <> 0 AND " + last + " IN (inbox_id, nullif(again, 0))"
	case m.Named:
		return "1 = 1"
	}
	return "1 = 0"
}

// AskedAgain notes that the answer to the message in this inbox row ends with a question.
func (s *Questions) AskedAgain(ctx context.Context, id string, row int64) error {
	return during("repeat question", s.db.Exec(ctx, "UPDATE questions SET again = ? WHERE id = ? AND state = 'open'", row, id))
}

// waitsIn reports whether there may be a question that waits for m's author in m's place.
func (s *Questions) waitsIn(m chat.Message) (bool, error) {
	return s.waiting.Get(standing{m.From.ID, m.Key}, func() (some bool, err error) {
		err = s.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM questions WHERE user_id = ? AND platform = ? AND channel = ? AND thread = ? AND (state IN ('open', 'expired', 'taken') OR lapse <> ''))`,
			m.From.ID, m.Key.Platform, m.Key.Channel, m.Key.Thread).Scan(&some)
		return some, err
	})
}

// TakeQuestion uses a question up with the answer m, in the name of its author. first is
// true for exactly one caller; again means that m took it in an earlier process.
func (s *Questions) TakeQuestion(ctx context.Context, id string, m chat.Message) (first, again bool, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		var n int64
		first, again = false, false
		if err := tx.Count(&n, "UPDATE questions SET state = 'taken', taken_by = ?, by_id = ?, by_name = ? WHERE id = ? AND state = 'open'",
			m.Row, m.From.ID, m.From.Name, id); err != nil || n == 1 {
			first = err == nil
			return err
		}
		return tx.QueryRow("SELECT count(*) FROM questions WHERE id = ? AND state = 'taken' AND taken_by = ? AND taken_by <> 0",
			id, m.Row).Scan(&again)
	})
	return first && err == nil, again && err == nil, during("take question", err)
}

// EndQuestion notes in one line what became of a question, and drops what it would have
// done.
func (s *Questions) EndQuestion(ctx context.Context, id string, to chat.QuestionState, came string) error {
	return during("end question", s.db.Write(ctx, func(tx *engine.Tx) error { return endQuestion(tx, id, to, came) }))
}

func endQuestion(tx *engine.Tx, id string, to chat.QuestionState, came string) error {
	_, err := tx.Exec("UPDATE questions SET state = ?, came = ?, text = '', body = '' WHERE id = ?", string(to), came, id)
	return err
}

// ExpireQuestions ends every question whose time has passed, with the calls that
// waited, and those whose answer ended without a word on them. It returns the first kind,
// and once each question that lapsed (Lapse). A call that waits with no question is ended, too, whatever became of that.
func (s *Questions) ExpireQuestions(ctx context.Context) (late []chat.Question, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		late, err = engine.Select(tx, scanQuestion, "SELECT "+questionColumns+" FROM questions WHERE state = 'open' AND expires_at <= ? "+
			"OR state = 'expired' AND lapse <> '' AND text <> ''", Stamp(s.now()))
		if err != nil {
			return err
		}
		for _, q := range late {
			_, e1 := tx.Exec("UPDATE questions SET state = 'expired', text = '', body = '' WHERE id = ?", q.ID)
			if q.Lapse != "" { // its calls ended with it
				err = errors.Join(err, e1)
				continue
			}
			if err := errors.Join(e1, endWaiting(tx, q, "expired")); err != nil {
				return err
			}
		}
		lost, e2 := engine.Select(tx, scanQuestion, "SELECT "+questionColumns+
			" FROM questions WHERE state = 'taken' AND taken_by NOT IN (SELECT id FROM inbox WHERE state = 'new')")
		err = errors.Join(err, e2)
		for _, q := range lost {
			err = errors.Join(err, endQuestion(tx, q.ID, chat.QuestionSettled, q.Came), endWaiting(tx, q, "error"))
		}
		if err != nil {
			return err
		}
		return endForsaken(tx)
	})
	return late, during("expire questions", err)
}

// endWaiting ends the calls that waited with a question.
func endWaiting(tx *engine.Tx, q chat.Question, status string) error {
	for _, row := range append([]int64{q.Row}, q.Behind...) {
		if _, err := tx.Exec("UPDATE tool_calls SET status = ?, class = '' WHERE inbox_id = ? AND inbox_id <> 0 AND status = 'pending'",
			status, row); err != nil {
			return err
		}
	}
	return nil
}

// endForsaken ends pending calls without a question.
func endForsaken(tx *engine.Tx) error {
	calls, err := engine.Select(tx, engine.Value[int64], "SELECT DISTINCT inbox_id FROM tool_calls WHERE status = 'pending'")
	if err != nil || len(calls) == 0 {
		return err
	}
	live, err := engine.Select(tx, scanQuestion, "SELECT "+questionColumns+" FROM questions WHERE state IN ('open', 'taken')")
	for _, row := range calls {
		if err == nil && !slices.ContainsFunc(live, func(q chat.Question) bool { return q.Row == row || slices.Contains(q.Behind, row) }) {
			_, err = tx.Exec("UPDATE tool_calls SET status = 'expired', class = '' WHERE inbox_id = ? AND status = 'pending'", row)
		}
	}
	return err
}

// AskedAs returns the platform's id of the message that shows a question; "" when it
// is not known.
func (s *Questions) AskedAs(_ context.Context, q chat.Question) (string, error) {
	if q.Row == 0 {
		return "", nil
	}
	return s.db.Word("find a question's message",
		`SELECT platform_id FROM outbox WHERE inbox_id = ? AND inbox_id <> 0 AND platform = ? AND channel = ? AND thread = ? AND state = 'sent'
		ORDER BY part DESC LIMIT 1`, q.Row, q.Key.Platform, q.Key.Channel, q.Key.Thread)
}

// Ended is what became of a call that waited for a yes.
type Ended struct {
	Inbox  int64 // the message whose turn made the call
	CallID string
	Status string // success, failed, timeout, unknown, declined
	Class  string // why it failed or was not run
	Result string
	Took   time.Duration
}

// Settled is what an answer to a question leaves behind.
type Settled struct {
	Question string // its id
	Came     string // in a line
	Calls    []Ended
}

func (s *Settled) store(tx *engine.Tx) error {
	for _, c := range s.Calls {
		_, err := tx.Exec("UPDATE tool_calls SET status = ?, class = ?, result = ?, duration_ms = ? WHERE inbox_id = ? AND "+
			"call_id = ? AND status = 'pending'",
			cmp.Or(c.Status, "error"), c.Class, clip(c.Result), c.Took.Milliseconds(), c.Inbox, c.CallID)
		if err != nil {
			return err
		}
	}
	return endQuestion(tx, s.Question, chat.QuestionSettled, s.Came)
}

// settle ends a question with the answer that comes of it. After a no, the calls that waited
// are over with it: no turn of the model ends them where there is none.
func settle(tx *engine.Tx, s chat.Settling) error {
	if !s.Leave {
		if s.Outcome == chat.Declined {
			list, err := engine.Select(tx, scanQuestion, "SELECT "+questionColumns+" FROM questions WHERE id = ?", s.Question)
			for _, q := range list {
				err = errors.Join(err, endWaiting(tx, q, "declined"))
			}
			if err != nil {
				return err
			}
		}
		return endQuestion(tx, s.Question, chat.QuestionSettled, s.Came)
	}
	_, err := tx.Exec("DELETE FROM questions WHERE id = ?", s.Question)
	return err
}

// Asking is a question that a turn ends with.
type Asking struct {
	chat.Question
	Instead string // the id of the question that it takes the place of
}
