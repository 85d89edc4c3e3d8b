package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"parley/internal/chat"
	"parley/internal/sqlite"
)

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

// Mentions are the things a session talked about; they survive every fold.
type Mentions struct {
	Files   []string `json:"files,omitempty"`
	URLs    []string `json:"urls,omitempty"`
	Symbols []string `json:"symbols,omitempty"`
	People  []string `json:"people,omitempty"`
	Refs    []string `json:"refs,omitempty"` // "task 3", "fact 12"
}

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
	Decisions    []string
	Mentions     Mentions
	Playbook     string // opaque JSON
	// Origin is whose words the summaries, the title, the decisions and the
	// mentions were made of, and how those came; CarriedOrigin is Carried's.
	Origin        Origin
	CarriedOrigin Origin // read only
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
	s.decisions, s.mentions, s.playbook, s.generation, s.via, s.people,
	coalesce((SELECT p.via FROM sessions p WHERE p.id = s.carried_from), 0), coalesce((SELECT p.people FROM sessions p WHERE p.id = s.carried_from), '')`

type scanner interface{ Scan(...any) error }

func scanSession(row scanner) (Session, error) {
	var (
		s                             Session
		created, last, expires, ended string
		decisions, mentions           string
	)
	err := row.Scan(&s.ID, &s.Key.Platform, &s.Key.Channel, &s.Key.Thread, &s.User, &s.Status, &s.Direct, &created, &last,
		&expires, &ended, &s.LastModel, &s.TokensUsed, &s.Summary, &s.SummarizedAt, &s.Compressions, &s.Closing,
		&s.Title, &s.CarriedFrom, &s.Carried, &decisions, &mentions, &s.Playbook, &s.Generation, &s.Origin.Via, (*names)(&s.Origin.People),
		&s.CarriedOrigin.Via, (*names)(&s.CarriedOrigin.People))
	if err != nil {
		return s, err
	}
	s.Created, s.LastActivity, s.Expires, s.Ended = ParseStamp(created), ParseStamp(last), ParseStamp(expires), ParseStamp(ended)
	return s, errors.Join(json.Unmarshal([]byte(decisions), &s.Decisions), json.Unmarshal([]byte(mentions), &s.Mentions))
}

// Place says whose conversation is meant: a key and, with session.scope user,
// the person's id; otherwise User is "".
type Place struct {
	Key  chat.Key
	User string
}

// LiveSession returns the session that is alive in a place, and whether there
// is one. One whose time has passed is still returned: the caller ends it.
func (s *Store) LiveSession(_ context.Context, p Place) (Session, bool, error) {
	row := s.db.QueryRow(`SELECT `+sessionColumns+` FROM sessions s WHERE platform = ? AND channel = ? AND thread = ? AND user_id = ?
		AND status IN ('active', 'idle', 'suspended')`, p.Key.Platform, p.Key.Channel, p.Key.Thread, p.User)
	se, err := scanSession(row)
	if errors.Is(err, ErrNotFound) {
		return Session{}, false, nil
	}
	return se, err == nil, err
}

// SessionByID returns one session; ErrNotFound when there is none.
func (s *Store) SessionByID(_ context.Context, id string) (Session, error) {
	return scanSession(s.db.QueryRow("SELECT "+sessionColumns+" FROM sessions s WHERE id = ?", id))
}

// NewSession makes a session for a place, not stored yet. It carries on from
// the newest one before it, with what was decided there, unless that one was
// reset or carry is false.
func (s *Store) NewSession(_ context.Context, p Place, carry bool) (Session, error) {
	se := Session{ID: uuid.NewString(), Key: p.Key, User: p.User, Status: Active, Created: s.now()}
	if !carry {
		return se, nil
	}
	var decisions string
	err := s.db.QueryRow(`SELECT iif(carry, id, ''), iif(carry, closing, ''), iif(carry, decisions, '[]'), iif(carry, via, 0), iif(carry, people, ''), generation FROM sessions
		WHERE platform = ? AND channel = ? AND thread = ? AND user_id = ? AND status IN ('completed', 'expired', 'archived')
		ORDER BY created_at DESC LIMIT 1`, p.Key.Platform, p.Key.Channel, p.Key.Thread, p.User).Scan(&se.CarriedFrom, &se.Carried, &decisions, &se.CarriedOrigin.Via, (*names)(&se.CarriedOrigin.People), &se.carriedAt)
	if errors.Is(err, ErrNotFound) {
		return se, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(decisions), &se.Decisions)
	}
	if len(se.Decisions) > 0 {
		se.Origin = se.CarriedOrigin
	}
	return se, err
}

// saveSession inserts or replaces the changing columns of a session. current is
// false, and nothing is written but that it lives on, when something in it or in
// what it carries was forgotten since it was read. Nearly always the row is
// there and its status stays: naming neither spares the indexes on it, and the
// check of every message that refers to a new row.
func saveSession(tx *sqlite.Tx, se Session) (current bool, err error) {
	decisions, err := json.Marshal(nonNil(se.Decisions))
	if err != nil {
		return false, err
	}
	mentions, err := json.Marshal(se.Mentions)
	if err != nil {
		return false, err
	}
	res, err := tx.Exec(`UPDATE sessions SET last_activity = ?, expires_at = ?, last_model = ?, tokens_used = ?, summary = ?, summarized_at = ?,
		compression_count = ?, decisions = ?, mentions = ?, playbook = ?, via = ?, people = ? WHERE id = ? AND status = ? AND generation = ?`,
		Stamp(se.LastActivity), Stamp(se.Expires), se.LastModel, se.TokensUsed, se.Summary, se.SummarizedAt, se.Compressions,
		string(decisions), string(mentions), se.Playbook, int(se.Origin.Via), se.Origin.Names(), se.ID, string(se.Status), max(se.Generation, 1))
	if err != nil {
		return false, fmt.Errorf("save session: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return true, during("save session", err)
	}
	if current, err = upToDate(tx, se); err != nil {
		return false, fmt.Errorf("save session: %w", err)
	}
	if !current {
		return false, during("save session", keepAlive(tx, se))
	}
	_, err = tx.Exec(`INSERT INTO sessions (id, platform, channel, thread, user_id, status, direct, created_at, last_activity,
			expires_at, last_model, tokens_used, summary, summarized_at, compression_count, carried_from, decisions, mentions, playbook, via, people)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET status = excluded.status, last_activity = excluded.last_activity, expires_at = excluded.expires_at,
			last_model = excluded.last_model, tokens_used = excluded.tokens_used, summary = excluded.summary,
			summarized_at = excluded.summarized_at, compression_count = excluded.compression_count,
			decisions = excluded.decisions, mentions = excluded.mentions, playbook = excluded.playbook, via = excluded.via, people = excluded.people`,
		se.ID, se.Key.Platform, se.Key.Channel, se.Key.Thread, se.User, string(se.Status), se.Direct, Stamp(se.Created), Stamp(se.LastActivity),
		Stamp(se.Expires), se.LastModel, se.TokensUsed, se.Summary, se.SummarizedAt, se.Compressions, se.CarriedFrom,
		string(decisions), string(mentions), se.Playbook, int(se.Origin.Via), se.Origin.Names())
	return true, during("save session", err)
}

// upToDate says that nothing was forgotten in a session, or in the one that a
// new session carries on, since it was read.
func upToDate(tx *sqlite.Tx, se Session) (bool, error) {
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
func generation(tx *sqlite.Tx, id string) (n int, err error) {
	err = tx.QueryRow("SELECT generation FROM sessions WHERE id = ?", id).Scan(&n)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return n, err
}

// keepAlive lets an outdated session live on, empty where it is new, and does
// not bring back one that is gone.
func keepAlive(tx *sqlite.Tx, se Session) error {
	if se.Generation == 0 {
		_, err := tx.Exec(`INSERT INTO sessions (id, platform, channel, thread, user_id, status, direct, created_at, last_activity, expires_at, last_model)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, se.ID, se.Key.Platform, se.Key.Channel, se.Key.Thread, se.User,
			string(se.Status), se.Direct, Stamp(se.Created), Stamp(se.LastActivity), Stamp(se.Expires), se.LastModel)
		return err
	}
	_, err := tx.Exec("UPDATE sessions SET status = ?, last_activity = ?, expires_at = ?, last_model = ? WHERE id = ?",
		string(se.Status), Stamp(se.LastActivity), Stamp(se.Expires), se.LastModel, se.ID)
	return err
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// SaveSession stores what a fold or a command changed about a session.
// ErrOutdated means that something in it was forgotten since it was read.
func (s *Store) SaveSession(ctx context.Context, se Session) error {
	var current bool
	err := s.db.Write(ctx, func(tx *sqlite.Tx) (err error) {
		current, err = saveSession(tx, se)
		return err
	})
	if err == nil && !current {
		return ErrOutdated
	}
	return err
}

// Closing is the summary of a whole session, with the origin of all that the
// session was made of: it takes the place of the session's.
type Closing struct {
	Text   string
	Origin Origin
}

// EndSession ends a live session as completed or expired. With expired it is a
// compare-and-set: a message that moved the expiry on wins, and ok is false.
// digest becomes its closing until a better one is written, unless something
// was forgotten since se was read; carry false makes the next session start
// without it.
func (s *Store) EndSession(ctx context.Context, se Session, to Status, digest Closing, carry bool) (ok bool, err error) {
	now := Stamp(s.now())
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		digest := digest
		if current, err := upToDate(tx, se); err != nil {
			return err
		} else if !current {
			digest = Closing{}
		}
		res, err := tx.Exec(`UPDATE sessions SET status = :status, ended_at = :now, closing = :closing, carry = :carry, via = via | :via, people = :people
			WHERE id = :id AND status IN ('active', 'idle', 'suspended') AND (:status <> 'expired' OR expires_at <= :now)`,
			sqlite.Named{"id": se.ID, "status": string(to), "now": now, "closing": digest.Text, "carry": carry,
				"via": int(digest.Origin.Via), "people": digest.Origin.Names()})
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		ok = n == 1
		return err
	})
	return ok, err
}

// ArchiveSession stores the final summary of an ended session. When something
// was forgotten since se was read it stays as it is, to be summed up anew.
func (s *Store) ArchiveSession(ctx context.Context, se Session, title string, closing Closing) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec("UPDATE sessions SET status = 'archived', title = ?, closing = ?, via = via | ?, people = ? WHERE id = ? AND status IN ('completed', 'expired') AND generation = ?",
			title, closing.Text, int(closing.Origin.Via), closing.Origin.Names(), se.ID, se.Generation)
		return err
	})
}

// SummaryFailed counts a failed attempt to summarize and returns how many
// there were.
func (s *Store) SummaryFailed(ctx context.Context, id string) (tries int, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow("UPDATE sessions SET summary_tries = summary_tries + 1 WHERE id = ? RETURNING summary_tries", id).Scan(&tries)
	})
	return tries, err
}

// MarkIdle turns sessions silent for longer than idle to Idle and returns how
// many. It needs no lane: a message sets the row back to active.
func (s *Store) MarkIdle(ctx context.Context, idle time.Duration) (n int64, err error) {
	before := Stamp(s.now().Add(-idle))
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		res, err := tx.Exec("UPDATE sessions SET status = 'idle' WHERE status = 'active' AND last_activity < ?", before)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	return n, err
}

// SuspendAll marks every live session for re-estimation under another model.
func (s *Store) SuspendAll(ctx context.Context) (n int64, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		res, err := tx.Exec("UPDATE sessions SET status = 'suspended' WHERE status IN ('active', 'idle')")
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	return n, err
}

// Due names a session that cron should look at, and the lane it lives in.
type Due struct {
	ID  string
	Key chat.Key
}

// DueToExpire lists live sessions whose time has passed, at most limit.
func (s *Store) DueToExpire(_ context.Context, limit int) ([]Due, error) {
	return s.due(`SELECT id, platform, channel, thread FROM sessions
		WHERE status IN ('active', 'idle', 'suspended') AND expires_at <= ? ORDER BY expires_at LIMIT ?`, Stamp(s.now()), limit)
}

// DueToArchive lists ended sessions without a final summary, at most limit.
func (s *Store) DueToArchive(_ context.Context, limit int) ([]Due, error) {
	return s.due(`SELECT id, platform, channel, thread FROM sessions
		WHERE status IN ('completed', 'expired') ORDER BY ended_at LIMIT ?`, limit)
}

func (s *Store) due(query string, args ...any) ([]Due, error) {
	rows, err := s.db.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Due
	for rows.Next() {
		var d Due
		if err := rows.Scan(&d.ID, &d.Key.Platform, &d.Key.Channel, &d.Key.Thread); err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

// SessionQuery selects a page of sessions, newest activity first.
type SessionQuery struct {
	Key    chat.Key // zero: all places
	Status Status   // "": all
	Limit  int      // 0: 20
	Offset int
}

// Sessions lists sessions.
func (s *Store) Sessions(_ context.Context, q SessionQuery) ([]Session, error) {
	if q.Limit <= 0 {
		q.Limit = 20
	}
	rows, err := s.db.Query(`SELECT `+sessionColumns+` FROM sessions s
		WHERE (:platform = '' OR (platform = :platform AND channel = :channel AND thread = :thread)) AND (:status = '' OR status = :status)
		ORDER BY last_activity DESC LIMIT :limit OFFSET :offset`,
		sqlite.Named{"platform": q.Key.Platform, "channel": q.Key.Channel, "thread": q.Key.Thread, "status": string(q.Status), "limit": q.Limit, "offset": q.Offset})
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Session
	for rows.Next() {
		se, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, se)
	}
	return list, rows.Err()
}

// SessionCounts counts sessions by status. Those that are archived are most of
// them and in no index by status, so they are what is left of all.
func (s *Store) SessionCounts(context.Context) (map[Status]int, error) {
	rows, err := s.db.Query(`WITH open AS (SELECT status, count(*) AS n FROM sessions WHERE status <> 'archived' GROUP BY status)
		SELECT status, n FROM open UNION ALL
		SELECT 'archived', (SELECT count(*) FROM sessions) - (SELECT coalesce(sum(n), 0) FROM open)`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	counts := map[Status]int{}
	for rows.Next() {
		var st Status
		var n int
		if err := rows.Scan(&st, &n); err != nil {
			return nil, err
		}
		if n > 0 {
			counts[st] = n
		}
	}
	return counts, rows.Err()
}

// FindSession finds a session by the beginning of its id; ErrNotFound when
// none, or more than one, begins so.
func (s *Store) FindSession(ctx context.Context, prefix string) (Session, error) {
	var id string
	var n int
	if err := s.db.QueryRow("SELECT coalesce(min(id), ''), count(*) FROM sessions WHERE id >= :prefix AND id < :prefix || 'g'", sqlite.Named{"prefix": prefix}).Scan(&id, &n); err != nil {
		return Session{}, err
	}
	if n != 1 {
		return Session{}, ErrNotFound
	}
	return s.SessionByID(ctx, id)
}
