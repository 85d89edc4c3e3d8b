package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/agenda"
	"parley/internal/facts"
	"parley/internal/handoff"
	"parley/internal/sqlite"
)

// Export is everything that is stored about a person, for them to read.
type Export struct {
	User      string            `json:"user"`
	At        time.Time         `json:"at"`
	TimeZone  string            `json:"time_zone,omitempty"`
	Playbook  string            `json:"playbook,omitempty"` // what rules keep of them
	Facts     []facts.Record    `json:"facts"`
	Tasks     []agenda.Task     `json:"tasks"`
	Reminders []agenda.Reminder `json:"reminders"`
	Journal   []agenda.LogEntry `json:"journal"`
	Messages  []MessageRecord   `json:"messages"`
	Answers   []AnswerRecord    `json:"answers"`
	Calls     []CallRecord      `json:"calls"`    // of tools, for those answers
	Earlier   []string          `json:"earlier"`  // what facts said before
	Handoffs  []handoff.Record  `json:"handoffs"` // to people
	Sessions  []SessionRecord   `json:"sessions"` // conversations with them alone, summed up
}

// MessageRecord is a message of the person, or an answer to it.
type MessageRecord struct {
	Place    string          `json:"place"`
	Role     string          `json:"role"`
	Name     string          `json:"name,omitempty"`
	Text     string          `json:"text"`
	Attached string          `json:"attached,omitempty"` // names and texts of files
	Calls    json.RawMessage `json:"calls,omitempty"`    // what the answer asked of tools
	At       time.Time       `json:"at"`
}

// SessionRecord is what is kept of a conversation as a whole.
type SessionRecord struct {
	Place     string          `json:"place"`
	Title     string          `json:"title,omitempty"`
	Summary   string          `json:"summary,omitempty"`
	Closing   string          `json:"closing,omitempty"`
	Decisions json.RawMessage `json:"decisions"`
	Mentions  json.RawMessage `json:"mentions"`
	Playbook  string          `json:"playbook,omitempty"`
	Page      json.RawMessage `json:"page"` // lines that later ones carry
}

// AnswerRecord is what was recorded about answering.
type AnswerRecord struct {
	Place   string    `json:"place"`
	Outcome string    `json:"outcome"`
	Model   string    `json:"model,omitempty"`
	Tokens  int       `json:"tokens"`
	At      time.Time `json:"at"`

	Detail json.RawMessage `json:"detail"` // why it is as it is
}

// Markdown returns the export as a text to read.
func (e Export) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What is stored about %s\n\nAs of %s.", e.User, e.At.Format(time.RFC1123))
	if e.TimeZone != "" {
		fmt.Fprintf(&b, " Time zone: %s.", e.TimeZone)
	}
	section := func(title string, n int, line func(int) string) {
		fmt.Fprintf(&b, "\n\n## %s (%d)\n", title, n)
		for i := range n {
			b.WriteString("\n- " + strings.ReplaceAll(line(i), "\n", "\n  "))
		}
	}
	day := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
	section("Facts", len(e.Facts), func(i int) string {
		f := e.Facts[i]
		return fmt.Sprintf("[%s] %s %s%s (%s, by %s, %s)", day(f.Updated), f.Content, strings.Join(f.Tags, " "), facts.Until(facts.Fact{Ends: f.Ends}, e.At), f.Type, f.Author, f.Rank)
	})
	section("Tasks", len(e.Tasks), func(i int) string {
		t := e.Tasks[i]
		return fmt.Sprintf("[%s] %s%s", day(t.Created), t.Description, map[bool]string{true: " (done)"}[t.Done])
	})
	section("Reminders", len(e.Reminders), func(i int) string {
		return fmt.Sprintf("[%s] %s %s", day(e.Reminders[i].Due), e.Reminders[i].Text, e.Reminders[i].Schedule)
	})
	section("Journal", len(e.Journal), func(i int) string {
		l := e.Journal[i]
		return fmt.Sprintf("[%s] %s (%s, by %s)", day(l.At), l.Content, l.Type, l.Author)
	})
	section("Conversations", len(e.Messages), func(i int) string {
		m := e.Messages[i]
		who := map[string]string{"user": "you", "assistant": "answer", "tool": "read for you by " + m.Name}[m.Role]
		return strings.TrimSpace(fmt.Sprintf("[%s] %s, %s: %s %s\n%s", day(m.At), m.Place, who, m.Text, m.Calls, m.Attached))
	})
	section("Answers made for you", len(e.Answers), func(i int) string {
		a := e.Answers[i]
		return fmt.Sprintf("[%s] %s, %s, %s, %d tokens", day(a.At), a.Place, a.Outcome, a.Model, a.Tokens)
	})
	section("Conversations with you alone, summed up", len(e.Sessions), func(i int) string {
		m := e.Sessions[i]
		return strings.TrimSpace(fmt.Sprintf("%s %s: %s %s", m.Place, m.Title, m.Summary, m.Closing))
	})
	section("Conversations that people took over", len(e.Handoffs), func(i int) string { return e.Handoffs[i].String() })
	section("What facts said before", len(e.Earlier), func(i int) string { return e.Earlier[i] })
	section("What tools did for you", len(e.Calls), func(i int) string {
		c := e.Calls[i]
		return fmt.Sprintf("%s(%s), %s: %s", c.Name, c.Arguments, c.Status, c.Result)
	})
	return b.String() + "\n"
}

// ExportPerson gathers everything about v's person. The caller makes sure that only
// they, in a direct chat, and the owner at the machine get it.
func (s *Store) ExportPerson(ctx context.Context, user string) (e Export, err error) {
	v := Viewer{User: user, Direct: true}
	e = Export{User: user, At: s.now().UTC()}
	p, err := s.Person(ctx, user)
	if err != nil {
		return e, err
	}
	e.TimeZone = p.TimeZone
	const everything = 1_000_000
	list, err := s.Facts(ctx, v, everything, 0)
	if err != nil {
		return e, err
	}
	shared, err := s.SharedWords(ctx, user)
	if err != nil {
		return e, err
	}
	e.Facts = facts.Records(append(list, shared...))
	if e.Tasks, err = s.Tasks(ctx, v, everything, 0); err != nil {
		return e, err
	}
	if e.Reminders, err = s.Reminders(ctx, v); err != nil {
		return e, err
	}
	if e.Journal, err = s.Log(ctx, v, agenda.LogQuery{Limit: everything}); err != nil {
		return e, err
	}
	e.Playbook = p.Playbook
	return e, s.exportConversations(&e)
}

// exportConversations adds what was said to the bot, and what that left behind.
func (s *Store) exportConversations(e *Export) (err error) {
	if e.Messages, err = gathered(s, scanMessageRecord, "SELECT platform || ':' || channel, role, name, content, attached, tool_calls, at FROM messages WHERE user_id = :user ORDER BY id", e.User); err != nil {
		return err
	}
	if e.Answers, err = gathered(s, scanAnswer, "SELECT platform || ':' || channel, outcome, model, total_tokens, at, detail FROM decisions WHERE user_id = :user ORDER BY at", e.User); err != nil {
		return err
	}
	if e.Calls, err = gathered(s, scanCall, `SELECT c.call_id, c.name, c.arguments, c.result, c.status, c.class, c.retries, c.duration_ms
		FROM decisions d JOIN tool_calls c ON c.decision_id = d.id WHERE d.user_id = :user ORDER BY c.id`, e.User); err != nil {
		return err
	}
	if e.Earlier, err = gathered(s, scanText, `SELECT h.content || ' ' || h.tags || ' ' || h.quote || ' ' || h.previous FROM key_facts f JOIN fact_history h ON h.fact_id = f.id
		WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to = ''
		UNION ALL SELECT h.content || ' ' || h.tags || ' ' || h.quote || ' ' || h.previous FROM key_facts f JOIN fact_history h ON h.fact_id = f.id
		WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to <> '' AND NOT `+facts.ForUndo+`
		UNION ALL SELECT f.content || ' ' || f.tags || ' ' || f.quote || ' ' || f.previous FROM key_facts f WHERE f.scope = 'person' AND f.subject = :user AND f.valid_to <> '' AND NOT `+facts.ForUndo, e.User); err != nil {
		return err
	}
	if e.Handoffs, err = s.Handoffs.Of(e.User); err != nil {
		return err
	}
	e.Sessions, err = gathered(s, scanSessionRecord, `SELECT platform || ':' || channel, title, summary, closing, decisions, mentions, playbook, page FROM sessions
		WHERE (direct OR user_id = :user) AND id IN (`+spokenIn+`) ORDER BY created_at`, e.User)
	return err
}

// gathered reads rows of a person.
func gathered[T any](s *Store, scan func(*sql.Rows) (T, error), query, user string) ([]T, error) {
	rows, err := s.db.Query(query, sqlite.Named{"user": user})
	if err != nil {
		return nil, during("export", err)
	}
	list, err := sqlite.Collect(rows, scan)
	return list, during("export", err)
}

func scanMessageRecord(r *sql.Rows) (m MessageRecord, err error) {
	var at, calls string
	err = r.Scan(&m.Place, &m.Role, &m.Name, &m.Text, &m.Attached, &calls, &at)
	m.At, m.Calls = ParseStamp(at), json.RawMessage(calls)
	return m, err
}

func scanAnswer(r *sql.Rows) (a AnswerRecord, err error) {
	var at, detail string
	err = r.Scan(&a.Place, &a.Outcome, &a.Model, &a.Tokens, &at, &detail)
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

func scanSessionRecord(r *sql.Rows) (m SessionRecord, err error) {
	var decisions, mentions, page string
	err = r.Scan(&m.Place, &m.Title, &m.Summary, &m.Closing, &decisions, &mentions, &m.Playbook, &page)
	m.Decisions, m.Mentions, m.Page = json.RawMessage(decisions), json.RawMessage(mentions), json.RawMessage(page)
	return m, err
}
