package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/sessions"
)

// Sessions are the rows of sessions, alive and over.
type Sessions struct {
	db       *engine.DB
	now      func() time.Time
	threads  threads
	standing sessions.Held
}

// Status is where a session row stands.
type Status string

// The states of a session. Active, idle and suspended are alive: at most one
// such row exists per place.
const (
	Active    Status = "active"
	Idle      Status = "idle"
	Suspended Status = "suspended" // the model was changed; the next message re-estimates
	Completed Status = "completed" // ended by a person or the agent
	Expired   Status = "expired"   // ended by silence
	Archived  Status = "archived"  // over and summarized
)

// Session is a stretch of conversation in one place that a silence ends.
type Session struct {
	ID           string // UUIDv4
	Key          chat.Key
	User         string // set only where each person has a session of their own
	Status       Status
	Direct       bool
	Created      time.Time
	LastActivity time.Time
	Expires      time.Time
	Ended        time.Time // zero while alive
	LastModel    string
	TokensUsed   int    // estimate of what would be sent now
	Summary      string // rolling summary of what left the window
	SummarizedAt int64  // id of the last message inside Summary
	Compressions int
	Closing      string // summary of the whole, at most 500 characters
	Title        string // at most 50 characters
	CarriedFrom  string
	Carried      string // Closing of CarriedFrom; read only
	// Line is the ID of the first of the sessions that carry each other on to this one.
	Line string
	// Decisions are the newest that hold in the line, oldest first; those without a number are
	// stored with the session. Decided is how many hold in all; read only.
	Decisions []sessions.Decision
	Decided   int
	Mentions  sessions.Mentions
	Playbook  string // opaque JSON
	// Origin is whose words the summaries, the title and the
	// mentions were made of, and how those came; CarriedOrigin is Carried's.
	Origin        Origin
	CarriedOrigin Origin // read only
	// Page holds the lines that matter beyond this session: its own while it lives, and
	// those carried to it once it is over. CarriedPage is CarriedFrom's.
	Page        []sessions.Line
	CarriedPage []sessions.Line // read only
	// Owed is what no model has summed up yet; nil is nothing.
	Owed *sessions.Debt
	// Folded is the size of a request right after the last fold; 0 before one.
	Folded int
	Agent  string // who is talked to; set only where there are several
	// Generation counts up when something here is forgotten: what was read
	// before is not written back. 0 is a session that is not stored yet.
	Generation int

	carriedAt int // the generation of CarriedFrom when it was read
}

// ErrOutdated says that something in a session was forgotten since it was
// read, so that nothing was written to it.
var ErrOutdated = errors.New("something in this conversation was forgotten meanwhile")

const sessionColumns = `s.id, s.platform, s.channel, s.thread, s.user_id, s.status, s.direct, s.created_at, s.last_activity,
	s.expires_at, s.ended_at, s.last_model, s.tokens_used, s.summary, s.summarized_at, s.compression_count, s.closing,
	s.title, s.carried_from, coalesce((SELECT p.closing FROM sessions p WHERE p.id = s.carried_from), ''),
	s.line, s.mentions, s.playbook, s.generation, s.via, s.people, s.page, s.debt, s.owed_at, s.folded_tokens, s.agent,
	coalesce((SELECT p.page FROM sessions p WHERE p.id = s.carried_from), '[]'),
	coalesce((SELECT p.via FROM sessions p WHERE p.id = s.carried_from), 0), coalesce((SELECT p.people FROM sessions p WHERE p.id = s.carried_from), '')`

func scanSession(row engine.Scanner) (s Session, err error) {
	var due time.Time
	err = row.Scan(&s.ID, &s.Key.Platform, &s.Key.Channel, &s.Key.Thread, &s.User, &s.Status, &s.Direct, engine.Stamped(&s.Created),
		engine.Stamped(&s.LastActivity), engine.Stamped(&s.Expires), engine.Stamped(&s.Ended), &s.LastModel, &s.TokensUsed,
		&s.Summary, &s.SummarizedAt, &s.Compressions, &s.Closing, &s.Title, &s.CarriedFrom, &s.Carried, &s.Line,
		engine.JSON(&s.Mentions), &s.Playbook, &s.Generation, &s.Origin.Via, (*names)(&s.Origin.People), engine.JSON(&s.Page),
		engine.JSON(&s.Owed), engine.Stamped(&due), &s.Folded, &s.Agent, engine.JSON(&s.CarriedPage),
		&s.CarriedOrigin.Via, (*names)(&s.CarriedOrigin.People))
	if s.Owed != nil {
		s.Owed.Due = due
	}
	s.Line = cmp.Or(s.Line, s.ID)
	return s, err
}

// held reads what holds in a session's line.
func (s *Sessions) held(se Session, err error) (Session, error) {
	if err == nil {
		se.Decisions, se.Decided, err = s.standing.In(se.Line)
	}
	return se, err
}

// Place says whose conversation is meant: a key, the agent that is talked to and,
// with session.scope user, the person's id; otherwise User is "".
type Place struct {
	Key   chat.Key
	User  string
	Agent string // "" is the only one, or as provenance.Viewer says
}

// LiveSession returns the session that is alive in a place, and whether there
// is one. One whose time has passed is still returned: the caller ends it.
func (s *Sessions) LiveSession(_ context.Context, p Place) (Session, bool, error) {
	se, ok, err := s.live(p)
	if err != nil || !ok {
		return se, false, err
	}
	s.threads.note(p, se)
	se, err = s.held(se, nil)
	return se, err == nil, err
}

// live is LiveSession without what was decided.
func (s *Sessions) live(p Place) (Session, bool, error) {
	return engine.Found(scanSession(s.db.QueryRow(`SELECT `+sessionColumns+
		` FROM sessions s WHERE platform = ? AND channel = ? AND thread = ? AND user_id = ? AND agent = ?
		AND status IN ('active', 'idle', 'suspended')`, p.Key.Platform, p.Key.Channel, p.Key.Thread, p.User, p.Agent)))
}

// SessionByID returns one session; ErrNotFound when there is none.
func (s *Sessions) SessionByID(_ context.Context, id string) (Session, error) {
	return s.held(scanSession(s.db.QueryRow("SELECT "+sessionColumns+" FROM sessions s WHERE id = ?", id)))
}

// NewSession makes a session for a place, not stored yet. It carries on from
// the newest one before it, with what was decided there, unless that one was
// reset or carry is false.
func (s *Sessions) NewSession(_ context.Context, p Place, carry bool) (Session, error) {
	se := Session{ID: uuid.NewString(), Key: p.Key, User: p.User, Agent: p.Agent, Status: Active, Created: s.now()}
	se.Line = se.ID
	if !carry {
		return se, nil
	}
	var line string
	err := s.db.QueryRow(`SELECT iif(carry, id, ''), iif(carry, closing, ''), iif(carry, iif(line = '', id, line), ''), iif(carry, page, '[]'), iif(carry, via, 0), iif(carry, people, ''), generation FROM sessions
		WHERE platform = ? AND channel = ? AND thread = ? AND user_id = ? AND agent = ? AND ended_at <> ''
		ORDER BY ended_at DESC LIMIT 1`, p.Key.Platform, p.Key.Channel, p.Key.Thread, p.User, p.Agent).
		Scan(&se.CarriedFrom, &se.Carried, &line, engine.JSON(&se.CarriedPage),
			&se.CarriedOrigin.Via, (*names)(&se.CarriedOrigin.People), &se.carriedAt)
	if se.Line = cmp.Or(line, se.ID); line == "" {
		return se, engine.NoRow(err, nil)
	}
	return s.held(se, err)
}

// saveSession inserts or replaces the changing columns of a session. current is
// false, and nothing is written but that it lives on, when something in it or in
// what it carries was forgotten since it was read. Nearly always the row is
// there and its status stays: naming neither spares the indexes on it, and the
// check of every message that refers to a new row. One that is not stored yet and carries
// nothing is new.
func saveSession(tx *engine.Tx, se Session) (current bool, err error) {
	if current, err = saveRow(tx, se); err != nil || !current {
		return current, err
	}
	return true, during("save session", sessions.Decide(tx, se.ID, se.Line, se.Decisions))
}

func saveRow(tx *engine.Tx, se Session) (current bool, err error) {
	args, err := se.changing()
	if err != nil {
		return false, fmt.Errorf("save session: %w", err)
	}
	done := false
	switch {
	case se.Generation != 0:
		done, err = tx.Changes(`UPDATE sessions SET `+changed+` WHERE id = :id AND status = :status AND generation = :generation`, args)
	case se.CarriedFrom == "":
		if done, err = tx.Changes(begunSession+" ON CONFLICT (id) DO NOTHING", args); done && err == nil {
			_, err = tx.Exec(`UPDATE sessions SET `+changed+` WHERE id = :id`, args)
		}
	}
	if err != nil || done {
		return true, during("save session", err)
	}
	if current, err = upToDate(tx, se); err != nil {
		return false, fmt.Errorf("save session: %w", err)
	}
	if !current {
		return false, during("save session", keepAlive(tx, se))
	}
	if _, err = tx.Exec(begunSession+" ON CONFLICT (id) DO UPDATE SET status = excluded.status", args); err != nil {
		return false, fmt.Errorf("save session: %w", err)
	}
	_, err = tx.Exec(`UPDATE sessions SET `+changed+` WHERE id = :id`, args)
	return true, during("save session", err)
}

// begunSession inserts one.
const begunSession = `INSERT INTO sessions (id, platform, channel, thread, user_id, status, direct, created_at, last_activity, expires_at, carried_from, agent, line)
	VALUES (:id, :platform, :channel, :thread, :user, :status, :direct, :created, :active, :expires, :carried, :agent, :line)`

// changed sets the columns that a turn, a fold or a command may change.
const changed = `last_activity = :active, expires_at = :expires, last_model = :model, tokens_used = :tokens, summary = :summary, summarized_at = :at,
	compression_count = :folds, title = :title, mentions = :mentions, playbook = :playbook, via = :via, people = :people,
	page = :page, debt = :debt, owed_at = :owed, folded_tokens = :folded`

// changing returns the parameters of changed, and of a new row.
func (se Session) changing() (engine.Named, error) {
	args := engine.Named{
		"id": se.ID, "platform": se.Key.Platform, "channel": se.Key.Channel, "thread": se.Key.Thread, "user": se.User,
		"agent": se.Agent, "line": cmp.Or(se.Line, se.ID), "status": string(se.Status),
		"direct": se.Direct, "created": Stamp(se.Created), "carried": se.CarriedFrom, "generation": max(se.Generation, 1),
		"active": Stamp(se.LastActivity), "expires": Stamp(se.Expires), "model": se.LastModel, "tokens": se.TokensUsed, "summary": se.Summary,
		"at": se.SummarizedAt, "folds": se.Compressions, "title": se.Title, "playbook": se.Playbook, "via": int(se.Origin.Via),
		"people": se.Origin.Names(),
		"folded": se.Folded, "debt": "", "owed": "",
	}
	for name, v := range map[string]any{"mentions": se.Mentions, "page": nonNil(se.Page)} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		args[name] = string(b)
	}
	if se.Owed != nil {
		b, err := json.Marshal(se.Owed)
		if err != nil {
			return nil, err
		}
		args["debt"], args["owed"] = string(b), Stamp(se.Owed.Due)
	}
	return args, nil
}

// upToDate reports whether nothing was forgotten in a session, or in the one that a
// new session carries on, since it was read.
func upToDate(tx *engine.Tx, se Session) (bool, error) {
	now, err := generation(tx, se.ID)
	if err != nil || now != 0 || se.Generation != 0 {
		return now == max(se.Generation, 1), err
	}
	if se.CarriedFrom == "" {
		return true, nil
	}
	now, err = generation(tx, se.CarriedFrom)
	return now == se.carriedAt, err
}

// generation is that of a session; 0 when there is none.
func generation(tx *engine.Tx, id string) (n int, err error) {
	err = tx.QueryRow("SELECT generation FROM sessions WHERE id = ?", id).Scan(&n)
	return n, engine.NoRow(err, nil)
}

// keepAlive lets an outdated session live on, empty where it is new, and does
// not bring back one that is gone.
func keepAlive(tx *engine.Tx, se Session) error {
	if se.Generation == 0 {
		_, err := tx.Exec(`INSERT INTO sessions (id, platform, channel, thread, user_id, status, direct, created_at, last_activity, expires_at, last_model, agent, line)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, se.ID, se.Key.Platform, se.Key.Channel, se.Key.Thread, se.User,
			string(se.Status), se.Direct, Stamp(se.Created), Stamp(se.LastActivity), Stamp(se.Expires), se.LastModel, se.Agent,
			cmp.Or(se.Line, se.ID))
		return err
	}
	_, err := tx.Exec("UPDATE sessions SET status = ?, last_activity = ?, expires_at = ?, last_model = ? WHERE id = ?",
		string(se.Status), Stamp(se.LastActivity), Stamp(se.Expires), se.LastModel, se.ID)
	return err
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// SaveSession stores what a fold or a command changed about a session.
// ErrOutdated means that something in it was forgotten since it was read.
func (s *Sessions) SaveSession(ctx context.Context, se Session) error {
	var current bool
	err := s.db.Write(ctx, func(tx *engine.Tx) (err error) {
		current, err = saveSession(tx, se)
		return err
	})
	if err == nil && !current {
		return ErrOutdated
	}
	return err
}

// MarkIdle turns sessions silent for longer than idle to Idle and returns how
// many. It needs no lane: a message sets the row back to active.
func (s *Sessions) MarkIdle(ctx context.Context, idle time.Duration) (n int64, err error) {
	return s.db.Count(ctx, "UPDATE sessions SET status = 'idle' WHERE status = 'active' AND status <> 'archived' AND last_activity < ?",
		Stamp(s.now().Add(-idle)))
}

// SuspendAll marks every live session for re-estimation under another model.
func (s *Sessions) SuspendAll(ctx context.Context) (n int64, err error) {
	return s.db.Count(ctx, "UPDATE sessions SET status = 'suspended' WHERE status IN ('active', 'idle') AND status <> 'archived'")
}

// SessionQuery selects a page of sessions, newest activity first; of all places,
// those that began last.
type SessionQuery struct {
	Key    chat.Key // zero: all places
	Status Status   // "": all
	Limit  int      // 0: 20
	Offset int
}

// Sessions lists sessions.
func (s *Sessions) Sessions(ctx context.Context, q SessionQuery) ([]Session, error) {
	if q.Limit <= 0 {
		q.Limit = 20
	}
	if q.Key == (chat.Key{}) {
		return s.SessionsByAge(ctx, q.Status, q.Limit, q.Offset)
	}
	return engine.Select(s.db, scanSession, `SELECT `+sessionColumns+` FROM sessions s
		WHERE platform = :platform AND channel = :channel AND thread = :thread AND (:status = '' OR status = :status)
		ORDER BY last_activity DESC LIMIT :limit OFFSET :offset`,
		engine.Named{"platform": q.Key.Platform, "channel": q.Key.Channel, "thread": q.Key.Thread, "status": string(q.Status),
			"limit": q.Limit, "offset": q.Offset})
}

// Alone reports whether a place has one person in it, as far as a session of it
// knows. A place does not change that.
func (s *Sessions) Alone(_ context.Context, k chat.Key) (alone bool, err error) {
	err = s.db.QueryRow("SELECT direct FROM sessions WHERE platform = ? AND channel = ? AND thread = ? LIMIT 1", k.Platform,
		k.Channel, k.Thread).Scan(&alone)
	return alone, during("look at a place", engine.NoRow(err, nil))
}

// SessionCounts counts sessions by status. Those that are archived are most of
// them and in no index by status, so they are what is left of all.
func (s *Sessions) SessionCounts(context.Context) (map[Status]int, error) {
	counts, err := engine.Pairs[Status, int](s.db, `WITH open AS (SELECT status, count(*) AS n FROM sessions WHERE status <> 'archived' GROUP BY status)
		SELECT status, n FROM open UNION ALL
		SELECT 'archived', (SELECT count(*) FROM sessions) - (SELECT coalesce(sum(n), 0) FROM open)`)
	if counts[Archived] == 0 {
		delete(counts, Archived)
	}
	return counts, err
}

// FindSession finds a session by the beginning of its id; ErrNotFound when
// none, or more than one, begins so.
func (s *Sessions) FindSession(ctx context.Context, prefix string) (Session, error) {
	var id string
	var n int
	if err := s.db.QueryRow("SELECT coalesce(min(id), ''), count(*) FROM sessions WHERE id >= :prefix AND id < :prefix || 'g'",
		engine.Named{"prefix": prefix}).Scan(&id, &n); err != nil {
		return Session{}, err
	}
	if n != 1 {
		return Session{}, ErrNotFound
	}
	return s.SessionByID(ctx, id)
}
