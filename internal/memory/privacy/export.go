package privacy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/memory/agenda"
	"parley/internal/memory/facts"
	"parley/internal/memory/handoff"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

// Person is everything that is stored about one.
type Person struct {
	User string    `json:"user"`
	At   time.Time `json:"at"`
	Ways
	Playbook  string            `json:"playbook,omitempty"`  // what rules keep of them
	Playbooks []string          `json:"playbooks,omitempty"` // of other agents, each with its name
	Facts     []facts.Record    `json:"facts"`
	Tasks     []agenda.Task     `json:"tasks"`
	Reminders []agenda.Reminder `json:"reminders"`
	Journal   []agenda.LogEntry `json:"journal"`
	Messages  []Message         `json:"messages"`
	Answers   []Answer          `json:"answers"`
	Calls     []Call            `json:"calls"`     // of tools, for those answers
	Earlier   []string          `json:"earlier"`   // what facts said before
	Proposed  []string          `json:"proposed"`  // what waits for their word before it is a fact
	Handoffs  []handoff.Record  `json:"handoffs"`  // to people
	Decisions []Decision        `json:"decisions"` // that they made, or in those conversations
	Sessions  []Session         `json:"sessions"`  // conversations with them alone, summed up
}

// Ways are how the person wants to be spoken to.
type Ways struct {
	TimeZone  string    `json:"time_zone,omitempty"`
	Languages Languages `json:"languages,omitzero"`
	Voice     string    `json:"voice,omitempty"` // when they want answers spoken
}

// Languages are the tags of the languages that the person speaks.
type Languages struct {
	Chosen string `json:"chosen,omitempty"`
	Heard  string `json:"heard,omitempty"` // as their platform or their messages had it
}

// Message is a message of the person, or an answer to it.
type Message struct {
	Place    string          `json:"place"`
	Agent    string          `json:"agent,omitempty"` // that was talked to, where there are several
	Role     string          `json:"role"`
	Name     string          `json:"name,omitempty"`
	Text     string          `json:"text"`
	Attached string          `json:"attached,omitempty"` // names and texts of files
	Calls    json.RawMessage `json:"calls,omitempty"`    // what the answer asked of tools
	At       time.Time       `json:"at"`
}

// Session is what is kept of a conversation as a whole.
type Session struct {
	Place    string          `json:"place"`
	Agent    string          `json:"agent,omitempty"`
	Title    string          `json:"title,omitempty"`
	Summary  string          `json:"summary,omitempty"`
	Closing  string          `json:"closing,omitempty"`
	Mentions json.RawMessage `json:"mentions"`
	Playbook string          `json:"playbook,omitempty"`
	Page     json.RawMessage `json:"page"` // lines that later ones carry
}

// Decision is something that was decided in a conversation.
type Decision struct {
	Place string     `json:"place"`
	Agent string     `json:"agent,omitempty"`
	Text  string     `json:"text"`
	By    string     `json:"by,omitempty"` // who said it, if that is known
	Name  string     `json:"name,omitempty"`
	At    time.Time  `json:"at"`
	Until *time.Time `json:"until,omitempty"` // since when it does not hold
}

// String returns the decision as a line of the export.
func (d Decision) String() string {
	held := ""
	if d.Until != nil {
		held = ", until " + d.Until.UTC().Format(time.DateOnly)
	}
	return strings.TrimSpace(fmt.Sprintf("[%s] %s (%s%s) %s", d.At.UTC().Format(time.DateOnly), d.Text, d.Place, held, d.Name))
}

// Answer is what was recorded about answering.
type Answer struct {
	Place   string    `json:"place"`
	Agent   string    `json:"agent,omitempty"`
	Outcome string    `json:"outcome"`
	Model   string    `json:"model,omitempty"`
	Tokens  int       `json:"tokens"`
	At      time.Time `json:"at"`

	Detail json.RawMessage `json:"detail"` // why it is as it is
}

// Markdown returns the export as a text to read.
func (e Person) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What is stored about %s\n\nAs of %s.", e.User, e.At.Format(time.RFC1123))
	if e.TimeZone != "" {
		fmt.Fprintf(&b, " Time zone: %s.", e.TimeZone)
	}
	if tag := cmp.Or(e.Languages.Chosen, e.Languages.Heard); tag != "" {
		fmt.Fprintf(&b, " Language: %s.", tag)
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
		return fmt.Sprintf("[%s] %s %s%s (%s, by %s, %s)", day(f.Updated), f.Content, strings.Join(f.Tags, " "),
			facts.Until(catalog.Printer{}, facts.Fact{Ends: f.Ends}, e.At), f.Type, f.Author, f.Rank)
	})
	section("Tasks", len(e.Tasks), func(i int) string {
		t := e.Tasks[i]
		return fmt.Sprintf("[%s] %s%s", day(t.Created), t.Description, map[bool]string{true: " (done)"}[t.Done])
	})
	section("Reminders", len(e.Reminders), func(i int) string {
		rhythm := ""
		if schedule := e.Reminders[i].Schedule; schedule != "" {
			rhythm = " (" + times.Rhythm(schedule, catalog.Printer{}) + ")"
		}
		return fmt.Sprintf("[%s] %s%s", day(e.Reminders[i].Due), e.Reminders[i].Text, rhythm)
	})
	section("Journal", len(e.Journal), func(i int) string {
		l := e.Journal[i]
		return fmt.Sprintf("[%s] %s (%s, by %s)", day(l.At), l.Content, l.Type, l.Author)
	})
	section("Decisions", len(e.Decisions), func(i int) string { return e.Decisions[i].String() })
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
	section("What waits for your word", len(e.Proposed), func(i int) string { return e.Proposed[i] })
	section("What facts said before", len(e.Earlier), func(i int) string { return e.Earlier[i] })
	section("What tools did for you", len(e.Calls), func(i int) string {
		c := e.Calls[i]
		return fmt.Sprintf("%s(%s), %s: %s", c.Name, c.Arguments, c.Status, c.Result)
	})
	return b.String() + "\n"
}

// Call is the audit of one tool call.
type Call struct {
	CallID    string
	Name      string
	Arguments string
	Result    string
	Status    string
	Class     string // why it failed or was not run, as tools.Class; "" when it succeeded
	Retries   int
	Took      time.Duration
}
