package memory

import (
	"context"
	"slices"
	"time"

	"parley/internal/db/engine"
)

// Rewound is a copy of a database in which conversations stand as they did before one of
// their messages. It changes what it is given: never rewind the database of a bot. It is
// for a file, and for one goroutine.
type Rewound struct {
	db    *engine.DB
	since string
}

// Standing is where a conversation stands when a message comes.
type Standing struct {
	Session  string
	Before   int64 // the row of the message; what came before it is there
	At       time.Time
	Playbook string // of the session
}

// awake are the sessions that a rewound copy takes back: those with something since a moment.
const awake = "(SELECT id FROM sessions WHERE last_activity >= :since)"

// Rewind takes the conversations of a copy back to their beginnings, as far as something was
// said in them since a moment. What was remembered of people since is hidden until To comes
// to it; what was changed or forgotten since is as it is today.
func (s *Store) Rewind(ctx context.Context, since time.Time) (*Rewound, error) {
	r := &Rewound{db: s.db, since: Stamp(since)}
	err := s.db.Write(ctx, func(tx *engine.Tx) error {
		return tx.ExecAll(engine.Named{"since": r.since},
			"CREATE TABLE later_messages AS SELECT * FROM messages WHERE session_id IN "+awake,
			"CREATE INDEX later_messages_session ON later_messages (session_id, id)",
			"CREATE TABLE later_decisions AS SELECT * FROM decisions WHERE session_id IN "+awake,
			"CREATE INDEX later_decisions_session ON later_decisions (session_id, at)",
			"CREATE TABLE later_sessions AS SELECT id, summary, summarized_at FROM sessions WHERE id IN "+awake,
			"CREATE UNIQUE INDEX later_sessions_id ON later_sessions (id)",
			"CREATE TABLE later_facts AS SELECT id, created_at AS at, valid_to FROM key_facts WHERE created_at >= :since",
			"CREATE INDEX later_facts_at ON later_facts (at)",
			"DELETE FROM messages WHERE session_id IN "+awake,
			"DELETE FROM decisions WHERE session_id IN "+awake,
			"DELETE FROM guard_calls WHERE session_id IN "+awake,
			"UPDATE key_facts SET valid_to = created_at WHERE created_at >= :since AND valid_to = ''",
			"UPDATE questions SET state = 'expired' WHERE state IN ('open', 'taken')",
			"UPDATE people SET playbook = '' WHERE user_id NOT IN (SELECT user_id FROM decisions)",
			"UPDATE sessions SET status = 'archived', playbook = '', summary = '', summarized_at = 0 WHERE id IN "+awake,
			"UPDATE sessions SET status = 'archived' WHERE status IN ('active', 'idle', 'suspended')")
	})
	return r, engine.During("rewind", err)
}

// stays is how long a session that was taken back is open.
const stays = 24 * time.Hour

// To brings a conversation to where it stood. Those of a copy come in the order in which
// their messages did.
func (r *Rewound) To(ctx context.Context, at Standing) error {
	args := engine.Named{"session": at.Session, "before": at.Before, "now": Stamp(at.At), "until": Stamp(at.At.Add(stays)),
		"playbook": at.Playbook, "since": r.since}
	err := r.db.Soon(ctx, func(tx *engine.Tx) error {
		return tx.ExecAll(args,
			`INSERT INTO messages SELECT * FROM later_messages l WHERE l.session_id = :session AND l.id < :before
				AND l.id > (SELECT coalesce(max(id), 0) FROM messages WHERE session_id = :session)`,
			`INSERT INTO decisions SELECT * FROM later_decisions l WHERE l.session_id = :session AND l.at < :now
				AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.id = l.id)`,
			"UPDATE key_facts SET valid_to = '' WHERE id IN (SELECT id FROM later_facts WHERE at < :now AND valid_to = '')",
			"DELETE FROM later_facts WHERE at < :now",
			"UPDATE sessions SET status = 'archived' WHERE status = 'active' AND id <> :session",
			`UPDATE sessions SET status = 'active', ended_at = '', last_activity = :now, expires_at = :until, playbook = :playbook,
				summary = coalesce((SELECT l.summary FROM later_sessions l WHERE l.id = :session AND l.summarized_at < :before), ''),
				summarized_at = coalesce((SELECT l.summarized_at FROM later_sessions l WHERE l.id = :session AND l.summarized_at < :before), 0)
				WHERE id = :session`)
	})
	return engine.During("rewind to a message", err)
}

// Went stores what a turn left that the transcript does not have: the playbook's note on
// its person, and what guards look back on.
func (r *Rewound) Went(ctx context.Context, d Decision, t *Turn) error {
	if t.Person == (PersonNote{}) && len(t.Precedents) == 0 {
		return nil
	}
	err := r.db.Soon(ctx, func(tx *engine.Tx) error {
		if t.Person != (PersonNote{}) {
			if err := savePersonPlaybook(tx, d.User, d.Agent, t.Person); err != nil {
				return err
			}
		}
		return addPrecedents(tx, d.Session, d.User, t.Precedents)
	})
	return engine.During("store what a turn left", err)
}

// Past is an answer of the past with its message.
type Past struct {
	Decision
	Row     int64 // its own, by which they are read on
	Direct  bool
	Entries []Entry // the message, and all that followed until the next one
	Calls   []CallRecord
}

// maxExchange bounds what follows one message.
const maxExchange = 200

// Past returns at most limit answers after a row, oldest first, of the conversations in
// which something was said since a moment. One whose message is not kept has no Entries.
func (s *Decisions) Past(_ context.Context, since time.Time, after int64, limit int) ([]Past, error) {
	list, err := engine.Select(s.db, func(r engine.Scanner) (p Past, err error) {
		p.Decision, err = scanDecision(plus{r, &p.Row})
		return p, err
	}, "SELECT "+decisionColumns+` , rowid FROM decisions WHERE rowid > :after AND session_id <> '' AND command = ''
		AND outcome NOT IN ('overheard', 'shed') AND session_id IN `+awake+" ORDER BY rowid LIMIT :limit",
		engine.Named{"after": after, "since": Stamp(since), "limit": limit})
	for i := range list {
		if err == nil {
			err = s.exchange(&list[i])
		}
	}
	return list, engine.During("read answers", err)
}

// plus scans one more column than its caller asks for.
type plus struct {
	engine.Scanner
	last *int64
}

func (p plus) Scan(to ...any) error { return p.Scanner.Scan(append(to, p.last)...) }

func (s *Decisions) exchange(p *Past) (err error) {
	if p.Message == "" {
		return nil
	}
	p.Entries, err = engine.Select(s.db, scanEntry,
		`SELECT id, message_id, role, user_id, name, content, tool_calls, tool_call_id, tokens, key_insight, at, attached, via, people
		FROM messages m WHERE session_id = :session AND id >= (SELECT max(id) FROM messages WHERE session_id = :session AND message_id = :message
			AND role = 'user' AND user_id = :user) ORDER BY id LIMIT :limit`,
		engine.Named{"session": p.Session, "message": p.Message, "user": p.User, "limit": maxExchange})
	if err != nil || len(p.Entries) == 0 {
		return err
	}
	if n := slices.IndexFunc(p.Entries[1:], func(e Entry) bool { return e.Role == "user" }); n >= 0 {
		p.Entries = p.Entries[:n+1]
	}
	if p.Calls, err = s.Calls(context.Background(), p.ID); err != nil {
		return err
	}
	p.Direct, err = engine.Value[bool](s.db.QueryRow("SELECT direct FROM sessions WHERE id = ?", p.Session))
	return err
}

// CountPast counts what Past returns in all.
func (s *Decisions) CountPast(ctx context.Context, since time.Time) (int64, error) {
	n, err := engine.Value[int64](s.db.QueryRowContext(ctx, `SELECT count(*) FROM decisions WHERE session_id <> '' AND command = ''
		AND outcome NOT IN ('overheard', 'shed') AND session_id IN `+awake, engine.Named{"since": Stamp(since)}))
	return n, engine.During("count answers", err)
}
