package memory

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Export is everything that is stored about a person, for them to read.
type Export struct {
	User      string         `json:"user"`
	At        time.Time      `json:"at"`
	TimeZone  string         `json:"time_zone,omitempty"`
	Facts     []FactRecord   `json:"facts"`
	Tasks     []Task         `json:"tasks"`
	Reminders []Reminder     `json:"reminders"`
	Journal   []LogEntry     `json:"journal"`
	Messages  []SaidRecord   `json:"messages"`
	Answers   []AnswerRecord `json:"answers"`
}

// SaidRecord is a message of the person, or an answer to it.
type SaidRecord struct {
	Place string    `json:"place"`
	Role  string    `json:"role"`
	Text  string    `json:"text"`
	At    time.Time `json:"at"`
}

// AnswerRecord is what was recorded about answering: no words, only counts.
type AnswerRecord struct {
	Place    string    `json:"place"`
	Category string    `json:"category"`
	Model    string    `json:"model,omitempty"`
	Tokens   int       `json:"tokens"`
	At       time.Time `json:"at"`
}

// Markdown is the export as a text to read.
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
		return fmt.Sprintf("[%s] %s %s (%s, by %s)", day(f.Updated), f.Content, strings.Join(f.Tags, " "), f.Type, f.Author)
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
		return fmt.Sprintf("[%s] %s, %s: %s", day(m.At), m.Place, map[string]string{"user": "you", "assistant": "answer"}[m.Role], m.Text)
	})
	section("Answers made for you", len(e.Answers), func(i int) string {
		a := e.Answers[i]
		return fmt.Sprintf("[%s] %s, %s, %s, %d tokens", day(a.At), a.Place, a.Category, a.Model, a.Tokens)
	})
	return b.String() + "\n"
}

// ExportPerson gathers everything about v's person. Only they, talking to the
// bot alone, and the owner at the machine may be given it: the caller sees to
// that.
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
	e.Facts = Records(list)
	if e.Tasks, err = s.Tasks(ctx, v, everything, 0); err != nil {
		return e, err
	}
	if e.Reminders, err = s.Reminders(ctx, v); err != nil {
		return e, err
	}
	if e.Journal, err = s.Log(ctx, v, LogQuery{Limit: everything}); err != nil {
		return e, err
	}
	rows, err := s.query("SELECT platform || ':' || channel, role, content, at FROM messages WHERE user_id = ? AND role <> 'tool' AND content <> '' ORDER BY id", user)
	if err != nil {
		return e, during("export", err)
	}
	if e.Messages, err = collect(rows, func(r *sql.Rows) (m SaidRecord, err error) {
		var at string
		err = r.Scan(&m.Place, &m.Role, &m.Text, &at)
		m.At = ParseStamp(at)
		return m, err
	}); err != nil {
		return e, during("export", err)
	}
	rows, err = s.query("SELECT platform || ':' || channel, category, model, total_tokens, at FROM decisions WHERE user_id = ? ORDER BY at", user)
	if err != nil {
		return e, during("export", err)
	}
	e.Answers, err = collect(rows, func(r *sql.Rows) (a AnswerRecord, err error) {
		var at string
		err = r.Scan(&a.Place, &a.Category, &a.Model, &a.Tokens, &at)
		a.At = ParseStamp(at)
		return a, err
	})
	return e, during("export", err)
}
