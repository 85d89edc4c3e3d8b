// Package console is the owner's control page: what happened and how things stand, in a
// browser, on loopback, behind a one-time link. It shows and changes facts, playbooks,
// agents and handoffs of a running bot. It decides nothing about the assistant and asks
// nothing of the outside; what is typed into its chat goes the way of every message.
package console

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/search"
	"parley/internal/playbook/files"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	wordsOverview      = "Overview"
	wordsConversations = "Conversations"
	wordsSessions      = "Sessions"
	wordsFacts         = "Facts"
	wordsPlaybook      = "Playbook"
	wordsPeople        = "People"
	wordsSettings      = "Settings"
	wordsTryIt         = "Try it"
)

// Codes keeps hashes of one-time codes and counts guesses at them.
type Codes interface {
	AddCode(ctx context.Context, purpose string, hash []byte, who chat.User, until time.Time) error
	TakeCode(ctx context.Context, purpose string, hash []byte) (who chat.User, ok bool, err error)
	Try(ctx context.Context, user string, limit int, window time.Duration) (bool, error)
	Forgive(ctx context.Context, user string) error
}

// Line says how one part of the bot is doing.
type Line struct {
	Name, State string
	Ill         bool
}

// Playbook is how a playbook is shown.
type Playbook struct {
	Problem  string // why its newest files are not in force
	Rules    []Rule
	Journeys []Journey
}

// Rule is a guideline.
type Rule struct {
	ID, When, Then string
	Canned, Reply  string // what it has said, in place of Then
	Priority       int
	Off            bool
}

// Journey is a conversation of several steps; Start is the id of the first.
type Journey struct {
	ID, Name, Description, Trigger, Start string
	Steps                                 []Step
}

// Step is one of them.
type Step struct {
	ID, Name, Description string
	End                   bool
	To                    []Arrow
}

// Arrow leads to the step of that id; without a condition always.
type Arrow struct{ To, When string }

// Fact is something that is known, with what was thought before.
type Fact struct {
	ID, About, Text string
	Type, By, Rank  string // what it is, who wrote it, how firmly it stands
	Agent           string // the memory of who was told; shown as its name
	Name            string // of whom it is about
	Content         string // the fact alone
	At              time.Time
	History         []FactChange
}

// FactQuery says which facts are wanted.
type FactQuery struct {
	Words string
	Of    *Agent // nil is those of all
	Page  int    // counted from 1
}

// Agent is one of several, by its name and by the id of its memory; the name "" is the
// bot's own.
type Agent struct{ Name, Memory string }

// FactChange is one earlier form of a fact, or what became of it.
type FactChange struct {
	By, Text string // until At
	At       time.Time
}

// Handoff is a conversation that people answer, or are to.
type Handoff struct {
	N                              int64
	Who, Place, State, Why, By, To string
	Opened, Due                    time.Time
	Taken                          bool
	Here                           bool // it is answered on the page
}

// Setting can be changed while the bot runs.
type Setting struct{ Name, Value, Doc string }

// Views are what only the process knows. Status and Settings are required. None
// of them may block on anything but the database: a page waits for them.
type Views struct {
	Status   func(ctx context.Context) []Line
	Settings func() string // without secrets
	// Book is nil, or returns nil, when there is no playbook. A nil agent is the bot's own.
	Book func(ctx context.Context, of *Agent) (*Playbook, error)
	// Files are those of an agent's playbook; nil, or returning nil, for none.
	Files func(of *Agent) *files.Folder
	// Switch turns a rule of an agent on or off; known is false where it has no such rule.
	// With nil it goes through the chat, where the bot's own agent answers.
	Switch func(ctx context.Context, of *Agent, id string, on bool) (known bool, err error)
	// Agents lists those there are; nil, or returning none, where there is one.
	Agents func() []Agent
	// Facts lists a page of them; nil when there are none.
	Facts func(ctx context.Context, q FactQuery) (list []Fact, more bool, err error)
	// Operations are those that have a form; nil is none.
	Operations func() []tools.Operation
	// Handoffs lists the conversations that people answer, or are to; nil is none.
	Handoffs func(ctx context.Context) ([]Handoff, error)
	// Tunable are the settings that can be changed while the bot runs; nil is none.
	Tunable func() []Setting
	// Capture makes a test of an answer, by its id, and of what should have come of it,
	// and returns its path; nil where it cannot. A text.Error can be told to people.
	Capture func(ctx context.Context, id, should string) (path string, err error)
	// Script returns the conversation that led to an answer, by its id, as a script that
	// can be played; nil where it cannot. A text.Error can be told to people.
	Script func(ctx context.Context, id string) (string, error)
}

// Options of New. Listen, Store, Browse and Views are required.
type Options struct {
	Listen string // the address that is listened on, with the real port
	Name   string // the bot's
	Store  *memory.Store
	Views  Views
	Calls  Calls // of models; nil where none are kept
	Browse *search.Shelf
	// Currency is that of what model calls cost, as it stands behind amounts.
	Currency string
	Now      func() time.Time // nil is time.Now
	Log      *slog.Logger     // nil discards
}

// Page is the control page as an http.Handler.
type Page struct {
	// Chat is where the owner talks to the bot: hand it to the hub.
	Chat *Chat

	o      Options
	hosts  map[string]bool
	local  bool // nobody but this machine reaches it
	cookie string
	logins *logins
	news   *news
	past   past
	mux    *http.ServeMux
	sheets *sheets
}

//go:embed assets templates
var assets embed.FS

// New makes the page. It serves until its server ends.
func New(o Options) *Page {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	hosts, port := addresses(o.Listen)
	p := &Page{
		o: o, hosts: hosts, local: loopback(o.Listen), logins: &logins{now: o.Now, open: map[[32]byte]*login{}},
		cookie: "parley_" + port, // cookies do not tell ports apart, and two bots may run here
		news:   &news{readers: map[*reader]bool{}}, mux: http.NewServeMux(), sheets: &sheets{currency: o.Currency,
			all: map[string]map[string]*template.Template{}},
	}
	p.Chat = &Chat{now: o.Now, changed: func() { p.news.tell(true) }}
	p.routes()
	return p
}

// Address returns where the page is listened on.
func (p *Page) Address() string { return p.o.Listen }

// Changed tells open pages that something happened.
func (p *Page) Changed() { p.news.tell(false) }

func (p *Page) routes() {
	for _, name := range []string{"page.css", "page.js", "icon.svg"} {
		p.mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, assets, "assets/"+name)
		})
	}
	p.mux.HandleFunc("GET /login", p.loginForm)
	p.mux.HandleFunc("POST /login", p.logIn)
	p.mux.HandleFunc("POST /language", p.choose)
	p.mux.Handle("POST /logout", p.inside(p.logOut))
	p.mux.Handle("GET /events", p.inside(p.events))
	p.mux.Handle("POST /chat", p.inside(p.say))
	if p.o.Views.Capture != nil {
		p.mux.Handle("POST /rehearse", p.inside(p.rehearse))
	}
	p.mux.Handle("POST /do", p.inside(p.do))
	if p.o.Views.Files != nil {
		p.show("/rules/{name}", "rules", "Rules", p.ruleFile)
		p.mux.Handle("POST /rules/{name}", p.inside(p.saveRules))
	}
	p.show("/people", "people", wordsPeople, p.people)
	p.show("/letters", "letters", "Put aside", p.letters)
	p.show("/{$}", "overview", wordsOverview, p.overview)
	p.show("/conversations", "conversations", wordsConversations, p.conversations)
	p.show("/conversation", "conversation", "Conversation", p.conversation)
	p.show("/sessions", "sessions", wordsSessions, p.sessions)
	p.show("/turns/{id}", "turn", "A message", p.turnOf)
	p.show("/calls/{id}", "call", "A model call", p.call)
	p.mux.Handle("GET /calls/{id}/{which}", p.inside(p.body))
	if p.o.Views.Script != nil {
		p.show("/turns/{id}/script", "script", "As a rehearsal", p.script)
	}
	p.show("/sessions/{id}", "session", "Session", p.session)
	p.show("/playbook", "playbook", wordsPlaybook, p.playbook)
	p.show("/settings", "settings", wordsSettings, p.settings)
	p.show("/chat", "chat", wordsTryIt, p.talk)
	if p.o.Views.Facts != nil {
		p.show("/facts", "facts", wordsFacts, p.facts)
	}
	p.mux.Handle("/", p.inside(func(w http.ResponseWriter, r *http.Request, _ *login) {
		p.refuse(w, r, http.StatusNotFound, "There is no such page.")
	}))
}

// errNone is what a view returns when the thing asked for is not there.
var errNone = errors.New("no such thing")

// show serves a page: its view fills the template of that name.
func (p *Page) show(path, sheet, title string, view func(r *http.Request) (any, error)) {
	p.mux.Handle("GET "+path, p.inside(func(w http.ResponseWriter, r *http.Request, l *login) {
		title := catalog.Text(r.Context(), title)
		body, err := view(r)
		sentence, told := catalog.Sentence(r.Context(), err)
		switch {
		case errors.Is(err, errNone):
			p.refuse(w, r, http.StatusNotFound, wordsNoThing)
		case told:
			p.write(w, r, "message", frame{Status: http.StatusUnprocessableEntity, Title: title, CSRF: l.csrf, Nav: p.nav(r, sheet), Body: sentence})
		case err != nil && r.Context().Err() == nil:
			id := chat.ErrorID()
			p.o.Log.Error("page", "id", id, "path", r.URL.Path, "err", err)
			p.write(w, r, "message", p.broken(r, id))
		case err == nil:
			if t, ok := body.(titled); ok && t.title() != "" {
				title = t.title()
			}
			f := frame{Title: title, CSRF: l.csrf, Nav: p.nav(r, sheet), Body: body}
			select {
			case f.News = <-l.news:
			default:
			}
			p.write(w, r, sheet, f)
		}
	}))
}

// broken says that something went wrong, under its number in the log.
func (p *Page) broken(r *http.Request, id string) frame {
	return frame{Status: http.StatusInternalServerError, Title: catalog.Text(r.Context(), wordsError),
		Body: catalog.Say(r.Context(), wordsBrokenID, id)}
}

// titled is a body with a title of its own; "" is that of its page.
type titled interface{ title() string }

// frame is what every page has around its body.
type frame struct {
	Status                       int // 0 is 200
	Title, Bot, CSRF, Lang, Here string
	Nav, Languages               []link // Nav is nil outside a login
	News                         string // what came of a form
	Body                         any
}

type link struct {
	Path, Name string
	Here       bool
}

func (p *Page) nav(r *http.Request, sheet string) []link {
	all := []struct{ path, name, sheets string }{
		{"/", wordsOverview, "overview"}, {"/conversations", wordsConversations, "conversations conversation turn call script"},
		{"/sessions", wordsSessions, "sessions session"}, {"/facts", wordsFacts, "facts"}, {"/playbook", wordsPlaybook, "playbook rules"},
		{"/people", wordsPeople, "people letters"},
		{"/settings", wordsSettings, "settings"}, {"/chat", wordsTryIt, "chat"},
	}
	var list []link
	for _, n := range all {
		if n.path != "/facts" || p.o.Views.Facts != nil {
			list = append(list, link{n.path, catalog.Text(r.Context(), n.name), hasWord(n.sheets, sheet)})
		}
	}
	return list
}

// write renders before the first byte is sent, so that a mistake in a template
// is an error and not half a page.
func (p *Page) write(w http.ResponseWriter, r *http.Request, sheet string, f frame) {
	spoken := catalog.Of(r.Context())
	f.Bot, f.Lang, f.Languages, f.Here = p.o.Name, spoken.Tag(), tongues(spoken), "/"
	if r.Method == http.MethodGet {
		f.Here = r.URL.RequestURI()
	}
	var b bytes.Buffer
	if err := p.sheets.in(spoken)[sheet].Execute(&b, f); err != nil {
		p.o.Log.Error("page", "template", sheet, "err", err)
		http.Error(w, spoken.Text(wordsBroken), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	_, _ = io.WriteString(w, text.Clean(b.String())) // the reader is gone
}
