package sessions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/provenance"
)

// Archive holds the sessions that people can see: those of their place, and in a direct chat
// those of all places to which they still belong.
type Archive struct {
	// Deleting, if not nil, is called before a session is deleted, and over afterwards. It
	// deletes what is stored about the session elsewhere. Set it before using the Archive.
	Deleting func(ctx context.Context, id string) (over func(), err error)

	db  *engine.DB
	now func() time.Time
}

// NewArchive returns the Archive of a database.
func NewArchive(db *engine.DB, now func() time.Time) *Archive { return &Archive{db: db, now: now} }

// Session is a session, live or ended.
type Session struct {
	ID        string
	Key       chat.Key
	User      string // its only user; "" if it belongs to everybody in the place
	Direct    bool   // in a direct chat with the bot
	Alive     bool
	Title     string     // "" for none yet
	Closing   string     // what it was about; "" if it is not summarized yet
	Decisions []Decision // that were made in it, oldest first
	Began     time.Time
	Last      time.Time
	Origin    provenance.Origin

	row int64
}

// attested is how long a check that somebody is in a place remains valid.
const attested = 10 * time.Minute

// visible is the condition on sessions that a person may see, in every query that returns
// sessions. In a place: those of the place, and of one-person sessions their own. In a direct
// chat: their own direct sessions, and those of places to which they belong that began after
// they joined and ended before they last spoke, or later if their membership was checked
// lately. The agent must be the one to whom they talk.
const visible = ` ` + provenance.Heard + ` AND (s.user_id IN ('', :user)) AND (
	(NOT :direct AND s.platform = :platform AND s.channel = :channel AND s.thread IN (:thread, ''))
	OR (:direct AND EXISTS (SELECT 1 FROM participants p
		LEFT JOIN membership b ON b.user_id = p.user_id AND b.platform = p.platform AND b.channel = p.channel
		WHERE p.user_id = :user AND p.platform = s.platform AND p.channel = s.channel AND p.thread = s.thread
		AND (s.direct OR coalesce(b.state, 'in') = 'in' AND s.created_at > coalesce(b.since, '')
			AND (coalesce(b.checked_at, '') >= :lately OR p.last_id >= coalesce((SELECT max(id) FROM messages WHERE session_id = s.id), 9223372036854775807))))))`

const columns = `SELECT s.rowid, s.id, s.platform, s.channel, s.thread, s.user_id, s.direct, s.status IN ('active', 'idle', 'suspended'), s.title,
	s.closing, s.created_at, s.last_activity, s.via, s.people `

// inPlaces reads the sessions of the places that may be visible, through the index.
const inPlaces = ` FROM (SELECT :platform AS platform, :channel AS channel, :thread AS thread WHERE NOT :direct
		UNION SELECT :platform, :channel, '' WHERE NOT :direct
		UNION ALL SELECT platform, channel, thread FROM participants WHERE user_id = :user AND :direct) q
	JOIN sessions s ON s.platform = q.platform AND s.channel = q.channel AND s.thread = q.thread `

func (a *Archive) args(v provenance.Viewer, more engine.Named) engine.Named {
	return engine.Named{"user": v.User, "platform": v.Key.Platform, "channel": v.Key.Channel, "thread": v.Key.Thread,
		"direct": v.Direct || v.Key.Channel == "", "lately": engine.Stamp(a.now().Add(-attested)), "agent": v.Agent.ID}.With(more)
}

// List lists the sessions that v may see, the latest first.
func (a *Archive) List(_ context.Context, v provenance.Viewer, limit, offset int) ([]Session, error) {
	list, err := engine.Select(a.db, scan, columns+inPlaces+" WHERE"+visible+
		" ORDER BY s.last_activity DESC, s.id LIMIT :limit OFFSET :offset", a.args(v, engine.Named{"limit": limit, "offset": offset}))
	return list, engine.During("list sessions", err)
}

// Find returns the session that v may see whose ID begins with prefix, or engine.ErrNotFound
// if there is none or more than one.
func (a *Archive) Find(ctx context.Context, v provenance.Viewer, prefix string) (Session, error) {
	list, err := engine.Select(a.db, scan, columns+" FROM sessions s WHERE s.id >= :prefix AND s.id < :prefix || 'g' AND"+visible+
		" LIMIT 2", a.args(v, engine.Named{"prefix": strings.ToLower(prefix)}))
	switch {
	case err != nil:
		return Session{}, engine.During("find session", err)
	case len(list) != 1 || prefix == "":
		return Session{}, engine.ErrNotFound
	}
	decided, err := a.decidedIn(ctx, []string{list[0].ID})
	list[0].Decisions = decided[list[0].ID]
	return list[0], err
}

// Words returns the latest lines of a session, oldest first. The caller checks that the
// session may be seen.
func (a *Archive) Words(_ context.Context, id string, limit int) ([]Said, error) {
	list, err := engine.Select(a.db, func(r engine.Scanner) (s Said, err error) {
		var at string
		var via provenance.Via
		err = r.Scan(&at, &s.Name, &s.User, &s.Text, &s.Bot, &via)
		s.At, s.Passed = engine.ParseStamp(at), via&provenance.ViaForwarded != 0
		return s, err
	}, `SELECT at, name, user_id, content, role = 'assistant', via FROM
		(SELECT * FROM messages WHERE session_id = :id AND role <> 'tool' AND content <> '' ORDER BY id DESC LIMIT :limit) latest ORDER BY id`,
		engine.Named{"id": id, "limit": limit})
	return list, engine.During("read session", err)
}

// Delete deletes a session with its messages, and what later sessions carry of it. Facts
// stay. The caller checks that it may be deleted, and works in the lane of its place.
func (a *Archive) Delete(ctx context.Context, id string) error {
	if a.Deleting != nil {
		over, err := a.Deleting(ctx, id)
		if err != nil {
			return err
		}
		defer over()
	}
	err := a.db.Write(ctx, func(tx *engine.Tx) error {
		var found bool
		if err := tx.QueryRow("SELECT true FROM sessions WHERE id = ?", id).Scan(&found); err != nil {
			return err
		}
		for _, q := range deletion {
			if _, err := tx.Exec(q, engine.Named{"id": id}); err != nil {
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

// deletion deletes a session. A new generation of the sessions that carry it on keeps those
// who read them before from writing the deleted words back.
var deletion = []string{
	`UPDATE sessions SET generation = generation + 1,
		page = (SELECT json_group_array(json(value)) FROM json_each(page) WHERE value ->> '$.session' <> :id)
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

func scan(r engine.Scanner) (s Session, err error) {
	var began, last string
	err = r.Scan(&s.row, &s.ID, &s.Key.Platform, &s.Key.Channel, &s.Key.Thread, &s.User, &s.Direct, &s.Alive, &s.Title, &s.Closing,
		&began, &last, &s.Origin.Via, (*provenance.Names)(&s.Origin.People))
	if err != nil {
		return s, err
	}
	s.Began, s.Last = engine.ParseStamp(began), engine.ParseStamp(last)
	return s, nil
}
