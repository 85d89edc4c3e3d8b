package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/privacy"
	"parley/internal/memory/provenance"
)

// ExportPerson gathers everything about v's person. The caller makes sure that only
// they, in a direct chat, and the owner at the machine get it.
func (s *Store) ExportPerson(ctx context.Context, user string) (e Export, err error) {
	v := Viewer{User: user, Direct: true, Agent: chat.Agent{ID: provenance.Every}}
	e = Export{User: user, At: s.now().UTC()}
	p, err := s.People.Person(ctx, user, "")
	if err != nil {
		return e, err
	}
	e.TimeZone = p.TimeZone
	if e.Languages.Chosen, e.Languages.Heard, err = s.People.Languages(ctx, user); err != nil {
		return e, err
	}
	const everything = 1_000_000
	list, err := s.Facts.Facts(ctx, v, everything, 0)
	if err != nil {
		return e, err
	}
	shared, err := s.Facts.SharedWords(ctx, user)
	if err != nil {
		return e, err
	}
	e.Facts = facts.Records(append(list, shared...))
	if e.Tasks, err = s.Agenda.Tasks(ctx, v, everything, 0); err != nil {
		return e, err
	}
	if e.Reminders, err = s.Agenda.Reminders(ctx, v); err != nil {
		return e, err
	}
	if e.Journal, err = s.Agenda.Log(ctx, v, agenda.LogQuery{Limit: everything}); err != nil {
		return e, err
	}
	e.Playbook = p.Playbook
	return e, s.exportConversations(&e)
}

// exportConversations adds what was said to the bot, and what that left behind.
func (s *Store) exportConversations(e *Export) (err error) {
	if e.Messages, err = gathered(s, scanMessage,
		"SELECT platform || ':' || channel, agent, role, name, content, attached, tool_calls, at FROM messages WHERE user_id = :user ORDER BY id", e.User); err != nil {
		return err
	}
	if e.Answers, err = gathered(s, scanAnswer,
		"SELECT platform || ':' || channel, agent, outcome, model, total_tokens, at, detail FROM decisions WHERE user_id = :user ORDER BY at",
		e.User); err != nil {
		return err
	}
	if e.Calls, err = gathered(s, scanCall, `SELECT c.call_id, c.name, c.arguments, c.result, c.status, c.class, c.retries, c.duration_ms
		FROM decisions d JOIN tool_calls c ON c.decision_id = d.id WHERE d.user_id = :user ORDER BY c.id`, e.User); err != nil {
		return err
	}
	if e.Earlier, err = gathered(s, scanText,
		`SELECT h.content || ' ' || h.tags || ' ' || h.quote || ' ' || h.previous FROM key_facts f JOIN fact_history h ON h.fact_id = f.id
		WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to = ''
		UNION ALL SELECT h.content || ' ' || h.tags || ' ' || h.quote || ' ' || h.previous FROM key_facts f JOIN fact_history h ON h.fact_id = f.id
		WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to <> '' AND NOT `+facts.ForUndo+`
		UNION ALL SELECT f.content || ' ' || f.tags || ' ' || f.quote || ' ' || f.previous FROM key_facts f WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to <> '' AND NOT `+facts.ForUndo, e.User); err != nil {
		return err
	}
	if e.Playbooks, err = gathered(s, scanText, "SELECT agent || ': ' || playbook FROM agent_people WHERE user_id = :user ORDER BY agent",
		e.User); err != nil {
		return err
	}
	if e.Handoffs, err = s.Handoffs.Of(e.User); err != nil {
		return err
	}
	e.Sessions, err = gathered(s, scanSummary,
		`SELECT platform || ':' || channel, agent, title, summary, closing, decisions, mentions, playbook, page FROM sessions
		WHERE (direct OR user_id = :user) AND id IN (`+spokenIn+`) ORDER BY created_at`, e.User)
	return err
}

// gathered reads rows of a person.
func gathered[T any](s *Store, scan func(*sql.Rows) (T, error), query, user string) ([]T, error) {
	rows, err := s.db.Query(query, engine.Named{"user": user})
	if err != nil {
		return nil, during("export", err)
	}
	list, err := engine.Collect(rows, scan)
	return list, during("export", err)
}

func scanMessage(r *sql.Rows) (m privacy.Message, err error) {
	var at, calls string
	err = r.Scan(&m.Place, &m.Agent, &m.Role, &m.Name, &m.Text, &m.Attached, &calls, &at)
	m.At, m.Calls = ParseStamp(at), json.RawMessage(calls)
	return m, err
}

func scanAnswer(r *sql.Rows) (a privacy.Answer, err error) {
	var at, detail string
	err = r.Scan(&a.Place, &a.Agent, &a.Outcome, &a.Model, &a.Tokens, &at, &detail)
	a.At, a.Detail = ParseStamp(at), json.RawMessage(detail)
	return a, err
}

func scanCall(r *sql.Rows) (c CallRecord, err error) {
	var ms int64
	err = r.Scan(&c.CallID, &c.Name, &c.Arguments, &c.Result, &c.Status, &c.Class, &c.Retries, &ms)
	c.Took = time.Duration(ms) * time.Millisecond
	return c, err
}

func scanText(r *sql.Rows) (text string, err error) { return text, r.Scan(&text) }

func scanSummary(r *sql.Rows) (m privacy.Session, err error) {
	var decisions, mentions, page string
	err = r.Scan(&m.Place, &m.Agent, &m.Title, &m.Summary, &m.Closing, &decisions, &mentions, &m.Playbook, &page)
	m.Decisions, m.Mentions, m.Page = json.RawMessage(decisions), json.RawMessage(mentions), json.RawMessage(page)
	return m, err
}
