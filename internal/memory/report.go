package memory

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text/ranking"
)

// Reports for the owner. Every query here is bounded by a window or a limit and uses an
// index: it costs the same with a million messages.

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
	list, err := engine.Select(s.db, func(r engine.Scanner) (e Entry, err error) {
		err = r.Scan(&e.ID, &e.Role, &e.User, &e.Name, &e.Content, engine.JSON(&e.ToolCalls), engine.Stamped(&e.At))
		return e, err
	}, query, args...)
	slices.Reverse(list)
	return list, during("read messages", err)
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
	list, err := s.audits(ctx, `SELECT `+decisionColumns+` FROM decisions
		WHERE platform = ? AND channel = ? AND thread = ? AND at BETWEEN ? AND ? AND outcome <> 'overheard' ORDER BY at DESC LIMIT ?`,
		k.Platform, k.Channel, k.Thread, Stamp(from), Stamp(to), limit)
	slices.Reverse(list)
	return list, err
}

// Failures returns the latest messages that ended in an error, newest first.
func (s *Decisions) Failures(ctx context.Context, since time.Time, limit int) ([]Audit, error) {
	return s.audits(ctx, `SELECT `+decisionColumns+` FROM decisions WHERE at >= ? AND outcome = 'failed' ORDER BY at DESC LIMIT ?`,
		Stamp(since), limit)
}

// Errors returns the messages that were given the number of an error, newest first;
// with an id only that one. Forgetting and retention take what broke along.
func (s *Decisions) Errors(ctx context.Context, id string, since time.Time, limit int) ([]Audit, error) {
	return s.audits(ctx, "SELECT "+decisionColumns+` FROM decisions
		WHERE at >= :since AND json_extract(detail, '$.error_id') <> '' AND (:id = '' OR json_extract(detail, '$.error_id') = :id) ORDER BY at DESC LIMIT :limit`,
		engine.Named{"id": id, "since": Stamp(since), "limit": limit})
}

func (s *Decisions) audits(ctx context.Context, query string, args ...any) ([]Audit, error) {
	list, err := engine.Select(s.db, func(r engine.Scanner) (a Audit, err error) {
		a.Decision, err = scanDecision(r)
		return a, err
	}, query, args...)
	for i := 0; i < len(list) && err == nil; i++ {
		list[i].Done, err = s.Calls(ctx, list[i].ID)
	}
	return list, during("read decisions", err)
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
	list, err = engine.Collect(rows, func(r engine.Scanner) (h Hit, err error) {
		err = r.Scan(&h.ID, &h.Session, &h.Key.Platform, &h.Key.Channel, &h.Key.Thread, &h.Name, engine.Stamped(&h.At), &h.Text)
		h.Text = asked.Excerpt(h.Text, words)
		return h, err
	})
	return list, during("search", err)
}

// SessionsByAge lists sessions by when they began, newest first and imported ones among them, with a
// status or with any.
func (s *Sessions) SessionsByAge(_ context.Context, status Status, limit, offset int) ([]Session, error) {
	query := `SELECT ` + sessionColumns + ` FROM sessions s WHERE ? IN ('', status) ORDER BY s.created_at DESC, s.rowid DESC LIMIT ? OFFSET ?`
	if status != "" && status != Archived { // few, and in an index of their own
		query = `SELECT ` + sessionColumns + ` FROM sessions s WHERE status = ? AND status <> 'archived' ORDER BY s.created_at DESC, s.rowid DESC LIMIT ? OFFSET ?`
	}
	list, err := engine.Select(s.db, scanSession, query, string(status), limit, offset)
	return list, during("list sessions", err)
}

// RuleUse is how often a rule of the playbook came up.
type RuleUse struct {
	Applied int // shaped an answer
	Dropped int // matched and gave way to another
}

// RuleUses counts by rule over the newest messages since a moment, those that one agent
// answered or, with nil, all.
func (s *Decisions) RuleUses(_ context.Context, since time.Time, agent *string) (map[string]RuleUse, error) {
	uses := map[string]RuleUse{}
	_, err := engine.Select(s.db, func(r engine.Scanner) (id string, err error) {
		var u RuleUse
		err = r.Scan(&id, &u.Applied, &u.Dropped)
		uses[id] = u
		return id, err
	},
		`WITH newest AS (SELECT detail FROM decisions WHERE at >= ? AND agent = coalesce(?, agent) ORDER BY at DESC LIMIT ?)
		SELECT id, sum(applied), sum(1 - applied) FROM (
			SELECT value ->> 'guideline_id' AS id, 1 AS applied FROM newest, json_each(detail, '$.playbook.top_matches')
			UNION ALL SELECT value ->> 'guideline_id', 0 FROM newest, json_each(detail, '$.playbook.dropped')) used
		WHERE id IS NOT NULL GROUP BY id`, Stamp(since), agent, newestLooked)
	return uses, during("count rules", err)
}
