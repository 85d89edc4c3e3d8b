// Package agent turns one message into one answer. It decides what goes to the model
// and in which order, which tools run, when to stop, and what the turn leaves in
// memory. It knows no platform, no SQL and no HTTP, and leaves no goroutine
// behind.
//
// There are three lifetimes: Agent lives as long as the process and never changes; a
// session is a row; a turn is made in Handle and thrown away.
package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed" // prompts
	"log/slog"
	"parley/internal/text/catalog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/agent/attachments"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/playbook"
	"parley/internal/text"
	"parley/internal/tools"
	"parley/internal/tools/elicit"
)

// Options of New. Store, Model and Runner are required.
type Options struct {
	Store  *memory.Store
	Model  llm.Model
	Runner *tools.Runner
	// Fallback answers plain requests for facts, tasks and the like while
	// Model is down, and fails with llm.ErrNone for all else; nil for none.
	Fallback llm.Model
	// Quick answers before Model is asked what it is certain of, and fails with
	// llm.ErrNone for all else; nil for none.
	Quick llm.Model
	// Tools returns the tools available now in m's place; servers come and go. nil is none.
	Tools func(ctx context.Context, m chat.Message) (tools.Set, error)
	// Await waits for the starting server of a tool that Tools did not return, and reports
	// whether it is there now. nil waits for none.
	Await func(ctx context.Context, tool string) bool
	// Confirm makes the question to m's author about calls that need a yes, together with
	// those already waiting; Resume takes the answer. nil refuses such calls.
	Confirm func(ctx context.Context, m chat.Message, p Parked, calls []Asked) (Question, error)
	Files   attachments.Files // what can be done with attachments
	Rules
	Notes
	Persona
	Sessions
	Limits

	Log *slog.Logger     // nil is silent
	Now func() time.Time // nil is time.Now
	// Failpoint is called with each crash point's name; tests kill the process
	// there. nil outside tests.
	Failpoint func(point string)
}

// Rules holds the owner's playbook and the model that decides its conditions.
type Rules struct {
	// Book returns the playbook in force; nil, or a nil Book, is none.
	Book func() *playbook.Book
	// BookModel decides natural-language conditions; nil uses Options.Model.
	BookModel llm.Model
	// Switches is the row of the rules switched from the chat; "" is the row of the only
	// agent, playbook.enabled.
	Switches string
	// NoBookModel uses only the conditions that need no model.
	NoBookModel bool
	// Role names a person's role at a place: owner, admin, member.
	Role func(ctx context.Context, m chat.Message) string
}

// Notes connects answers with retrieved passages.
type Notes struct {
	// Cite checks the marks of an answer against its sources, numbered from 1, and returns
	// it with marks in order, the numbers it cites, and what may be a mark and names none of
	// them. Text of a source is all that was shown of its document; "" if unknown. nil leaves
	// answers as they are.
	Cite func(answer string, list []tools.Source) (text string, numbers []int, unsure []string)
	// Disputes finds sources that contradict each other about a question, unless the answer
	// tells both sides; nil finds nothing.
	Disputes func(question, answer string, list []tools.Source) []Dispute
	// Prefetch fetches numbered passages that may fit a message before the
	// model is asked; nil for none.
	Prefetch func(ctx context.Context, m chat.Message) (tools.Result, error)
}

// Persona says who the assistant is.
type Persona struct {
	Name       string // what the assistant calls itself; "" is Parley
	PromptFile string // persona; "" is the built-in one
	ModelName  string // shown and recorded; SetModel changes it
}

// Sessions says how conversations begin, end and are remembered.
type Sessions struct {
	PerUser       bool // one session per person and channel
	DropSummaries bool // new sessions start without the last summary
	// Summarizer makes summaries; nil is Options.Model.
	Summarizer llm.Model
	// Learn lets summaries and ends of sessions remember what people said about
	// themselves.
	Learn bool
	// Beside runs work in the background, and what that returns, unless nil, in the lane of
	// a conversation. A nil Beside runs both at once.
	Beside func(k chat.Key, work func(context.Context) func(context.Context))
	// Kin is the agent's chat.Agent.Kin: what is learned is compared with its facts.
	Kin string
	// TTL is the silence after which a session ends; nil is always 1 h.
	TTL func() time.Duration
	// HandOver passes m's author on to people: it returns what to store, and what they are
	// told. Its errors may be shown to people; nil can pass nobody on.
	HandOver func(ctx context.Context, m chat.Message, h tools.HandOver, session string, calls []memory.CallRecord) (memory.Deed,
		string, error)
}

// Limits bound a message and its requests.
type Limits struct {
	MaxCalls    int // model calls per message, 1-30; 0 is 20
	History     int // raw messages sent, 1-1000; 0 is 20
	MaxMessages int // of a session kept in memory, 10-1000; 0 is 100
	TokenBudget int // 4000-128000; 0 is 16000
	ContextSize int // of the model; 0 is 32768
	// Window returns the most tokens a request to a model may have, as far as known; nil is
	// ContextSize.
	Window func(model string) int
	// Tokens is the size of a request as the model counts; nil is an estimate.
	Tokens func(llm.Request) int
}

// Agent answers messages. It is a chat.Handler, safe for many conversations at once, each of
// which must ask one thing at a time.
type Agent struct {
	o      Options
	prompt *promptFile
	model  atomic.Pointer[string]
	// readers holds a token for each message whose files are in memory.
	readers   chan struct{}
	folding   sync.Map // sessions being summarized, by id
	inquiries elicit.Open
	checkFor  time.Duration // longest check and rewrite of an answer
}

// New makes an Agent. It fails when the prompt file cannot be read.
func New(o Options) (*Agent, error) {
	o = withDefaults(o)
	p := &promptFile{path: o.PromptFile, name: o.Name}
	if err := p.load(); err != nil {
		return nil, err
	}
	a := &Agent{o: o, prompt: p, readers: make(chan struct{}, maxReaders), checkFor: checkFor, inquiries: elicit.Open{Now: o.Now}}
	a.SetModel(o.ModelName)
	return a, nil
}

func withDefaults(o Options) Options {
	o.MaxCalls = cmp.Or(o.MaxCalls, 20)
	o.History = cmp.Or(o.History, 20)
	o.MaxMessages = cmp.Or(o.MaxMessages, 100)
	o.TokenBudget = cmp.Or(o.TokenBudget, 16000)
	o.ContextSize = cmp.Or(o.ContextSize, 32768)
	o.Name = cmp.Or(o.Name, "Parley")
	o.Switches = cmp.Or(o.Switches, "playbook.enabled")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.TTL == nil {
		o.TTL = func() time.Duration { return time.Hour }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Summarizer == nil {
		o.Summarizer = o.Model
	}
	if o.Limits.Window == nil {
		size := o.ContextSize
		o.Limits.Window = func(string) int { return size }
	}
	if o.Limits.Tokens == nil {
		o.Limits.Tokens = func(r llm.Request) int { return int(llm.TraitsOf(r).At(llm.Usual)) }
	}
	if o.Tools == nil {
		o.Tools = func(context.Context, chat.Message) (tools.Set, error) { return tools.Set{}, nil }
	}
	if o.Book == nil {
		o.Book = func() *playbook.Book { return nil }
	}
	if o.Role == nil {
		o.Role = func(context.Context, chat.Message) string { return "" }
	}
	if o.Failpoint == nil {
		o.Failpoint = func(string) {}
	}
	return o
}

// SetModel makes later turns ask another model of the same endpoint; "" leaves the choice
// to the client.
func (a *Agent) SetModel(name string) { a.model.Store(&name) }

// ModelName returns the model that is asked now.
func (a *Agent) ModelName() string { return *a.model.Load() }

// ReloadPrompt reads the persona file now, not at the next message.
func (a *Agent) ReloadPrompt() error { return a.prompt.load() }

// Handle implements chat.Handler.
func (a *Agent) Handle(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	switch {
	case m.Kind == chat.KindEdit:
		edited := text.Clip(strings.TrimSpace(text.Plain(m.Text)), maxUsed)
		_, err := a.o.Store.EditMessage(ctx, m.Key, m.ReplyTo, edited, Ways(m))
		return chat.Answer{}, err
	case m.Kind == chat.KindButton, !m.Addressed && !m.Overhears():
		return chat.Answer{}, nil
	}
	return a.answer(ctx, m, w, true)
}

// Begin answers a message that only began a journey: with the journey's first step.
func (a *Agent) Begin(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	m.Kind = chat.KindCommand // the playbook does not read its words
	return a.answer(ctx, m, w, true)
}

// Ask answers one question without reading or writing a session; it knows the
// facts all the same.
func (a *Agent) Ask(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
	return a.answer(ctx, m, w, false)
}

func (a *Agent) answer(ctx context.Context, m chat.Message, w chat.Reply, session bool) (chat.Answer, error) {
	in, refusal := readInput(catalog.Of(ctx), m)
	if refusal != "" {
		return note(refusal, chat.Refused, chat.Invalid), nil
	}
	if in.text == "" && len(m.Files) == 0 {
		return chat.Answer{}, nil
	}
	if m.UID == "" { // not from the inbox
		m.UID = rand.Text()
	}
	in.chosen = catalog.IsChosen(ctx)
	t := a.newTurn(m, in, session)
	t.w = w
	endurance := chat.Kept(ctx, func() *llm.Endurance { return &llm.Endurance{} })
	return t.run(llm.Enduring(ctx, endurance, func(failed error) {
		if failed != nil {
			w.Status(in.p.Text("My model does not answer. I am trying again for a moment; commands work meanwhile."))
		}
		chat.Failing(ctx, failed != nil)
	}))
}

// note returns an answer that needed no turn.
func note(text string, how chat.Outcome, why chat.Reason) chat.Answer {
	return chat.Answer{Text: text, Record: chat.End{Outcome: how, Reason: why}}
}

// place returns where m's session lives.
func (a *Agent) place(m chat.Message) memory.Place {
	p := memory.Place{Key: m.Key, Agent: m.Agent.ID}
	if a.o.PerUser {
		p.User = m.From.ID
	}
	return p
}
