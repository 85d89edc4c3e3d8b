package memory

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/text/ranking"
)

// What the owner is shown. Every query here is bounded by a window or a limit
// and reads through an index: it costs the same with a million messages.

// Load is what happened in one stretch of time.
type Load struct {
	From     time.Time
	Messages int
	Errors   int
	Tally
	Tokens      int
	Median, P95 time.Duration // of the answers; 0 when there were none
}

// Load sums the stretch from a moment up to another.
func (s *Decisions) Load(_ context.Context, from, to time.Time) (Load, error) {
	l := Load{From: from}
	var took string
	// The durations come as one text: a row of each would cost more than
	// everything else.
	err := s.db.QueryRow(`SELECT count(*), coalesce(sum(outcome = 'failed'), 0), coalesce(sum(outcome IN (`+succeeded(true)+
		`)), 0), coalesce(sum(outcome IN (`+succeeded(false)+`)), 0), coalesce(sum(total_tokens), 0),
			coalesce(string_agg(CASE WHEN duration_ms > 0 THEN CAST(duration_ms AS TEXT) END, ','), '')
		FROM decisions WHERE at >= ? AND at < ?`, Stamp(from), Stamp(to)).Scan(&l.Messages, &l.Errors, &l.Good, &l.Bad, &l.Tokens, &took)
	l.Median, l.P95 = percentiles(took)
	return l, during("sum load", err)
}

// percentiles reads milliseconds separated by commas.
func percentiles(list string) (median, p95 time.Duration) {
	if list == "" {
		return 0, 0
	}
	all := make([]int, 0, strings.Count(list, ",")+1)
	for w := range strings.SplitSeq(list, ",") {
		ms, _ := strconv.Atoi(w) // SQLite wrote it
		all = append(all, ms)
	}
	slices.Sort(all)
	at := func(percent int) time.Duration {
		return time.Duration(all[(len(all)-1)*percent/100]) * time.Millisecond
	}
	return at(50), at(95)
}

// newestLooked is how many messages RuleUses looks back on.
const newestLooked = 2000

// MessageQuery selects messages of a session or, without one, of a place.
type MessageQuery struct {
	Session string
	Key     chat.Key
	Before  int64 // row id; 0 is the end
	Limit   int
}

const messageColumns = "SELECT id, role, user_id, name, content, tool_calls, at FROM messages WHERE "

// Messages returns the newest that a query selects, oldest first.
func (s *Store) Messages(_ context.Context, q MessageQuery) ([]Entry, error) {
	if q.Before == 0 {
		q.Before = 1<<63 - 1
	}
	query, args := messageColumns+"session_id = ? AND id < ? ORDER BY id DESC LIMIT ?", []any{q.Session, q.Before, q.Limit}
	if q.Session == "" {
		query = messageColumns + "platform = ? AND channel = ? AND thread = ? AND id < ? ORDER BY id DESC LIMIT ?"
		args = []any{q.Key.Platform, q.Key.Channel, q.Key.Thread, q.Before, q.Limit}
	}
	rows, err := s.db.Query(query, args...)
	if err != nil {
		return nil, during("read messages", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Entry
	for rows.Next() {
		var e Entry
		var role, calls, at string
		if err := rows.Scan(&e.ID, &role, &e.User, &e.Name, &e.Content, &calls, &at); err != nil {
			return nil, during("read messages", err)
		}
		if calls != "" {
			if err := json.Unmarshal([]byte(calls), &e.ToolCalls); err != nil {
				return nil, during("read messages", err)
			}
		}
		e.Role, e.At = llm.Role(role), ParseStamp(at)
		list = append(list, e)
	}
	slices.Reverse(list)
	return list, during("read messages", rows.Err())
}

// Audit is a decision with what was done for it.
type Audit struct {
	Decision
	Done []CallRecord
}

// Audits returns what was decided in a place between two moments, both
// included, oldest first and at most limit of the newest. What was only
// overheard is left out.
func (s *Decisions) Audits(ctx context.Context, k chat.Key, from, to time.Time, limit int) ([]Audit, error) {
	rows, err := s.db.Query(`SELECT `+decisionColumns+` FROM decisions
		WHERE platform = ? AND channel = ? AND thread = ? AND at BETWEEN ? AND ? AND outcome <> 'overheard' ORDER BY at DESC LIMIT ?`,
		k.Platform, k.Channel, k.Thread, Stamp(from), Stamp(to), limit)
	list, err := s.audits(ctx, rows, err)
	slices.Reverse(list)
	return list, err
}

// Failures returns the latest messages that ended in an error, newest first.
func (s *Decisions) Failures(ctx context.Context, since time.Time, limit int) ([]Audit, error) {
	rows, err := s.db.Query(`SELECT `+decisionColumns+` FROM decisions WHERE at >= ? AND outcome = 'failed' ORDER BY at DESC LIMIT ?`,
		Stamp(since), limit)
	return s.audits(ctx, rows, err)
}

// Errors returns the messages that were given the number of an error, newest first;
// with an id only that one. Forgetting and retention take what broke along.
func (s *Decisions) Errors(ctx context.Context, id string, since time.Time, limit int) ([]Audit, error) {
	rows, err := s.db.Query("SELECT "+decisionColumns+` FROM decisions
		WHERE at >= :since AND json_extract(detail, '$.error_id') <> '' AND (:id = '' OR json_extract(detail, '$.error_id') = :id) ORDER BY at DESC LIMIT :limit`,
		engine.Named{"id": id, "since": Stamp(since), "limit": limit})
	return s.audits(ctx, rows, err)
}

func (s *Decisions) audits(ctx context.Context, rows interface {
	scanner
	Next() bool
	Err() error
	Close() error
}, err error) ([]Audit, error) {
	if err != nil {
		return nil, during("read decisions", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Audit
	for rows.Next() {
		d, err := scanDecision(rows)
		if err != nil {
			return nil, during("read decisions", err)
		}
		list = append(list, Audit{Decision: d})
	}
	if err := rows.Err(); err != nil {
		return nil, during("read decisions", err)
	}
	for i := range list {
		if list[i].Done, err = s.Calls(ctx, list[i].ID); err != nil {
			return nil, during("read tool calls", err)
		}
	}
	return list, nil
}

// Hit is a message that has the words looked for.
type Hit struct {
	ID      int64
	Session string
	Key     chat.Key
	Name    string
	Text    string // around the words, each between the runes 2 and 3
	At      time.Time
}

// Search finds messages that have all of some words, newest first.
func (s *Store) Search(ctx context.Context, text string, limit, offset int) (list []Hit, err error) {
	words := ranking.Terms(text)
	if len(words) == 0 {
		return nil, nil
	}
	asked, match := ranking.Asking(text), make([]string, len(words))
	for i, w := range words {
		match[i] = "(" + asked.Match(w) + ")"
	}
	rows, err := s.db.QuerySettled(ctx, `SELECT m.id, m.session_id, m.platform, m.channel, m.thread, m.name, m.at, m.content
		FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid >> 20
		WHERE messages_fts MATCH ? AND m.role <> 'tool' ORDER BY messages_fts.rowid DESC LIMIT ? OFFSET ?`,
		engine.Match{Expr: strings.Join(match, " AND ")}, limit, offset)
	if err != nil {
		return nil, during("search", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var h Hit
		var at string
		if err := rows.Scan(&h.ID, &h.Session, &h.Key.Platform, &h.Key.Channel, &h.Key.Thread, &h.Name, &at, &h.Text); err != nil {
			return nil, during("search", err)
		}
		h.At, h.Text = ParseStamp(at), asked.Excerpt(h.Text, words)
		list = append(list, h)
	}
	return list, during("search", rows.Err())
}

// SessionsByAge lists sessions in the order they began, newest first, with a
// status or with any.
func (s *Sessions) SessionsByAge(_ context.Context, status Status, limit, offset int) ([]Session, error) {
	query := `SELECT ` + sessionColumns + ` FROM sessions s WHERE ? IN ('', status) ORDER BY s.rowid DESC LIMIT ? OFFSET ?`
	if status != "" && status != Archived { // few, and in an index of their own
		query = `SELECT ` + sessionColumns + ` FROM sessions s WHERE status = ? AND status <> 'archived' ORDER BY s.rowid DESC LIMIT ? OFFSET ?`
	}
	rows, err := s.db.Query(query, string(status), limit, offset)
	if err != nil {
		return nil, during("list sessions", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Session
	for rows.Next() {
		se, err := scanSession(rows)
		if err != nil {
			return nil, during("list sessions", err)
		}
		list = append(list, se)
	}
	return list, during("list sessions", rows.Err())
}

// RuleUse is how often a rule of the playbook came up.
type RuleUse struct {
	Applied int // shaped an answer
	Dropped int // matched and gave way to another
}

// RuleUses counts by rule over the newest messages since a moment, those that one agent
// answered or, with nil, all.
func (s *Decisions) RuleUses(_ context.Context, since time.Time, agent *string) (map[string]RuleUse, error) {
	rows, err := s.db.Query(
		`WITH newest AS (SELECT detail FROM decisions WHERE at >= ? AND agent = coalesce(?, agent) ORDER BY at DESC LIMIT ?)
		SELECT id, sum(applied), sum(1 - applied) FROM (
			SELECT value ->> 'guideline_id' AS id, 1 AS applied FROM newest, json_each(detail, '$.playbook.top_matches')
			UNION ALL SELECT value ->> 'guideline_id', 0 FROM newest, json_each(detail, '$.playbook.dropped')) used
		WHERE id IS NOT NULL GROUP BY id`, Stamp(since), agent, newestLooked)
	if err != nil {
		return nil, during("count rules", err)
	}
	defer func() { _ = rows.Close() }()
	uses := map[string]RuleUse{}
	for rows.Next() {
		var id string
		var u RuleUse
		if err := rows.Scan(&id, &u.Applied, &u.Dropped); err != nil {
			return nil, during("count rules", err)
		}
		uses[id] = u
	}
	return uses, during("count rules", rows.Err())
}
