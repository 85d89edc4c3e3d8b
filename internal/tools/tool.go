// Package tools holds what the model may do: the Tool interface, immutable Sets of
// tools, and a Runner that makes sure that nothing a model or a tool does can break
// a turn. It does not decide when a tool is called (the agent's loop does) and does
// not ask people anything (it reports that a question is needed).
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// Tool is one capability. Spec returns the same value every time. Call may be
// called from many goroutines; Args have been validated against Spec by Run.
// It returns when ctx ends; one that does not is abandoned (see Runner). Its
// error goes to the log and to the model: it holds no secrets and no text from
// outside. A Result given with an error is shown to the model below it.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, c Call) (Result, error)
}

// Call is one request of the model to run a tool, with the identity it runs under.
// Who, Where and Session come from the transport and never from Args.
type Call struct {
	ID   string          // the model's id of the call
	Name string          // the tool, as the model wrote it
	Args json.RawMessage // as the model wrote it until Run has validated it
	Who  chat.User
	// Where is the conversation; Direct is true if it has only one person in it.
	Where   chat.Key
	Direct  bool
	Guild   string // the enclosing server's id, "" for none
	Session string
	Message string // the platform's id of what Who said
	// Key is the same for every attempt at this step of this turn and for no
	// other ("turn:step"): a tool that writes uses it to write once.
	Key string
	Caller
	// ByHand is true if Who gave Args themselves: with a command or a form.
	ByHand bool
	// Confirmed is true if Who said yes to exactly this call.
	Confirmed bool
	// Allowed are the tool servers that Who said yes to for the rest of this task.
	Allowed []string
	// Taint is what the turn has read so far.
	Taint Taint
	// Said is what Who just typed, if the only other words around it are those of
	// other people in the same place; "" otherwise.
	Said string
	// Origin says whose words besides Who's are in Args, and how they came: a tool
	// that stores Args stores Origin with them.
	Origin provenance.Origin
}

// Caller is which agent makes a call.
type Caller struct {
	// Agent is "" for the main agent, else a subagent's name.
	Agent string
	// Memory is whose memory it reads and writes, where several agents share one bot.
	Memory chat.Agent
	// Operator is true for the owner at the machine, who sees and changes everybody's rows.
	Operator bool
	// Program is true for a program of Who's own, outside of the chat, which shows them what it did.
	Program bool
	// Author is who facts are by: user, assistant or system; "" is user.
	Author string
}

// CallOf returns a call that m's author makes with a command, without a model.
func CallOf(m chat.Message) Call {
	return Call{Who: m.From, Where: m.Key, Direct: m.Direct, Guild: m.Guild, Caller: Caller{Memory: m.Agent}, Message: m.ID,
		Key: "command:" + m.Key.String() + ":" + m.ID}
}

// Result is what a tool returns. Its fields go as they are to whatever reads them: the
// playbook, guards, citations, the transcript, people. Only what is written for a model
// is put into words and marks (ForModel).
type Result struct {
	Content string // its text, clean and of bounded size once the Runner returns it
	// JSON is what it gave as data, whole, of at most MaxJSON bytes. The Runner takes it
	// from Content where a tool leaves it nil; nil is none.
	JSON json.RawMessage
	// Cut is true if Content is only the beginning.
	Cut bool
	// Note is about Content and in our words: why the call failed all the same, or how
	// to cite it. "" says nothing.
	Note string
	// Files are pictures, recordings and documents. The person gets them with the answer,
	// and a model with vision sees the pictures. They count as coming from outside.
	Files []chat.File
	// Untrusted is true if Content comes from outside: it is data, and taints the
	// turn that reads it.
	Untrusted bool
	// Origin says whose words are in Content, and how they came. Words of others
	// than Who make it Untrusted; if it does not say how, the tool's Category
	// decides.
	Origin provenance.Origin
	// Private is true if only Who or this place may know Content.
	Private bool
	Sources []Source // what Content rests on, in the order of its numbers
	// Offer names tools to offer the model from its next call on.
	Offer []string
	Data  any // for the code that runs the turn; never shown to a model
}

// MaxJSON is the largest JSON of a Result, in bytes. Of more there is only Content.
const MaxJSON = 64 << 10

// Given returns what the call gave for code to read: its JSON, or else its text; "" if that
// is not whole.
func (r Result) Given() string {
	switch {
	case r.JSON != nil:
		return string(r.JSON)
	case r.Cut:
		return ""
	}
	return r.Content
}

// Told returns the note and the text, for people and for records.
func (r Result) Told() string { return strings.TrimSpace(r.Note + "\n" + r.Content) }

// found notes on a result that stored words are in it: whose they are and how they came
// then, and that they are what people said where they are not all of who.
func (r *Result) found(who string, o provenance.Origin) {
	if r.Origin = r.Origin.And(o); o.Outside(who) {
		r.Origin.Via |= provenance.ViaPerson
	}
}

// Source is a place a result rests on, for citations.
type Source struct {
	Kind    string // "note", "code", "web"
	ID      string
	Title   string
	Path    string
	URL     string
	Snippet string
	// Text is the part that the model was shown; never stored.
	Text  string
	Score float64 // higher is better; comparable within one result only
}

// Category groups tools for people.
type Category string

// The categories.
const (
	Vault  Category = "vault"
	Thread Category = "thread"
	Code   Category = "code"
	Web    Category = "web"
	About  Category = "meta"
	Task   Category = "task"
	Memory Category = "memory"
)

var categories = []Category{Vault, Thread, Code, Web, About, Task, Memory}

// Retry says how a failed call of a tool is repeated.
type Retry struct {
	Attempts   int           // 1-10, the first one included
	Delay      time.Duration // 10 ms-60 s before the second attempt
	Multiplier float64       // 1-10, of Delay from attempt to attempt
}

// DefaultTimeout is the deadline of an attempt when neither a tool's Meta nor
// its Runner names one.
const DefaultTimeout = 30 * time.Second

// MaxTimeout is the longest a Meta may ask for.
const MaxTimeout = 300 * time.Second

// Meta describes a tool. NewSet panics when a rule given here is broken.
type Meta struct {
	Name        string // ^[a-z][a-zA-Z0-9_-]{0,63}$, what every model vendor takes
	Description string // 1-500 characters, for the model
	// Words tell people what it does; "" has them read the beginning of Description.
	Words      string
	Category   Category // one of the constants
	Scope      []string // agents that may call it, "" being the main one; nil allows all
	ReadOnly   bool     // changes nothing: may run beside others and may be repeated
	SideEffect bool     // changes something: in a tainted turn it needs a person's yes
	Idempotent bool     // writes once per Call.Key, so it may be repeated
	// Keyed means that a second call with the same Key also answers as the first did: one
	// that was cut short is run again instead of leaving in doubt what became of it.
	Keyed bool
	// Rows means that all it does is change rows of the bot's own database, in the call or
	// with the answer: no file, no service, nothing that anybody sees before. Then what it did
	// is on the disk no sooner than that it was begun.
	Rows bool
	// Egress means that what the arguments say leaves this machine: to a page's host, a
	// service, a tool server. In a turn that holds private data, addresses in
	// them that the person did not name are asked about.
	Egress bool
	Trying // how long, and how often
	// Needed means that a turn ends, and says so, when a call of this tool was tried
	// and failed. Else the model reads what went wrong, and goes on.
	Needed  bool
	Lent    // who has the tool
	Consent // who is asked
	// Metadata are the owner's own notes on it, each "name: value"; no model reads them.
	Metadata []string `json:"-"`
	// Core tools are offered always; others on demand.
	Core bool
	// Refine narrows the schema that Func derives (enums, lengths); nil leaves it.
	Refine func(*jsonschema.Schema) `json:"-"`
}

// Consent says when a call needs a person's yes, and what they are asked.
type Consent struct {
	Confirm bool // always, whatever was read before
	// Asking is when the owner wants the question; "" leaves it to the tool.
	Asking Asking
	// Firm is true if each call is asked about, whatever was allowed for a task.
	Firm bool
	// Who is the lowest role that may use it, as the owner wants; "" is everyone, with what is
	// asked of strangers (Foreign).
	Who string
	// Over is true if the yes of whoever uses it is not enough: it takes an administrator of
	// the place, or the owner.
	Over bool
	// Public is the owner's word that its results are no secret, and that addresses in
	// them may be opened, like those of a search.
	Public bool
	// Claim is its server's word that it only reads; nil is none that needs a decision.
	// Decides is true if the person of this turn may take that word.
	Claim   Claim `json:"-"`
	Decides bool
	// Ask words the question when a yes is needed, with valid Args. An error means
	// that there is nothing to agree to, and replaces the question. nil leaves the
	// words to the agent.
	Ask func(ctx context.Context, c Call) (string, error) `json:"-"`
	// Own returns the significant words of a call that concerns only what belongs
	// to its caller and can be undone. If the caller has just typed these words,
	// no yes is needed because of other people's talk around it. "" and nil mean
	// that it is no such call.
	Own func(ctx context.Context, c Call) (string, error) `json:"-"`
}

// Claim is what a server says of its tool, that it only reads, for the owner to take or
// not. Its methods may be called from many goroutines.
type Claim interface {
	// Taken reports whether the owner has taken it, for the tool as it is now.
	Taken() bool
	// Take stores that the owner has.
	Take() error
}

// Asking is when a call needs a yes.
type Asking string

// When a call needs a yes.
const (
	AskNever   Asking = "never"
	AskOutside Asking = "outside" // when the turn has read what others wrote
	AskAlways  Asking = "always"
)

// Asks returns when a call of the tool needs a yes: as the owner wants, or else as
// the tool says.
func (m Meta) Asks() Asking {
	switch {
	case m.Asking != "":
		return m.Asking
	case m.Claim != nil && m.Claim.Taken():
		return AskNever
	case m.Claim != nil:
		return AskAlways
	case m.Confirm:
		return AskAlways
	case m.SideEffect:
		return AskOutside
	}
	return AskNever
}

// Trying is how long a tool is tried, and how often.
type Trying struct {
	Timeout time.Duration // 1-300 s for one attempt; 0 is the Runner's
	Retry   *Retry        // nil tries once; only with ReadOnly or Idempotent
}

// Lent describes a tool from a tool server; zero is one of ours.
type Lent struct {
	// Server is the tool server, as the operator named it; "" is one of ours. The
	// server wrote the description, so a turn that is offered the tool has read
	// text from outside.
	Server string
	// Hints are the server's claims about the tool; nil has none.
	Hints *Hints
}

// Spec is a Meta with the schema of the arguments: a JSON Schema of type object.
type Spec struct {
	Meta
	Parameters json.RawMessage
}

var nameForm = text.Pattern(`^[a-z][a-zA-Z0-9_-]{0,63}$`)

// Check reports which rule of Meta s breaks; nil if none.
func (s Spec) Check() error {
	describes := utf8.RuneCountInString(s.Description)
	switch {
	case !nameForm().MatchString(s.Name):
		return fmt.Errorf("tool %q: name must match %s", s.Name, nameForm())
	case describes < 1 || describes > 500:
		return fmt.Errorf("tool %s: description has %d characters, not 1-500", s.Name, describes)
	case !slices.Contains(categories, s.Category):
		return fmt.Errorf("tool %s: unknown category %q", s.Name, s.Category)
	case s.ReadOnly && (s.SideEffect || s.Confirm):
		return fmt.Errorf("tool %s: read-only and with a side effect", s.Name)
	case s.Timeout != 0 && (s.Timeout < time.Second || s.Timeout > MaxTimeout):
		return fmt.Errorf("tool %s: timeout %v is not within 1-300 s", s.Name, s.Timeout)
	case s.Retry != nil && !s.ReadOnly && !s.Idempotent:
		return fmt.Errorf("tool %s: retries need a read-only or idempotent tool", s.Name)
	}
	if r := s.Retry; r != nil {
		switch {
		case r.Attempts < 1 || r.Attempts > 10:
			return fmt.Errorf("tool %s: %d attempts are not within 1-10", s.Name, r.Attempts)
		case r.Delay < 10*time.Millisecond || r.Delay > time.Minute:
			return fmt.Errorf("tool %s: delay %v is not within 10-60000 ms", s.Name, r.Delay)
		case r.Multiplier < 1 || r.Multiplier > 10:
			return fmt.Errorf("tool %s: multiplier %v is not within 1-10", s.Name, r.Multiplier)
		}
	}
	return nil
}

type function[A any] struct {
	spec Spec
	call func(context.Context, Call, A) (Result, error)
}

// Func makes a tool from a function. The schema is derived from A, a struct:
// its json tags name the arguments (omitempty makes one optional), its
// jsonschema tags describe them. It panics when A has no schema or declares
// an argument that only the transport may fill.
func Func[A any](meta Meta, call func(context.Context, Call, A) (Result, error)) Tool {
	parameters, err := deriveSchema[A](meta.Refine)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", meta.Name, err))
	}
	return function[A]{Spec{meta, parameters}, call}
}

func (f function[A]) Spec() Spec { return f.spec }

func (f function[A]) Call(ctx context.Context, c Call) (Result, error) {
	var args A
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return Result{}, &ArgumentError{[]string{err.Error()}}
	}
	return f.call(ctx, c, args)
}
