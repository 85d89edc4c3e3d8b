package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/cluster/lanes"
	"parley/internal/memory/facts"
)

// Entry is one row of a transcript. System prompts are never stored: they are
// built anew for each call.
type Entry struct {
	ID         int64  // order of arrival; 0 before it is stored
	MessageID  string // the platform's id, "" for the bot's and tools' own
	Role       llm.Role
	User       string // author; on the bot's words whom they answer
	Name       string // display name, or the tool's name
	Content    string
	Attached   string // names and texts of files that came with the words
	ToolCalls  []llm.ToolCall
	ToolCallID string
	Tokens     int
	Insight    string // one line that stands for the exchange when it is folded
	At         time.Time
	// Origin is how the words came and, of the bot's and tools' own, whose
	// words they were made of.
	Origin Origin
}

// insertEntries appends to a session's transcript.
func insertEntries(tx *engine.Tx, se Session, entries []Entry) error {
	for _, e := range entries {
		calls := ""
		if len(e.ToolCalls) > 0 {
			b, err := json.Marshal(e.ToolCalls)
			if err != nil {
				return err
			}
			calls = string(b)
		}
		_, err := tx.Exec(`INSERT INTO messages (session_id, platform, channel, thread, message_id, role, user_id, name, content, tool_calls, tool_call_id, tokens, key_insight, at, attached, via, people, agent)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			se.ID, se.Key.Platform, se.Key.Channel, se.Key.Thread, e.MessageID, string(e.Role), e.User, e.Name, e.Content,
			calls, e.ToolCallID, e.Tokens, e.Insight, Stamp(e.At),
			e.Attached, int(e.Origin.Via), e.Origin.But(e.User).Names(), se.Agent)
		if err != nil {
			return fmt.Errorf("store transcript: %w", err)
		}
	}
	return nil
}

// Transcript returns the entries of a session after a row id, oldest first; at
// most limit of the newest, 0 for all.
func (s *Store) Transcript(_ context.Context, session string, after int64, limit int) ([]Entry, error) {
	if limit <= 0 {
		limit = math.MaxInt32
	}
	return s.entries(session, after, limit)
}

// Window is Transcript for each message of a conversation: it reads only what is new.
// The entries must not be changed.
func (s *Store) Window(_ context.Context, session string, after int64, limit int) ([]Entry, error) {
	return s.windows.Newest(session, after, limit)
}

func (s *Store) entries(session string, after int64, limit int) ([]Entry, error) {
	// SQLite prepares a statement with a bare LIMIT ? anew whenever that is bound.
	entries, err := engine.Select(s.db, scanEntry,
		`SELECT id, message_id, role, user_id, name, content, tool_calls, tool_call_id, tokens, key_insight, at, attached, via, people
		FROM messages WHERE session_id = ? AND id > ? ORDER BY id DESC LIMIT ? + 0`, session, after, limit)
	slices.Reverse(entries)
	return entries, during("read transcript", err)
}

func scanEntry(r engine.Scanner) (e Entry, err error) {
	err = r.Scan(&e.ID, &e.MessageID, &e.Role, &e.User, &e.Name, &e.Content, engine.JSON(&e.ToolCalls), &e.ToolCallID, &e.Tokens,
		&e.Insight, engine.Stamped(&e.At), &e.Attached, &e.Origin.Via, (*names)(&e.Origin.People))
	return e, err
}

// Turn is the Record of an answered message: everything one turn leaves
// behind, stored in the transaction that finishes it.
type Turn struct {
	Session  *Session // nil when the turn left no transcript (an /ask)
	Entries  []Entry
	Decision Decision
	Calls    []CallRecord
	// Person is what became of the playbook's note on the author; zero leaves it.
	Person PersonNote
	// Facts are the ids of facts that were fetched for this very message, Told
	// the changes of facts that the answer tells of.
	Facts, Told []int64
	// Asks is the question that the turn ends with; Settles what it did about one
	// that was answered. nil is none.
	Asks    *Asking
	Settles *Settled
	// Precedents are calls that guards look back on; a turn without a session
	// leaves none.
	Precedents []Precedent
	// Fold runs in the lane after the person has the answer; nil for nothing.
	Fold func(context.Context)
	Also Deed // of another room
	// Unasked is how often a day the bot may speak in the channel although nobody asked, where
	// this is such an answer: it is withheld if it did. 0 is an answer that somebody waits for.
	Unasked int

	unsaid bool // the answer is withheld
	silent bool // so is what its author said
}

// After implements chat.Aftercare.
func (t *Turn) After() func(context.Context) {
	switch {
	case t.Also.Then == nil:
		return t.Fold
	case t.Fold == nil:
		return t.Also.Then
	}
	return func(ctx context.Context) { t.Also.Then(ctx); t.Fold(ctx) }
}

// Afterwards adds work for the lane after the person has the answer.
func (t *Turn) Afterwards(do func(context.Context)) {
	before := t.Fold
	t.Fold = func(ctx context.Context) {
		if before != nil {
			before(ctx)
		}
		do(ctx)
	}
}

// Effects implements chat.Effects.
func (t *Turn) Effects() bool { return len(t.Decision.Detail.Tools) > 0 }

// Ending implements chat.Ended.
func (t *Turn) Ending() chat.End { return t.Decision.End }

func (t *Turn) store(tx *engine.Tx, s *Store, m chat.Message) error {
	entries, d, calls := t.Entries, t.Decision, t.Calls
	switch {
	case t.silent:
		entries, d, calls = nil, d.bare(), nil
	case t.unsaid:
		entries = ownWords(entries, m.From.ID)
	}
	if t.unsaid {
		d.End = chat.End{Outcome: chat.Overheard}
	}
	if t.Session != nil {
		current, err := saveSession(tx, *t.Session)
		if err != nil {
			return err
		}
		if !current {
			entries, d, calls = ownWords(entries, m.From.ID), d.bare(), nil
			if there, err := generation(tx, t.Session.ID); err != nil || there == 0 {
				return errors.Join(err, s.Decisions.insertDecision(tx, m, d, nil))
			}
		}
		if err := insertEntries(tx, *t.Session, entries); err != nil {
			return err
		}
		if current {
			if err := addPrecedents(tx, t.Session.ID, m.From.ID, t.Precedents); err != nil {
				return err
			}
		}
	}
	if t.Person != (PersonNote{}) {
		if err := savePersonPlaybook(tx, m.From.ID, m.Agent.ID, t.Person); err != nil {
			return err
		}
	}
	if err := facts.Answered(tx, t.Facts, t.Told, s.now()); err != nil {
		return err
	}
	if err := s.Decisions.insertDecision(tx, m, d, calls); err != nil {
		return err
	}
	if t.Also.Do != nil {
		if err := t.Also.Do(tx, s); err != nil {
			return err
		}
	}
	return t.settle(tx, s)
}

// settle stores what the turn asks, and what it did about what it had asked.
func (t *Turn) settle(tx *engine.Tx, s *Store) error {
	if t.Settles != nil {
		if err := t.Settles.store(tx); err != nil {
			return err
		}
	}
	if t.Asks != nil {
		return s.Questions.putQuestion(tx, t.Asks.Question, t.Asks.Instead)
	}
	return nil
}

// ownWords returns what the author of a message said. Nothing else is kept of a turn during
// which somebody else was forgotten, since its answer may rest on their words.
func ownWords(entries []Entry, user string) (own []Entry) {
	for _, e := range entries {
		if e.Role == llm.RoleUser && e.User == user {
			own = append(own, e)
		}
	}
	return own
}

// bare returns a decision without what was read for it.
func (d Decision) bare() Decision {
	d.Detail = Detail{ErrorID: d.Detail.ErrorID, Prompt: d.Detail.Prompt, Steps: d.Detail.Steps}
	return d
}

// Step is one finished or begun part of a turn that is not finished yet.
type Step struct {
	N      int
	Kind   string // "model" or "tool"
	Key    string // the tool call's id; "" for model steps
	Done   bool
	Result string
	People []string // whose words Result was made of, other than the author's
	Rows   bool     // all that it does is change rows of this database; only said as it begins
}

// SaveSteps stores steps together, behind every write so far; the same number again
// replaces a step. It returns once they are durable if one only begins, since that may
// have an effect from then on. Where all are done it only queues them, and wait returns
// once they are committed: what begins next brings them to the disk. wait may be called
// later, once, or not at all. The lane's row is held, and each step is one statement. Where
// the turn is another process's by now it is ErrFenced; what was made is stored all the same.
//
// A step that begins and only changes rows is committed when SaveSteps returns, and on the
// disk no later than what it changes: a log is only valid up to a point (engine.DB.Soon). A
// server is waited for all the same: where it dies and forgets the step, and another process
// has the turn by then, what was begun could be done by both.
func (s *Store) SaveSteps(ctx context.Context, inbox int64, steps []Step) (wait func() error) {
	var fact lanes.Fact
	save := func(tx *engine.Tx) error {
		late, err := fact.Held(s.Lanes.HoldRow(tx, inbox))
		for i := 0; i < len(steps) && err == nil; i++ {
			err = saveStep(tx, inbox, steps[i], late)
		}
		return err
	}
	begun := func(st Step) bool { return !st.Done }
	if slices.ContainsFunc(steps, begun) {
		write := s.db.Held().Write
		if s.db.Path() != "" && !slices.ContainsFunc(steps, func(st Step) bool { return begun(st) && !st.Rows }) {
			write = s.db.Held().Soon
		}
		err := fact.Told(write(ctx, save))
		return func() error { return err }
	}
	queued := s.db.Held().QueueSoon(ctx, save)
	return func() error { return fact.Told(queued()) }
}

// saveStep stores one step, or late what became of one that was begun (lanes.Fact).
func saveStep(tx *engine.Tx, inbox int64, st Step, late bool) (err error) {
	state, people := "started", Origin{People: st.People}.Names()
	if st.Done {
		state = "done"
	}
	if late {
		_, err = tx.Exec("UPDATE steps SET state = ?, result = ?, people = ? WHERE inbox_id = ? AND n = ? AND kind = ? AND "+
			"key = ? AND state = 'started'",
			state, st.Result, people, inbox, st.N, st.Kind, st.Key)
		return err
	}
	_, err = tx.Exec(`INSERT INTO steps (inbox_id, n, kind, key, state, result, people) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (inbox_id, n) DO UPDATE SET state = excluded.state, result = excluded.result, people = excluded.people`,
		inbox, st.N, st.Kind, st.Key, state, st.Result, people)
	return err
}

// Steps returns what an earlier process finished of a turn, in order.
func (s *Store) Steps(_ context.Context, inbox int64) ([]Step, error) {
	return engine.Select(s.db, func(r engine.Scanner) (st Step, err error) {
		err = r.Scan(&st.N, &st.Kind, &st.Key, &st.Done, &st.Result)
		return st, err
	}, "SELECT n, kind, key, state = 'done', result FROM steps WHERE inbox_id = ? ORDER BY n", inbox)
}
