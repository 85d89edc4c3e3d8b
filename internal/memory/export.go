package memory

import (
	"context"
	"strings"
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
	if e.Voice, err = s.People.Voice(ctx, user); err != nil {
		return e, err
	}
	e.Languages.Heard, _, _ = strings.Cut(e.Languages.Heard, " ") // its tag alone
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
	if e.Earlier, err = gathered(s, engine.Value[string],
		`SELECT h.content || ' ' || h.tags || ' ' || h.quote || ' ' || h.previous FROM key_facts f JOIN fact_history h ON h.fact_id = f.id
		WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to = ''
		UNION ALL SELECT h.content || ' ' || h.tags || ' ' || h.quote || ' ' || h.previous FROM key_facts f JOIN fact_history h ON h.fact_id = f.id
		WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to <> '' AND NOT `+facts.ForUndo+`
		UNION ALL SELECT f.content || ' ' || f.tags || ' ' || f.quote || ' ' || f.previous FROM key_facts f WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to <> '' AND NOT `+facts.ForUndo, e.User); err != nil {
		return err
	}
	if e.Proposed, err = gathered(s, engine.Value[string], "SELECT content || ' (' || source || ')' FROM proposed WHERE user_id = :user AND content <> '' ORDER BY id",
		e.User); err != nil {
		return err
	}
	if e.Playbooks, err = gathered(s, engine.Value[string], "SELECT agent || ': ' || playbook FROM agent_people WHERE user_id = :user ORDER BY agent",
		e.User); err != nil {
		return err
	}
	if e.Handoffs, err = s.Handoffs.Of(e.User); err != nil {
		return err
	}
	if e.Decisions, err = gathered(s, scanDecided, `SELECT s.platform || ':' || s.channel, s.agent, d.content, d.user_id, d.name, d.at, d.replaced_at
		FROM decided d JOIN sessions s ON s.id = d.session_id WHERE d.content <> '' AND (d.user_id = :user OR s.user_id = :user
			OR s.direct AND s.id IN (`+spokenIn+`)) ORDER BY d.id`, e.User); err != nil {
		return err
	}
	e.Sessions, err = gathered(s, scanSummary,
		`SELECT platform || ':' || channel, agent, title, summary, closing, mentions, playbook, page FROM sessions
		WHERE (direct OR user_id = :user) AND id IN (`+spokenIn+`) ORDER BY created_at`, e.User)
	return err
}

// gathered reads rows of a person.
func gathered[T any](s *Store, scan func(engine.Scanner) (T, error), query, user string) ([]T, error) {
	list, err := engine.Select(s.db, scan, query, engine.Named{"user": user})
	return list, during("export", err)
}

func scanMessage(r engine.Scanner) (m privacy.Message, err error) {
	err = r.Scan(&m.Place, &m.Agent, &m.Role, &m.Name, &m.Text, &m.Attached, (*[]byte)(&m.Calls), engine.Stamped(&m.At))
	return m, err
}

func scanAnswer(r engine.Scanner) (a privacy.Answer, err error) {
	err = r.Scan(&a.Place, &a.Agent, &a.Outcome, &a.Model, &a.Tokens, engine.Stamped(&a.At), (*[]byte)(&a.Detail))
	return a, err
}

func scanCall(r engine.Scanner) (c CallRecord, err error) {
	err = r.Scan(&c.CallID, &c.Name, &c.Arguments, &c.Result, &c.Status, &c.Class, &c.Retries, engine.Millis(&c.Took))
	return c, err
}

func scanDecided(r engine.Scanner) (d privacy.Decision, err error) {
	var until time.Time
	if err = r.Scan(&d.Place, &d.Agent, &d.Text, &d.By, &d.Name, engine.Stamped(&d.At), engine.Stamped(&until)); !until.IsZero() {
		d.Until = &until
	}
	return d, err
}

func scanSummary(r engine.Scanner) (m privacy.Session, err error) {
	err = r.Scan(&m.Place, &m.Agent, &m.Title, &m.Summary, &m.Closing, (*[]byte)(&m.Mentions), &m.Playbook,
		(*[]byte)(&m.Page))
	return m, err
}
