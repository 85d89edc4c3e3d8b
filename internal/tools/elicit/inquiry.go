// Package elicit puts the questions of tool servers to a person: one field at a
// time, in a chat. It does not know what a turn is, and stores nothing.
package elicit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
	"parley/internal/tools/elicit/fields"
)

// wordsFieldPick is said in more than one place.
const wordsFieldPick = "Please pick one."

// Inquiry is a question of a tool server that is answered field by field.
type Inquiry struct {
	tools.Inquiry
	values map[string]any
	at     int // of Fields
	put    time.Time
}

// New begins a question: nothing of it is answered yet.
func New(asks tools.Inquiry) *Inquiry { return &Inquiry{Inquiry: asks, values: map[string]any{}} }

// hear takes an answer; the reply is there when it was the last one. sorry says
// why an answer is none.
func (q *Inquiry) hear(p catalog.Printer, said chat.Said) (reply tools.Reply, sorry string) {
	if said.Stop {
		return tools.Reply{Action: tools.Cancel}, ""
	}
	if q.at == len(q.Fields) { // a page, or nothing but a yes
		switch {
		case said.No:
			return tools.Reply{Action: tools.Decline}, ""
		case said.Yes && q.URL != "":
			return tools.Reply{Action: tools.Accept}, ""
		case said.Yes:
			return tools.Reply{Action: tools.Accept, Values: q.values}, ""
		}
		return reply, ""
	}
	f := q.Fields[q.at]
	value, left, err := read(f, said)
	switch {
	case err != nil && said.No:
		return tools.Reply{Action: tools.Decline}, ""
	case err != nil:
		sorry, _ = p.Sentence(err)
		return reply, sorry
	case !left:
		q.values[f.Name] = value
	case f.Default != nil:
		q.values[f.Name] = f.Default
	}
	if q.at++; q.at == len(q.Fields) {
		return tools.Reply{Action: tools.Accept, Values: q.values}, ""
	}
	return reply, ""
}

// errDeclined is a no to a field that is no yes-or-no question.
var errDeclined = errors.New("no answer")

// read makes the value of an answer. left says that it is left out.
func read(f fields.Field, said chat.Said) (value any, left bool, err error) {
	switch {
	case said.Skip && !f.Required:
		return nil, true, nil
	case f.Kind == fields.Switch && said.Choice > 0:
		return said.Choice == 1, false, nil
	case f.Kind == fields.Switch && said.Text != "" && (said.Yes || said.No):
		return said.Yes, false, nil
	case f.Kind == fields.Switch:
		return nil, false, text.Tell(wordsFieldPick)
	case said.Choice > 0 && said.Choice <= len(f.Options):
		return f.Options[said.Choice-1].Value, false, nil
	case said.No && (said.Text == "" || len(f.Options) == 0):
		return nil, false, errDeclined
	}
	value, err = f.Read(said.Text)
	return value, false, err
}

// maxChoices is for how many choices there are buttons.
const maxChoices = 10

// Ask words what is asked now, and says how it is answered.
func (q *Inquiry) Ask(p catalog.Printer, direct bool) (string, *chat.Form) {
	server := text.Literal(q.Server)
	head := p.Say("**%s** asks you something.", server)
	if q.Message != "" {
		head = p.Say("**%s** asks you: %s", server, text.Literal(q.Message))
	}
	switch {
	case q.URL != "":
		host := text.Host(q.URL)
		return head + "\n" + p.Say("It wants you to open a page on **%s**:\n%s\nOpen it only if you expect that. Answer yes if you do, else no.", text.Literal(host), text.Literal(q.URL)), &chat.Form{Consent: true, Page: q.URL, Host: host}
	case q.at == len(q.Fields):
		return head + "\n" + p.Text("Do you agree?"), &chat.Form{Consent: true}
	}
	f := q.Fields[q.at]
	lines := []string{head, q.titled(p, f)}
	if q.at > 0 { // the first has told the rest
		lines = lines[1:]
	}
	shown := &chat.Form{Skip: !f.Required}
	if f.Kind == fields.Switch {
		shown.Choices = []string{p.Text("Yes"), p.Text("No")}
	}
	for i, o := range f.Options {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text.Literal(text.Shorten(o.Label, 100))))
		if f.Kind == fields.Choice && len(f.Options) <= maxChoices {
			shown.Choices = append(shown.Choices, text.Shorten(o.Label, 40))
		}
	}
	tail := strings.Join(answering(p, f), " ") + "\n" + where(p, direct)
	if q.at == 0 {
		tail += " " + p.Say("_What you answer goes to %s. Do not send passwords or keys: a tool server may not ask for them here._", server)
	}
	if len(f.Options) > 0 { // below a list, and not of it
		tail = "\n" + tail
	}
	return strings.Join(append(lines, tail), "\n"), shown
}

// titled is a field as people read it.
func (q *Inquiry) titled(p catalog.Printer, f fields.Field) string {
	line := "**" + text.Literal(f.Title) + "**"
	if len(q.Fields) > 1 {
		line = p.Say("_%d of %d:_ ", q.at+1, len(q.Fields)) + line
	}
	if f.About != "" && f.About != f.Title {
		line += ": " + text.Literal(f.About)
	}
	return line
}

// answering says how a field is answered.
func answering(p catalog.Printer, f fields.Field) []string {
	list := []string{p.Text("Please write your answer.")}
	switch f.Kind {
	case fields.Choice, fields.Switch:
		list[0] = p.Text(wordsFieldPick)
	case fields.Choices:
		list[0] = p.Text("Please write the numbers of all that fit, such as 1, 3.")
	}
	switch given := f.Shown(f.Default); {
	case f.Required:
	case given == "":
		list = append(list, p.Text("To leave it out, say skip."))
	default:
		list = append(list, p.Say("To leave it out, say skip; it is then “%s”.", text.Literal(text.ShortenWords(given, 100))))
	}
	if f.Kind != fields.Switch {
		list = append(list, p.Text("To give no answer at all, say no."))
	}
	return list
}

// where says which words are the answer.
func where(p catalog.Printer, direct bool) string {
	if direct {
		return p.Text("_Your next message here is the answer, unless it is a command; /stop leaves it._")
	}
	return p.Text("_Reply to this message, or mention me: that is the answer. Everybody here can read it._")
}

// Open holds the questions that wait for a person, by name. They wait in memory with
// their calls: a restart ends both.
type Open struct {
	Now func() time.Time // the clock; required

	mu   sync.Mutex // guards open and what is in it
	open map[string]*Inquiry
}

// Add keeps an inquiry until it is answered, and names it.
func (i *Open) Add(q *Inquiry) (name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open == nil {
		i.open = map[string]*Inquiry{}
	}
	name = rand.Text()
	i.open[name] = q
	q.put = i.Now()
	return name
}

// Take ends an inquiry here; nil where there is none of that name.
func (i *Open) Take(name string) *Inquiry {
	i.mu.Lock()
	defer i.mu.Unlock()
	q := i.open[name]
	delete(i.open, name)
	return q
}

// Drop tells the server that nobody answers. It does not wait for a reaction.
func (i *Open) Drop(name string) {
	if q := i.Take(name); q != nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, _ = q.Go(tools.Reply{Action: tools.Cancel}).Call(ctx, tools.Call{})
	}
}

// Expire drops questions that have waited for life. Another process may have noticed
// before.
func (i *Open) Expire(life time.Duration) {
	i.mu.Lock()
	var late []string
	for name, q := range i.open {
		if i.Now().Sub(q.put) >= life {
			late = append(late, name)
		}
	}
	i.mu.Unlock()
	for _, name := range late {
		i.Drop(name)
	}
}

// Fill takes a person's answer to an open question. Say is their next question, with
// form; without it they have answered everything, in reply. A question that is gone
// counts as cancelled. direct means that nobody else reads it.
func (i *Open) Fill(p catalog.Printer, name string, direct bool, said chat.Said) (say string, form *chat.Form, reply tools.Reply) {
	i.mu.Lock()
	defer i.mu.Unlock()
	q := i.open[name]
	if q == nil {
		return "", nil, tools.Reply{Action: tools.Cancel}
	}
	q.put = i.Now()
	reply, sorry := q.hear(p, said)
	if reply.Action != "" {
		return "", nil, reply
	}
	say, form = q.Ask(p, direct)
	if sorry != "" {
		say = sorry + "\n\n" + say
	}
	return say, form, reply
}
