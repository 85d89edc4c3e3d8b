// Package console is the owner's control page: what happened and how things stand, in a
// browser, on loopback, behind a one-time link. It shows and changes facts, playbooks,
// agents and handoffs of a running bot. It decides nothing about the assistant and calls
// nothing outside; messages typed into its chat are handled like any other.
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
	"net/netip"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/modellog"
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
	wordsChat          = "Chat"
)

// Line is the state of one part of the bot.
type Line struct {
	Name, State string
	Ill         bool
}

// Playbook is a playbook as shown.
type Playbook struct {
	Problem  string // why the newest files are not in force
	Rules    []Rule
	Journeys []Journey
}

// Rule is a guideline.
type Rule struct {
	ID, When, Then string
	Canned, Reply  string // the fixed answer used instead of Then
	Priority       int
	Off            bool
}

// Journey is a conversation in steps; Start is the id of the first.
type Journey struct {
	ID, Name, Description, Trigger, Start string
	Steps                                 []Step
}

// Step is a step of a Journey.
type Step struct {
	ID, Name, Description string
	End                   bool
	To                    []Arrow
}

// Arrow leads to the step with this id; without a condition always.
type Arrow struct{ To, When string }

// Fact is a remembered fact with its history.
type Fact struct {
	ID, Number     string // the key of its row, and what its person calls it
	About, Text    string
	Type, By, Rank string // its kind, its author, how firmly it stands
	Agent          string // the memory of the agent that was told; shown as its name
	Name           string // of the person it is about
	Content        string // the fact alone
	At             time.Time
	History        []FactChange
}

// FactQuery selects facts.
type FactQuery struct {
	Words string
	Of    *Agent // nil for all agents
	Page  int    // counted from 1
}

// Agent is one of several agents; Memory is the id of its memory. The bot's own has no
// name.
type Agent struct{ Name, Memory string }

// FactChange is an earlier version of a fact, or what became of it.
type FactChange struct {
	By, Text string // valid until At
	At       time.Time
}

// Handoff is a conversation that people answer or should answer.
type Handoff struct {
	N                              int64
	Who, Place, State, Why, By, To string
	Opened, Due                    time.Time
	Taken                          bool
	Here                           bool // taken on the page
}

// Setting is a setting that can change while the bot runs.
type Setting struct{ Name, Value, Doc string }

// Views show what only the process knows. Status and Settings are required. They may block
// on nothing but the database, because a page waits for them.
type Views struct {
	Status   func(ctx context.Context) []Line
	Settings func() string // without secrets
	// Book is nil, or returns nil, without a playbook. A nil agent is the bot's own.
	Book func(ctx context.Context, of *Agent) (*Playbook, error)
	// Files returns the files of an agent's playbook; it is nil, or returns nil, without
	// one.
	Files func(of *Agent) *files.Folder
	// Switch turns an agent's rule on or off; known is false if it has no such rule. If it
	// is nil, the bot's own agent is told through the chat.
	Switch func(ctx context.Context, of *Agent, id string, on bool) (known bool, err error)
	// Agents lists the agents; it is nil, or returns none, if there is only one.
	Agents func() []Agent
	// Facts returns a page of facts; nil if there are none.
	Facts func(ctx context.Context, q FactQuery) (list []Fact, more bool, err error)
	// Operations returns those that have a form; may be nil.
	Operations func() []tools.Operation
	// Handoffs lists conversations that people answer or should answer; may be nil.
	Handoffs func(ctx context.Context) ([]Handoff, error)
	// Tunable lists settings that can change while the bot runs; may be nil.
	Tunable func() []Setting
	// Capture turns an answer, given by id, and what should have been said into a
	// rehearsal and returns its path; may be nil. A text.Error may be shown to people.
	Capture func(ctx context.Context, id, should string) (path string, err error)
	// Script returns the conversation up to an answer, given by id, as a rehearsal script;
	// may be nil. A text.Error may be shown to people.
	Script func(ctx context.Context, id string) (string, error)
	// Trial tries changes on the past; nil where none can be tried.
	Trial Trial
	// Persona returns the bot's persona and its file, "" for the built-in one; may be nil.
	Persona func() (words, file string, err error)
}

// Options of New. URL, Proxies, Calls and Currency are optional.
type Options struct {
	Listen string // listening address, with the real port
	// URL is where browsers find the page behind a proxy; "" for the listening address.
	URL string
	// Proxies are believed what they say of where requests come from.
	Proxies []netip.Prefix
	Name    string // the bot's name
	Store   *memory.Store
	Views   Views
	Calls   *modellog.Tape // nil if none are kept
	// Currency is the currency of costs, as written after amounts.
	Currency string
	Members  *MemberViews // nil has no pages for members
	Now      func() time.Time
	Log      *slog.Logger
}

// Page is the control page as an http.Handler.
type Page struct {
	// Chat is the owner's chat with the bot: give it to the hub.
	Chat *Chat
	// Members is the part for members; nil without one.
	Members *Members

	o       Options
	hosts   map[string]bool
	public  *public // nil without an address of its own
	local   bool    // only this machine can reach it
	cookie  string
	logins  *logins
	news    *news
	past    past
	mux     *routes
	beside  *http.ServeMux // what needs no login
	open    *http.ServeMux // what asks for a proof of its own
	guarded *http.ServeMux // so does this, of programs under our names
	sheets  *sheets
}

//go:embed assets templates
var assets embed.FS

// New makes the page. It serves until its server ends.
func New(o Options) *Page {
	hosts, port := addresses(o.Listen)
	p := &Page{
		o: o, hosts: hosts, public: outside(o.URL, port), beside: http.NewServeMux(),
		open: http.NewServeMux(), guarded: http.NewServeMux(), local: loopback(o.Listen), logins: &logins{now: o.Now,
			open: map[[32]byte]*login{}},
		cookie: "parley_" + port, // cookies ignore ports, and two bots may run here
		news:   &news{readers: map[*reader]bool{}}, mux: &routes{}, sheets: &sheets{currency: o.Currency,
			all: map[string]map[string]*template.Template{}},
	}
	p.Chat = &Chat{now: o.Now, changed: func() { p.news.tell(true) }}
	p.route()
	if o.Members != nil {
		p.Members = newMembers(p, *o.Members)
	}
	return p
}

// Address returns the listening address.
func (p *Page) Address() string { return p.o.Listen }

// Base returns where browsers find the page, with a slash at its end.
func (p *Page) Base() string {
	base, _ := Base(p.o.URL, p.o.Listen) // a listener's address is one
	return base
}

// Changed tells open pages that something happened.
func (p *Page) Changed() { p.news.tell(false) }

func (p *Page) route() {
	for _, name := range []string{"page.css", "page.js", "icon.svg", "icon-192.png", "icon-512.png"} {
		p.mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, assets, "assets/"+name)
		})
	}
	p.mux.HandleFunc("GET /page.webmanifest", p.manifest)
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
	if p.o.Views.Trial != nil {
		p.show("/tryout", "tryout", "What would have changed?", p.tryout)
		p.mux.Handle("POST /tryout", p.inside(p.tryIt))
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
	p.show("/chat", "chat", wordsChat, p.talk)
	if p.o.Views.Facts != nil {
		p.show("/facts", "facts", wordsFacts, p.facts)
	}
	p.mux.Handle("/", p.inside(func(w http.ResponseWriter, r *http.Request, _ *login) {
		p.refuse(w, r, http.StatusNotFound, "There is no such page.")
	}))
}

// routes is a ServeMux that knows its patterns.
type routes struct {
	http.ServeMux
	patterns []string
}

// Handle serves a pattern.
func (r *routes) Handle(pattern string, h http.Handler) {
	r.patterns = append(r.patterns, pattern)
	r.ServeMux.Handle(pattern, h)
}

// HandleFunc serves a pattern.
func (r *routes) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	r.Handle(pattern, http.HandlerFunc(h))
}

// errNone: the requested thing does not exist.
var errNone = errors.New("no such thing")

// show serves a page: view returns the body for the template named sheet.
func (p *Page) show(path, sheet, title string, view func(r *http.Request) (any, error)) {
	p.mux.Handle("GET "+path, p.inside(func(w http.ResponseWriter, r *http.Request, l *login) {
		title := catalog.Text(r.Context(), title)
		f := frame{Title: title, CSRF: l.csrf, Nav: p.nav(r, sheet)}
		body, err := view(r)
		if err != nil {
			p.fail(w, r, f, err)
			return
		}
		if t, ok := body.(titled); ok && t.title() != "" {
			f.Title = t.title()
		}
		f.Body = body
		select {
		case f.News = <-l.news:
		default:
		}
		p.write(w, r, sheet, f)
	}))
}

// fail explains, in a frame, why there is no page: nothing is there, a sentence for
// people, or a failure under its number in the log.
func (p *Page) fail(w http.ResponseWriter, r *http.Request, f frame, err error) {
	sentence, told := catalog.Sentence(r.Context(), err)
	switch {
	case errors.Is(err, errNone):
		p.refuse(w, r, http.StatusNotFound, wordsNoThing)
		return
	case told:
		f.Status, f.Body = http.StatusUnprocessableEntity, sentence
	case r.Context().Err() != nil: // the reader is gone
		return
	default:
		f.Status, f.Title, f.Body = http.StatusInternalServerError, catalog.Text(r.Context(), "Error"), p.broken(r, err)
	}
	p.write(w, r, "message", f)
}

// broken logs a failure under a number and returns a sentence with it.
func (p *Page) broken(r *http.Request, err error) string {
	id := chat.ErrorID()
	p.o.Log.Error("page", "id", id, "path", r.URL.Path, "err", err)
	return catalog.Say(r.Context(), wordsBrokenID, id)
}

// titled is a body with its own title; "" means the page's.
type titled interface{ title() string }

// frame is what surrounds the body of every page.
type frame struct {
	Status                       int // 0 is 200
	Title, Bot, CSRF, Lang, Here string
	Root, Self                   string // where relative links begin, and this page from there
	Part                         string // "me/" of members' pages, with what belongs to them; "" of the owner's
	Nav, Languages               []link // Nav is nil before login
	News                         string // result of a form
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
		{"/settings", wordsSettings, "settings tryout"}, {"/chat", wordsChat, "chat"},
	}
	var list []link
	for _, n := range all {
		if n.path != "/facts" || p.o.Views.Facts != nil {
			list = append(list, link{"." + n.path, catalog.Text(r.Context(), n.name), slices.Contains(strings.Fields(n.sheets), sheet)})
		}
	}
	return list
}

// write renders the whole page first: a mistake in a template must become an error, not
// half a page.
func (p *Page) write(w http.ResponseWriter, r *http.Request, sheet string, f frame) {
	spoken := catalog.Of(r.Context())
	f.Root, f.Self = root(r), "."+r.URL.RequestURI()
	if p.Members.serves(r) {
		f.Part = strings.TrimPrefix(memberRoot, "/")
	}
	f.Bot, f.Lang, f.Languages, f.Here = p.o.Name, spoken.Tag(), tongues(spoken), "/"
	if r.Method == http.MethodGet {
		f.Here = r.URL.RequestURI()
	}
	var b bytes.Buffer
	if err := p.sheets.in(spoken)[sheet].Execute(&b, f); err != nil {
		p.o.Log.Error("page", "template", sheet, "err", err)
		http.Error(w, spoken.Text("Something went wrong; the log has the details."), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(f.Status, http.StatusOK))
	_, _ = io.WriteString(w, text.Clean(b.String())) // the reader is gone
}
