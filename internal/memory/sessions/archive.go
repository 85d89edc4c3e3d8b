package sessions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
)

// Archive is the sessions as people see them: those of the place they are in,
// and in a direct chat all of the places where they still are.
type Archive struct {
	// Deleting is called before a session is deleted, and over afterwards: what is
	// kept of it elsewhere goes first. It is set before the Archive is used; nil is
	// nothing.
	Deleting func(ctx context.Context, id string) (over func(), err error)

	db  *engine.DB
	now func() time.Time
}

// NewArchive reads and deletes rows of db.
func NewArchive(db *engine.DB, now func() time.Time) *Archive { return &Archive{db: db, now: now} }

// Session is one, alive or over.
type Session struct {
	ID        string
	Key       chat.Key
	User      string // whose it is alone; "" is everybody's there
	Direct    bool   // with the bot alone
	Alive     bool
	Title     string // "" has none yet
	Closing   string // what it was about; "" is not summed up yet
	Decisions []string
	Began     time.Time
	Last      time.Time
	Origin    provenance.Origin

	row int64
}

// attested is how long it counts that somebody was seen to be in a place.
const attested = 10 * time.Minute

// visible keeps to the sessions that somebody may see. In a place it is those
// of the place, and of sessions of single persons their own. To a person alone
// it is theirs in direct chats, and of others those where they are, begun after
// they came and over before they last spoke, or until now where they were seen
// lately; always with the agent they talk to. Each query below that returns
// sessions has it.
const visible = ` ` + provenance.Heard + ` AND (s.user_id IN ('', :user)) AND (
	(NOT :direct AND s.platform = :platform AND s.channel = :channel AND s.thread IN (:thread, ''))
	OR (:direct AND EXISTS (SELECT 1 FROM participants p
		LEFT JOIN membership b ON b.user_id = p.user_id AND b.platform = p.platform AND b.channel = p.channel
		WHERE p.user_id = :user AND p.platform = s.platform AND p.channel = s.channel AND p.thread = s.thread
		AND (s.direct OR coalesce(b.state, 'in') = 'in' AND s.created_at > coalesce(b.since, '')
			AND (coalesce(b.checked_at, '') >= :lately OR p.last_id >= coalesce((SELECT max(id) FROM messages WHERE session_id = s.id), 9223372036854775807))))))`

const columns = `SELECT s.rowid, s.id, s.platform, s.channel, s.thread, s.user_id, s.direct, s.status IN ('active', 'idle', 'suspended'), s.title,
	s.closing, s.decisions, s.created_at, s.last_activity, s.via, s.people `

// inPlaces walks the sessions of the places that may be visible, by their index.
const inPlaces = ` FROM (SELECT :platform AS platform, :channel AS channel, :thread AS thread WHERE NOT :direct
		UNION SELECT :platform, :channel, '' WHERE NOT :direct
		UNION ALL SELECT platform, channel, thread FROM participants WHERE user_id = :user AND :direct) q
	JOIN sessions s ON s.platform = q.platform AND s.channel = q.channel AND s.thread = q.thread `

func (a *Archive) args(v provenance.Viewer, more engine.Named) engine.Named {
	return engine.Named{"user": v.User, "platform": v.Key.Platform, "channel": v.Key.Channel, "thread": v.Key.Thread,
		"direct": v.Direct || v.Key.Channel == "", "lately": engine.Stamp(a.now().Add(-attested)), "agent": v.Agent.ID}.With(more)
}

// List lists the sessions that somebody may see, the latest first.
func (a *Archive) List(_ context.Context, v provenance.Viewer, limit, offset int) ([]Session, error) {
	rows, err := a.db.Query(columns+inPlaces+" WHERE"+visible+" ORDER BY s.last_activity DESC, s.id LIMIT :limit OFFSET :offset",
		a.args(v, engine.Named{"limit": limit, "offset": offset}))
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return engine.Collect(rows, scan)
}

// Find finds a session that somebody may see by the beginning of its id;
// engine.ErrNotFound when none, or more than one, begins so.
func (a *Archive) Find(_ context.Context, v provenance.Viewer, prefix string) (Session, error) {
	rows, err := a.db.Query(columns+" FROM sessions s WHERE s.id >= :prefix AND s.id < :prefix || 'g' AND"+visible+" LIMIT 2",
		a.args(v, engine.Named{"prefix": strings.ToLower(prefix)}))
	if err != nil {
		return Session{}, fmt.Errorf("find session: %w", err)
	}
	list, err := engine.Collect(rows, scan)
	if err == nil && (len(list) != 1 || prefix == "") {
		err = engine.ErrNotFound
	}
	if err != nil {
		return Session{}, err
	}
	return list[0], nil
}

// Words returns the latest lines of a session that somebody may see, oldest first.
func (a *Archive) Words(_ context.Context, id string, limit int) ([]Said, error) {
	rows, err := a.db.Query(`SELECT at, name, user_id, content, role = 'assistant', via FROM
		(SELECT * FROM messages WHERE session_id = :id AND role <> 'tool' AND content <> '' ORDER BY id DESC LIMIT :limit) latest ORDER BY id`,
		engine.Named{"id": id, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return engine.Collect(rows, func(r *sql.Rows) (s Said, err error) {
		var at string
		var via provenance.Via
		err = r.Scan(&at, &s.Name, &s.User, &s.Text, &s.Bot, &via)
		s.At, s.Passed = engine.ParseStamp(at), via&provenance.ViaForwarded != 0
		return s, err
	})
}

// Delete deletes a session with what was said in it, and what later ones carry
// of it. Facts stay. The caller has seen that it may be deleted, and works in
// the lane of its place.
func (a *Archive) Delete(ctx context.Context, id string) error {
	if a.Deleting != nil {
		over, err := a.Deleting(ctx, id)
		if err != nil {
			return err
		}
		defer over()
	}
	err := a.db.Write(ctx, func(tx *engine.Tx) error {
		var own, before string
		err := tx.QueryRow(`SELECT decisions, coalesce((SELECT p.decisions FROM sessions p WHERE p.id = s.carried_from AND p.created_at < s.created_at), '[]')
			FROM sessions s WHERE s.id = ?`, id).Scan(&own, &before)
		if err != nil {
			return err
		}
		for _, q := range deletion {
			if _, err := tx.Exec(q, engine.Named{"id": id, "own": own, "before": before}); err != nil {
				return fmt.Errorf("%.40s: %w", q, err)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, engine.ErrNotFound) {
		return fmt.Errorf("delete session: %w", err)
	}
	return err
}

// deletion is what deleting a session does. Those that carry it on are changed
// so that nobody who read them before writes the old words back.
var deletion = []string{
	`UPDATE sessions SET generation = generation + 1,
		page = (SELECT json_group_array(json(value)) FROM json_each(page) WHERE value ->> '$.session' <> :id),
		decisions = (SELECT json_group_array(value) FROM json_each(decisions) WHERE value NOT IN (SELECT value FROM json_each(:own)) OR value IN (SELECT value FROM json_each(:before)))
		WHERE (platform, channel, thread, user_id) = (SELECT platform, channel, thread, user_id FROM sessions WHERE id = :id) AND id <> :id
		AND created_at >= (SELECT created_at FROM sessions WHERE id = :id)`,
	`UPDATE sessions SET carried_from = coalesce((SELECT nullif(d.carried_from, sessions.id) FROM sessions d WHERE d.id = :id), '') WHERE carried_from = :id
		AND (platform, channel, thread, user_id) = (SELECT platform, channel, thread, user_id FROM sessions WHERE id = :id)`,
	"UPDATE tool_calls SET arguments = '{}', result = '' WHERE decision_id IN (SELECT d.id FROM decisions d JOIN " +
		"sessions s ON s.id = :id AND d.platform = s.platform AND d.channel = s.channel WHERE d.session_id = :id)",
	"UPDATE decisions SET detail = '{}' WHERE session_id = :id AND (platform, channel) = (SELECT platform, channel FROM " +
		"sessions WHERE id = :id)",
	"DELETE FROM messages WHERE session_id = :id",
	"DELETE FROM sessions WHERE id = :id",
}

func scan(r *sql.Rows) (s Session, err error) {
	var decisions, began, last string
	err = r.Scan(&s.row, &s.ID, &s.Key.Platform, &s.Key.Channel, &s.Key.Thread, &s.User, &s.Direct, &s.Alive, &s.Title, &s.Closing,
		&decisions, &began, &last, &s.Origin.Via, (*provenance.Names)(&s.Origin.People))
	if err != nil {
		return s, err
	}
	s.Began, s.Last = engine.ParseStamp(began), engine.ParseStamp(last)
	return s, json.Unmarshal([]byte(decisions), &s.Decisions)
}
