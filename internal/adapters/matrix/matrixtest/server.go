// Package matrixtest fakes a homeserver of Matrix at the wire, as nasty as real ones: it cuts
// timelines short, tells things twice, forgets transactions, limits rates, fails before and
// after it did what it was asked, and breaks connections. It is for tests only.
package matrixtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/text/waittest"
)

// Token and Bot are the bot's.
const (
	Token = "syt_Ym90_ABCDEFGHIJKLMNOPQRST_012345"
	Bot   = "@bot:example.org"
)

// Server is the fake. Its methods may be called from several goroutines.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex // guards the rest
	changed chan struct{}
	events  []*Event // all of them, in order; the position of one is its index + 1
	rooms   map[string]*room
	txns    map[string]string // event ids, by room and transaction
	direct  json.RawMessage
	media   map[string][]byte
	faults  []*Fault
	calls   []Call
	typing  map[string]bool
	read    map[string]string
	again   []*Event
	limit   int // of a timeline; 0 is what the client asks for
	refused bool
	first   map[string]any // answers to syncs without a beginning, by request: real servers keep them for minutes
	base    int            // added to positions, so that a new server knows no old tokens
}

// Event is one event of a room.
type Event struct {
	ID       string         `json:"event_id"`
	Room     string         `json:"-"`
	Type     string         `json:"type"`
	Sender   string         `json:"sender"`
	StateKey *string        `json:"state_key,omitempty"`
	At       int64          `json:"origin_server_ts"`
	Content  map[string]any `json:"content"`
	Redacts  string         `json:"redacts,omitempty"`
	Unsigned map[string]any `json:"unsigned,omitempty"`
	at       int
}

type room struct {
	state   map[string]*Event // by type and key
	members map[string]string // memberships
}

// Call is a request that was made.
type Call struct{ Method, Path, Body string }

// Fault makes requests fail.
type Fault struct {
	Method, Path string // Path is a piece of it
	Status       int
	Code         string
	After        bool          // does what was asked first
	Cut          bool          // breaks the connection instead of answering
	Page         bool          // answers with a page
	Wait         time.Duration // that the answer asks for
	Times        int           // 0 is once
}

// New starts a server.
func New() *Server {
	s := &Server{changed: make(chan struct{}), rooms: map[string]*room{}, txns: map[string]string{}, media: map[string][]byte{},
		typing: map[string]bool{}, read: map[string]string{}, first: map[string]any{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close stops it.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is its address.
func (s *Server) URL() string { return s.http.URL }

func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// locked runs f under the lock.
func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// add appends an event. The lock is held.
func (s *Server) add(e *Event) *Event {
	e.at = len(s.events) + 1
	e.ID, e.At = fmt.Sprintf("$event%d", e.at), time.Now().UnixMilli()
	if e.Content == nil {
		e.Content = map[string]any{}
	}
	r := s.rooms[e.Room]
	if e.StateKey != nil {
		key := e.Type + "|" + *e.StateKey
		if was := r.state[key]; was != nil {
			e.Unsigned = map[string]any{"prev_content": was.Content}
		}
		r.state[key] = e
		if e.Type == "m.room.member" {
			r.members[*e.StateKey], _ = e.Content["membership"].(string)
		}
	}
	s.events = append(s.events, e)
	s.touch()
	return e
}

func ptr(s string) *string { return &s }

// member makes a membership, with " directly" behind an invitation to a direct chat. The lock is
// held.
func (s *Server) member(room, by, who, membership string) {
	name, _, _ := strings.Cut(strings.TrimPrefix(who, "@"), ":")
	membership, direct := strings.CutSuffix(membership, " directly")
	c := map[string]any{"membership": membership, "displayname": name}
	if direct {
		c["is_direct"] = true
	}
	s.add(&Event{Room: room, Type: "m.room.member", Sender: by, StateKey: &who, Content: c})
}

// Room makes a room whose members, the first its maker, have joined.
func (s *Server) Room(name string, members ...string) (id string) {
	s.locked(func() {
		id = fmt.Sprintf("!room%d:example.org", len(s.rooms)+1)
		s.makeRoom(id, members[0], name)
		for _, who := range members {
			s.member(id, who, who, "join")
		}
	})
	return id
}

func (s *Server) makeRoom(id, by, name string) {
	s.rooms[id] = &room{state: map[string]*Event{}, members: map[string]string{}}
	state := func(kind string, c map[string]any) {
		s.add(&Event{Room: id, Type: kind, Sender: by, StateKey: ptr(""), Content: c})
	}
	state("m.room.create", map[string]any{"room_version": "10", "creator": by})
	state("m.room.power_levels", map[string]any{"users": map[string]any{by: 100}, "events": map[string]any{"m.room.power_levels": 100}})
	state("m.room.join_rules", map[string]any{"join_rule": "invite"})
	if name != "" {
		state("m.room.name", map[string]any{"name": name})
	}
}

// Direct makes a room of one person and the bot.
func (s *Server) Direct(person string) string { return s.Room("", person, Bot) }

// Invite invites the bot.
func (s *Server) Invite(room, by string, direct bool) {
	how := "invite"
	if direct {
		how += " directly"
	}
	s.locked(func() { s.member(room, by, Bot, how) })
}

// Member sets what somebody is in a room.
func (s *Server) Member(room, who, membership string) {
	s.locked(func() { s.member(room, who, who, membership) })
}

// Membership returns what somebody is in a room.
func (s *Server) Membership(room, who string) (m string) {
	s.locked(func() {
		if r := s.rooms[room]; r != nil {
			m = r.members[who]
		}
	})
	return m
}

// Post adds any event.
func (s *Server) Post(e Event) (id string) {
	s.locked(func() { id = s.add(&e).ID })
	return id
}

// State adds a state event of a room's maker.
func (s *Server) State(room, kind string, c map[string]any) {
	s.Post(Event{Room: room, Type: kind, Sender: "@maker:example.org", StateKey: ptr(""), Content: c})
}

// Say lets somebody write. extra is put into the content.
func (s *Server) Say(room, who, text string, extra map[string]any) string {
	c := map[string]any{"msgtype": "m.text", "body": text}
	maps.Copy(c, extra)
	return s.Post(Event{Room: room, Type: "m.room.message", Sender: who, Content: c})
}

// Edit changes a message.
func (s *Server) Edit(room, who, id, text string) string {
	return s.Say(room, who, "* "+text, map[string]any{"m.new_content": map[string]any{"msgtype": "m.text", "body": text},
		"m.relates_to": map[string]any{"rel_type": "m.replace", "event_id": id}})
}

// React puts an emoji below a message.
func (s *Server) React(room, who, id, emoji string) string {
	return s.Post(Event{Room: room, Type: "m.reaction", Sender: who,
		Content: map[string]any{"m.relates_to": map[string]any{"rel_type": "m.annotation", "event_id": id, "key": emoji}}})
}

// Redact takes a message back.
func (s *Server) Redact(room, who, id string) {
	s.locked(func() { s.redact(room, who, id) })
}

func (s *Server) redact(room, who, id string) *Event {
	e := s.add(&Event{Room: room, Type: "m.room.redaction", Sender: who, Redacts: id})
	if was := s.find(id); was != nil {
		was.Content, was.Unsigned = map[string]any{}, map[string]any{"redacted_because": e}
	}
	return e
}

func (s *Server) find(id string) *Event {
	i := slices.IndexFunc(s.events, func(e *Event) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return s.events[i]
}

// Again tells of an event once more, with the next sync.
func (s *Server) Again(id string) {
	s.locked(func() {
		if e := s.find(id); e != nil {
			s.again = append(s.again, e)
			s.touch()
		}
	})
}

// Limit cuts timelines short; 0 is what the client asks for.
func (s *Server) Limit(n int) { s.locked(func() { s.limit = n }) }

// ForgetTransactions lets the same transaction post again, as real servers do after a while.
func (s *Server) ForgetTransactions() { s.locked(func() { clear(s.txns) }) }

// Refuse rejects the token from now on, or takes it again.
func (s *Server) Refuse(yes bool) { s.locked(func() { s.refused = yes }) }

// Fail makes the next requests fail that fit.
func (s *Server) Fail(f Fault) {
	s.locked(func() { f.Times = max(f.Times, 1); s.faults = append(s.faults, &f) })
}

// Heal removes all faults.
func (s *Server) Heal() { s.locked(func() { s.faults, s.limit = nil, 0 }) }

// Calls returns the requests whose path contains a piece.
func (s *Server) Calls(method, piece string) (list []Call) {
	s.locked(func() {
		for _, c := range s.calls {
			if (method == "" || c.Method == method) && strings.Contains(c.Path, piece) {
				list = append(list, c)
			}
		}
	})
	return list
}

// Message is a message of the bot, as people see it now.
type Message struct {
	ID, Room, Text, HTML string
	Content              map[string]any
	Buttons              int
}

// Sent returns what the bot has said and not taken back, in order.
func (s *Server) Sent() (list []Message) {
	s.locked(func() {
		for _, e := range s.events {
			list = shown(list, e)
		}
	})
	return list
}

func shown(list []Message, e *Event) []Message {
	if e.Sender != Bot || e.Type != "m.room.message" || len(e.Content) == 0 {
		return list
	}
	rel, _ := e.Content["m.relates_to"].(map[string]any)
	if rel["rel_type"] == "m.replace" {
		for i := range list {
			if c, ok := e.Content["m.new_content"].(map[string]any); ok && list[i].ID == rel["event_id"] {
				list[i].Text, list[i].HTML, list[i].Buttons = str(c["body"]), str(c["formatted_body"]), 0
			}
		}
		return list
	}
	buttons, _ := e.Content["dev.parley.buttons"].([]any)
	return append(list, Message{ID: e.ID, Room: e.Room, Text: str(e.Content["body"]), HTML: str(e.Content["formatted_body"]),
		Content: e.Content, Buttons: len(buttons)})
}

func str(v any) string { s, _ := v.(string); return s }

// Texts returns the texts of Sent.
func (s *Server) Texts() (list []string) {
	for _, m := range s.Sent() {
		list = append(list, m.Text)
	}
	return list
}

// Reactions returns the emojis that the bot put below a message.
func (s *Server) Reactions(id string) (list []string) {
	s.locked(func() {
		for _, e := range s.events {
			if rel, _ := e.Content["m.relates_to"].(map[string]any); e.Type == "m.reaction" && e.Sender == Bot && rel["event_id"] == id {
				list = append(list, str(rel["key"]))
			}
		}
	})
	return list
}

// Read returns the last event that the bot has read in a room; Typing whether it types there.
func (s *Server) Read(room string) (id string) { s.locked(func() { id = s.read[room] }); return id }

// Typing reports whether the bot types in a room.
func (s *Server) Typing(room string) (yes bool) {
	s.locked(func() { yes = s.typing[room] })
	return yes
}

// AddMedia adds a file.
func (s *Server) AddMedia(id string, data []byte) string {
	s.locked(func() { s.media[id] = data })
	return "mxc://example.org/" + id
}

// Media returns a file that was uploaded.
func (s *Server) Media(uri string) (data []byte) {
	s.locked(func() { data = s.media[strings.TrimPrefix(uri, "mxc://example.org/")] })
	return data
}

// Wait waits until ok.
func (s *Server) Wait(limit time.Duration, ok func() bool) bool { return waittest.Within(limit, ok) }
