package search

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text/ranking"
)

// Turn is a message with its account, which says what came of it. The account may be missing.
type Turn struct {
	ID      string // of its account, "" for none
	Key     chat.Key
	Session string
	Row     int64 // of its first stored message, 0 for none
	Name    string
	Text    string // the message or, in a search for words, an excerpt with each word between the runes 2 and 3
	At      time.Time
	Outcome chat.Outcome
	Command string
	Failure string // an error's id
	Agent   string // the memory of the agent that answered
	Took    time.Duration
	Tokens  int
	Cost    float64
}

// maxLooked is how many of the newest messages a search examines.
const maxLooked = 50_000

// fits is the condition of a Filter on decisions d.
const fits = ` :platform IN ('', d.platform) AND (:people = '' OR d.user_id IN (SELECT value FROM json_each(:people)))
	AND (NOT :by_agent OR d.agent = :agent) AND (NOT :errors OR d.outcome = 'failed') AND d.duration_ms >= :took AND d.total_tokens >= :tokens AND d.cost >= :cost
	AND (:tool = '' OR EXISTS (SELECT 1 FROM tool_calls c WHERE c.decision_id = d.id AND c.name = :tool))
	AND (:rule = '' OR instr(d.detail, :rule) > 0 AND EXISTS (SELECT 1 FROM json_each(d.detail, '$.playbook.top_matches') WHERE value ->> 'guideline_id' = :rule))`

const columns = `SELECT d.id, d.platform, d.channel, d.thread, d.session_id, coalesce(m.id, 0), coalesce(nullif(m.name, ''), d.user_id), coalesce(substr(m.content, 1, 300), ''), d.at, d.outcome, d.command,
	coalesce(d.detail ->> '$.error_id', ''), d.duration_ms, d.total_tokens, d.cost, d.agent FROM `

const asked = ` LEFT JOIN messages m ON m.platform = d.platform AND m.channel = d.channel AND m.thread = d.thread AND m.message_id = d.message_id AND m.message_id <> '' AND m.role = 'user' `

func scan(r engine.Scanner) (t Turn, err error) {
	var at string
	var took int64
	err = r.Scan(&t.ID, &t.Key.Platform, &t.Key.Channel, &t.Key.Thread, &t.Session, &t.Row, &t.Name, &t.Text, &at,
		&t.Outcome, &t.Command, &t.Failure, &took, &t.Tokens, &t.Cost, &t.Agent)
	t.At, t.Took = engine.ParseStamp(at), time.Duration(took)*time.Millisecond
	return t, err
}

func (f Filter) args(args engine.Named) engine.Named {
	return args.With(engine.Named{"errors": f.Errors, "took": f.Took.Milliseconds(), "tokens": f.Tokens, "cost": f.Cost,
		"tool": f.Tool, "rule": f.Rule, "looked": maxLooked})
}

// Turns lists the messages that match a filter, the newest first. It examines the newest
// maxLooked.
func (s *Shelf) Turns(ctx context.Context, f Filter, limit, offset int) ([]Turn, error) {
	args, err := s.matching(ctx, f)
	if err != nil {
		return nil, err
	}
	args = f.args(args)
	if f.Words != "" {
		return s.said(ctx, f, args, limit, offset)
	}
	args["limit"], args["offset"] = limit, offset
	rows, err := s.db.QueryContext(ctx,
		columns+"(SELECT * FROM (SELECT * FROM decisions ORDER BY at DESC LIMIT :looked) d WHERE d.outcome <> 'overheard' AND "+
			fits+" ORDER BY at DESC LIMIT :limit OFFSET :offset) d"+asked+"ORDER BY d.at DESC", args)
	if err != nil {
		return nil, engine.During("find messages", err)
	}
	list, err := engine.Collect(rows, scan)
	return list, engine.During("find messages", err)
}

// maxHits is how many messages with the words a search examines.
const maxHits = 5000

// said finds messages with all words, the newest first.
func (s *Shelf) said(ctx context.Context, f Filter, args engine.Named, limit, offset int) (list []Turn, err error) {
	terms := ranking.Terms(f.Words)
	if len(terms) == 0 {
		return nil, nil
	}
	asking, match := ranking.Asking(f.Words), make([]string, len(terms))
	for i, w := range terms {
		match[i] = "(" + asking.Match(w) + ")"
	}
	rows, err := s.db.QuerySettled(ctx,
		`SELECT m.id, m.session_id, m.platform, m.channel, m.thread, iif(m.role = 'user', m.name, ''), m.at, m.content, m.role = 'user', m.message_id
		FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid >> 20
		WHERE messages_fts MATCH :match AND m.role <> 'tool' AND :platform IN ('', m.platform) AND (:people = '' OR m.user_id IN (SELECT value FROM json_each(:people)))
		ORDER BY messages_fts.rowid DESC LIMIT :most`, args.With(engine.Named{"match": engine.Match{Expr: strings.Join(match, " AND ")}, "most": maxHits}))
	if err != nil {
		return nil, engine.During("search", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() && len(list) < limit {
		var t Turn
		var at, message string
		var mine bool
		if err := rows.Scan(&t.Row, &t.Session, &t.Key.Platform, &t.Key.Channel, &t.Key.Thread, &t.Name, &at, &t.Text, &mine,
			&message); err != nil {
			return nil, engine.During("search", err)
		}
		t.At, t.Text = engine.ParseStamp(at), asking.Excerpt(t.Text, terms)
		ok, err := s.account(ctx, &t, at, message, args)
		if err != nil {
			return nil, err
		}
		if !ok && (f != Filter{Words: f.Words, Platform: f.Platform, Person: f.Person}) {
			continue
		}
		if offset--; offset < 0 {
			list = append(list, t)
		}
	}
	return list, engine.During("search", rows.Err())
}

// account adds the account of a message and reports whether it matches the filter. A person's
// message has its own account; for the bot's it is the first one since.
func (s *Shelf) account(ctx context.Context, t *Turn, at, message string, args engine.Named) (ok bool, err error) {
	var took int64
	where, order := "d.message_id = :message", ""
	if message == "" {
		where, order = "d.at >= :at", " ORDER BY d.at"
	}
	err = s.db.QueryRowContext(ctx,
		`SELECT d.id, d.outcome, d.command, coalesce(d.detail ->> '$.error_id', ''), d.duration_ms, d.total_tokens, d.cost, d.agent, (`+fits+`)
		FROM decisions d WHERE d.platform = :here AND d.channel = :channel AND d.thread = :thread AND d.at >= :since AND d.session_id = :session AND `+where+order+" LIMIT 1",
		args.With(engine.Named{"here": t.Key.Platform, "channel": t.Key.Channel, "thread": t.Key.Thread, "session": t.Session,
			"at": at, "since": engine.Stamp(t.At.Add(-time.Hour)), "message": message})).
		Scan(&t.ID, &t.Outcome, &t.Command, &t.Failure, &took, &t.Tokens, &t.Cost, &t.Agent, &ok)
	t.Took = time.Duration(took) * time.Millisecond
	if errors.Is(err, engine.ErrNotFound) {
		return false, nil
	}
	return ok, engine.During("find an account", err)
}

// Choices are values for a Filter.
type Choices struct{ Platforms, Rules, Tools []string }

// Choices returns the platforms, and the rules and tools of the newest messages.
func (s *Shelf) Choices(ctx context.Context) (c Choices, err error) {
	for _, one := range []struct {
		list  *[]string
		query string
	}{
		{&c.Platforms, "SELECT DISTINCT platform FROM places ORDER BY platform LIMIT 20"},
		{&c.Tools, "SELECT DISTINCT name FROM (SELECT name FROM tool_calls ORDER BY id DESC LIMIT 2000) latest ORDER BY name LIMIT 100"},
		{&c.Rules, `SELECT DISTINCT id FROM (SELECT m.value ->> 'guideline_id' AS id FROM (SELECT detail FROM decisions WHERE at >= (SELECT coalesce(min(at), '') FROM (SELECT at FROM decisions ORDER BY at DESC LIMIT 1000) latest)) d,
			json_each(d.detail, '$.playbook.top_matches') m) used WHERE id IS NOT NULL ORDER BY id LIMIT 200`},
	} {
		rows, err := s.db.QueryContext(ctx, one.query)
		if err != nil {
			return c, engine.During("list choices", err)
		}
		if *one.list, err = engine.Collect(rows, engine.Value[string]); err != nil {
			return c, engine.During("list choices", err)
		}
		*one.list = slices.Clip(*one.list)
	}
	return c, nil
}
