package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/tools"
)

// inquiries are what tool servers ask people now, by names of ours. They wait in
// memory with their calls: a restart ends both. The zero inquiries is ready.
type inquiries struct {
	mu   sync.Mutex // guards open and what is in it
	open map[string]*inquiry
}

// inquiry is a question of a tool server that is answered field by field.
type inquiry struct {
	tools.Inquiry
	values map[string]any
	at     int // of Fields
}

func (i *inquiries) add(q *inquiry) (name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open == nil {
		i.open = map[string]*inquiry{}
	}
	name = rand.Text()
	i.open[name] = q
	return name
}

// take ends an inquiry here; nil where there is none of that name.
func (i *inquiries) take(name string) *inquiry {
	i.mu.Lock()
	defer i.mu.Unlock()
	q := i.open[name]
	delete(i.open, name)
	return q
}

// drop tells the server that nobody answers, and does not wait for what it makes
// of that.
func (i *inquiries) drop(name string) {
	if q := i.take(name); q != nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, _ = q.Go(tools.Reply{Action: tools.Cancel}).Call(ctx, tools.Call{})
	}
}

// Fill takes what a person has said to a question of a tool server. Say is what
// they are asked next, with form; without it they have said all, and reply is
// that. One that is no longer there is taken as all.
func (a *Agent) Fill(c Pending, m chat.Message, said chat.Said) (say string, form *chat.Form, reply tools.Reply) {
	a.inquiries.mu.Lock()
	defer a.inquiries.mu.Unlock()
	q := a.inquiries.open[c.Inquiry]
	if q == nil {
		return "", nil, tools.Reply{Action: tools.Cancel}
	}
	reply, sorry := q.hear(said)
	if reply.Action != "" {
		return "", nil, reply
	}
	say, form = q.ask(m.Direct)
	if sorry != "" {
		say = sorry + "\n\n" + say
	}
	return say, form, reply
}

// Drop ends a server's question that nobody has answered.
func (a *Agent) Drop(c Pending) { a.inquiries.drop(c.Inquiry) }

// hear takes an answer; the reply is there when it was the last one. sorry says
// why an answer is none.
func (q *inquiry) hear(said chat.Said) (reply tools.Reply, sorry string) {
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
		sorry, _ = text.ForPeople(err)
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

// errDeclined is what a no is where something else is asked.
var errDeclined = text.Tell("no answer")

// read makes the value of an answer. left says that it is left out.
func read(f tools.Field, said chat.Said) (value any, left bool, err error) {
	switch {
	case said.Skip && !f.Required:
		return nil, true, nil
	case f.Kind == tools.FieldSwitch && said.Choice > 0:
		return said.Choice == 1, false, nil
	case f.Kind == tools.FieldSwitch && said.Text != "" && (said.Yes || said.No):
		return said.Yes, false, nil
	case f.Kind == tools.FieldSwitch:
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

// ask words what is asked now, and says how it is answered.
func (q *inquiry) ask(direct bool) (string, *chat.Form) {
	server := text.Literal(q.Server)
	head := fmt.Sprintf(wordsInquiryNone, server)
	if q.Message != "" {
		head = fmt.Sprintf(wordsInquiry, server, text.Literal(q.Message))
	}
	switch {
	case q.URL != "":
		host := text.Host(q.URL)
		return head + "\n" + fmt.Sprintf(wordsPage, text.Literal(host), text.Literal(q.URL)), &chat.Form{Consent: true, Page: q.URL, Host: host}
	case q.at == len(q.Fields):
		return head + "\n" + wordsConsent, &chat.Form{Consent: true}
	}
	f := q.Fields[q.at]
	lines := []string{head, q.titled(f)}
	if q.at > 0 { // the first has told the rest
		lines = lines[1:]
	}
	form := &chat.Form{Skip: !f.Required}
	if f.Kind == tools.FieldSwitch {
		form.Choices = []string{wordsYes, wordsNo}
	}
	for i, o := range f.Options {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text.Literal(text.Shorten(o.Label, 100))))
		if f.Kind == tools.FieldChoice && len(f.Options) <= maxChoices {
			form.Choices = append(form.Choices, text.Shorten(o.Label, 40))
		}
	}
	tail := strings.Join(answering(f), " ")
	if q.at == 0 {
		tail += "\n" + where(server, direct)
	}
	if len(f.Options) > 0 { // below a list, and not of it
		tail = "\n" + tail
	}
	return strings.Join(append(lines, tail), "\n"), form
}

// titled is a field as people read it.
func (q *inquiry) titled(f tools.Field) string {
	line := "**" + text.Literal(f.Title) + "**"
	if len(q.Fields) > 1 {
		line = fmt.Sprintf(wordsFieldOf, q.at+1, len(q.Fields)) + line
	}
	if f.About != "" && f.About != f.Title {
		line += ": " + text.Literal(f.About)
	}
	return line
}

// answering says how a field is answered.
func answering(f tools.Field) []string {
	list := []string{wordsFieldFree}
	switch f.Kind {
	case tools.FieldChoice, tools.FieldSwitch:
		list[0] = wordsFieldPick
	case tools.FieldChoices:
		list[0] = wordsFieldSome
	}
	switch given := f.Shown(f.Default); {
	case f.Required:
	case given == "":
		list = append(list, wordsFieldSkip)
	default:
		list = append(list, fmt.Sprintf(wordsFieldLeft, text.Literal(text.ShortenWords(given, 100))))
	}
	if f.Kind != tools.FieldSwitch {
		list = append(list, wordsFieldNo)
	}
	return list
}

// where says who gets the answers.
func where(server string, direct bool) string {
	said := fmt.Sprintf(wordsFieldSecret, server)
	if !direct {
		said = wordsFieldOpen + " " + said
	}
	return said
}

// firstInquiry is the place of the first outcome that is a server's question; -1
// for none.
func firstInquiry(outcomes []tools.Outcome) int {
	for i, o := range outcomes {
		if o.Class == tools.NeedsInput {
			return i
		}
	}
	return -1
}

// oneInquiry leaves the first question of servers in a batch: a person is asked
// one thing at a time, and the others hear that nobody answers.
func (t *turn) oneInquiry(ctx context.Context, calls []llm.ToolCall, outcomes []tools.Outcome) {
	first := firstInquiry(outcomes)
	for i, o := range outcomes {
		if o.Class == tools.NeedsInput && i != first {
			outcomes[i] = t.unanswered(ctx, calls[i], o)
		}
	}
}

// unanswered goes on with a call as if its person had not answered.
func (t *turn) unanswered(ctx context.Context, c llm.ToolCall, o tools.Outcome) tools.Outcome {
	call := t.call(c)
	call.Confirmed = true
	for range 3 { // a server may ask again
		q, ok := o.Result.Data.(tools.Inquiry)
		if !ok || o.Class != tools.NeedsInput {
			return o
		}
		o = t.a.o.Runner.Run(ctx, tools.NewSet(q.Go(tools.Reply{Action: tools.Cancel})), call)
	}
	return unasked(o, wordsTooManyToAsk)
}

// inquired is the question of a server among outcomes, to be put to the person.
func (t *turn) inquired(calls []llm.ToolCall, outcomes []tools.Outcome) []Asked {
	i := firstInquiry(outcomes)
	if i < 0 {
		return nil
	}
	asks, ok := outcomes[i].Result.Data.(tools.Inquiry)
	if !ok {
		return nil
	}
	q := &inquiry{Inquiry: asks, values: map[string]any{}}
	say, form := q.ask(t.m.Direct)
	spec, _ := t.tools.set.Lookup(calls[i].Name)
	c := t.call(calls[i])
	p := Pending{Tool: calls[i].Name, Args: string(outcomes[i].Args), Key: c.Key, CallID: calls[i].ID, Row: t.m.Row, Origin: c.Origin, Inquiry: t.a.inquiries.add(q)}
	if was, ok := t.tools.agreed[calls[i].ID]; ok {
		p.CallID, p.Row = was.CallID, was.Row
	}
	return []Asked{{Say: say, Spec: spec, Call: p, Form: form}}
}
