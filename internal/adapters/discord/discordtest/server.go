// Package discordtest is a strict Discord at the wire: REST and gateway on
// loopback that refuse what the real ones refuse (docs/platforms.md) and
// fail on demand, with a ledger of what was asked. It is not for production.
package discordtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Token is the one the server accepts; App the bot's user and application id.
const (
	Token = "test-token"
	App   = "9000"
)

// Message is a message as the server holds it.
type Message struct {
	ID, Channel, Author, Content, Nonce, ReplyTo string
	Edits                                        int
	Flags                                        int
	Buttons                                      []string // custom ids
	Menu                                         []string // values to choose from
	Interaction                                  string   // token it answers
	Links                                        []string // addresses behind buttons
	Deleted                                      bool
	Pinged                                       []string          // people whom it notifies
	Files                                        map[string][]byte // by name
}

// Attachment is a file that a person sends.
type Attachment struct {
	Name, MIME string
	Data       []byte // nil is an address that has expired
	Voice      bool
	URL        string // instead of the server's own
}

// Call is one REST request.
type Call struct {
	Method, Path string
	Body         []byte
	At           time.Time
	Status       int
	Page         bool // it was answered with a page
	Came         time.Time
}

// Server is the fake.
type Server struct {
	http *http.Server
	addr string

	mu sync.Mutex // guards the rest
	gw gateway
	world
	traffic
	nextID  int64
	ahead   time.Duration // of the server's clock
	now     func() time.Time
	changed chan struct{}
	quiet   bool
	revoked bool
	flags   int
}

// world is what is on this Discord.
type world struct {
	messages []*Message
	nonces   map[string]*Message // channel/nonce
	commands json.RawMessage
	gone     map[string]int    // channel -> error code
	places   map[string]string // channel -> guild, "" is a direct chat
	threads  map[string]string // thread -> parent
	archived map[string]bool
	branches
	files  map[string][]byte // of attachments, by message
	guilds map[string]any
	quit   []string           // servers that the bot has left
	left   map[[2]string]bool // server, person
}

// branches is what is known of threads that the bot opens.
type branches struct {
	names     map[string]string
	forbidden map[string]bool // channels without
}

// traffic is what was asked, and what is to go wrong.
type traffic struct {
	calls   []Call
	faults  []*Fault
	stalled []*stall
	acks    map[string]Response // interaction id -> the first answer
	uses    map[string]Use      // interaction token -> where and by whom
	focused map[string]int      // interaction id -> the type of the option that is typed
	sent    map[string]bool     // interaction ids of forms that were sent
}

// New starts a server.
func New() *Server {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // no loopback, no tests
	}
	s := &Server{
		addr: l.Addr().String(), changed: make(chan struct{}), now: time.Now, gw: newGateway(), flags: 1 << 19,
		traffic: traffic{acks: map[string]Response{}, uses: map[string]Use{}, focused: map[string]int{}, sent: map[string]bool{}},
		world: world{nonces: map[string]*Message{}, places: map[string]string{}, gone: map[string]int{}, threads: map[string]string{},
			archived: map[string]bool{}, branches: branches{names: map[string]string{}, forbidden: map[string]bool{}},
			files: map[string][]byte{}, guilds: map[string]any{}, commands: json.RawMessage("[]")},
	}
	s.nextID = (time.Now().UnixMilli() - discordEpoch) << 22
	mux := http.NewServeMux()
	mux.HandleFunc("/gw/", s.socket)
	mux.HandleFunc("/api/", s.rest)
	mux.HandleFunc("/attachments/{id}", s.attachment)
	s.http = &http.Server{Handler: mux}
	go func() { _ = s.http.Serve(l) }()
	return s
}

const discordEpoch = 1420070400000

// attachment serves a file as the CDN does: without a token, and not for ever.
func (s *Server) attachment(w http.ResponseWriter, r *http.Request) {
	var data []byte
	s.with(func() { data = s.files[r.PathValue("id")] })
	if data == nil || r.Header.Get("Authorization") != "" {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	_, _ = w.Write(data)
}

// URL returns the REST address.
func (s *Server) URL() string { return "http://" + s.addr + "/api" }

// Close ends everything.
func (s *Server) Close() {
	s.Drop()
	_ = s.http.Close()
}

func (s *Server) with(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Ahead moves the server's clock, by which ids are made.
func (s *Server) Ahead(d time.Duration) { s.with(func() { s.ahead = d }) }

// Clock gives the server another clock, by which ids are made from now on.
func (s *Server) Clock(now func() time.Time) { s.with(func() { s.now, s.nextID = now, 0 }) }

// ForgetNonces makes a post of the same nonce another message.
func (s *Server) ForgetNonces() { s.with(func() { clear(s.nonces) }) }

// id makes a snowflake. mu is held.
func (s *Server) id() string {
	s.nextID = max(s.nextID+1, (s.now().Add(s.ahead).UnixMilli()-discordEpoch)<<22)
	return fmt.Sprint(s.nextID)
}

// Gone makes a channel answer with an error code from now on.
func (s *Server) Gone(channel string, code int) { s.with(func() { s.gone[channel] = code }) }

// Unquotable refuses a message as what a post replies to.
func (s *Server) Unquotable(id string) { s.Gone("message:"+id, 50035) }

// Thread makes a channel a thread of another.
func (s *Server) Thread(thread, parent string) { s.with(func() { s.threads[thread] = parent }) }

// Guild makes a server with an owner and the permissions of its roles.
func (s *Server) Guild(id, owner string, roles map[string]int64) {
	list := []map[string]any{}
	for role, p := range roles {
		list = append(list, map[string]any{"id": role, "name": "admin", "permissions": fmt.Sprint(p)})
	}
	s.with(func() { s.guilds[id] = map[string]any{"id": id, "owner_id": owner, "roles": list} })
}

// Archive archives a thread: posting there fails until it is unarchived.
func (s *Server) Archive(thread string) { s.with(func() { s.archived[thread] = true }) }

// Flags sets the application's; at first it has the Message Content intent of
// a bot in few servers.
func (s *Server) Flags(flags int) { s.with(func() { s.flags = flags }) }

// Revoke makes the bot's token wrong, or right again: for every request but those of
// webhooks and interactions, which have tokens of their own, and for new sessions.
func (s *Server) Revoke(on bool) { s.with(func() { s.revoked = on }) }

// Quiet keeps no ledger of calls: for benchmarks.
func (s *Server) Quiet() { s.with(func() { s.quiet = true }) }

// Sent returns the bot's messages in order.
func (s *Server) Sent() (list []Message) {
	s.with(func() {
		for _, m := range s.messages {
			if m.Author == App {
				list = append(list, *m)
			}
		}
	})
	return list
}

// Calls returns the requests of a method, "" is any, whose path begins so.
func (s *Server) Calls(method, path string) (list []Call) {
	s.with(func() {
		for _, c := range s.calls {
			if (method == "" || c.Method == method) && strings.HasPrefix(c.Path, path) {
				list = append(list, c)
			}
		}
	})
	return list
}

// Wait returns once ok holds, or false when time is over. ok is asked whenever
// something happened.
func (s *Server) Wait(limit time.Duration, ok func() bool) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		var changed chan struct{}
		s.with(func() { changed = s.changed })
		if ok() {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return ok()
		}
	}
}

// touch wakes Wait. mu is held.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

type problem struct {
	status, code int
	message      string
	retryAfter   float64
	field        string // that is refused
}

// Quit returns the servers that the bot has left.
func (s *Server) Quit() (list []string) {
	s.with(func() { list = append(list, s.quit...) })
	return list
}

func (s *Server) rest(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/api")
	came := time.Now()
	if !s.hang(r, path) {
		return
	}
	s.mu.Lock()
	w.Header().Set("Date", time.Now().Add(s.ahead).UTC().Format(http.TimeFormat))
	fault := s.fault(r.Method, path, body)
	var out any
	p := s.authorize(r)
	if p == nil && (fault == nil || fault.After || fault.Late != nil) {
		out, p = s.route(r, path, body)
	}
	if fault != nil && fault.Late == nil {
		p = &problem{status: fault.Status, code: fault.Code, message: "scheduled", retryAfter: fault.RetryAfter, field: fault.Field}
	}
	status := 200
	if p != nil {
		status = p.status
	}
	if !s.quiet {
		s.calls = append(s.calls, Call{r.Method, path, body, time.Now(), status, fault != nil && fault.Page, came})
	}
	s.touch()
	s.mu.Unlock()
	fault.hold(r.Context())
	if fault != nil && fault.Cut {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
		return
	}
	if fault != nil && fault.Page {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><title>Access denied | discord.com used Cloudflare to restrict access</title></html>")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if p != nil {
		w.WriteHeader(p.status)
		body := map[string]any{"message": p.message, "code": p.code, "retry_after": p.retryAfter}
		if fault != nil && fault.Bare {
			delete(body, "retry_after")
		}
		if p.field != "" {
			body["errors"] = map[string]any{p.field: map[string]any{"_errors": []any{map[string]any{"code": "REFUSED", "message": "refused"}}}}
		}
		_ = json.NewEncoder(w).Encode(body)
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (s *Server) authorize(r *http.Request) *problem {
	if strings.HasPrefix(r.URL.Path, "/api/webhooks/") || strings.HasPrefix(r.URL.Path, "/api/interactions/") {
		return nil
	}
	if s.revoked || r.Header.Get("Authorization") != "Bot "+Token {
		return &problem{status: 401, message: "401: Unauthorized"}
	}
	return nil
}

// route does what a request asks. mu is held.
func (s *Server) route(r *http.Request, path string, body []byte) (any, *problem) {
	part := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/gateway" || path == "/gateway/bot":
		return map[string]any{"url": s.gatewayURL(), "shards": s.gw.rules.shards, "session_start_limit": map[string]any{
			"total": 1000, "remaining": 1000 - s.gw.identifies, "reset_after": 86400000, "max_concurrency": s.gw.rules.side}}, nil
	case part[0] == "users" && r.Method == http.MethodPost:
		var in struct {
			Recipient string `json:"recipient_id"`
		}
		_ = json.Unmarshal(body, &in)
		return map[string]any{"id": "dm" + in.Recipient, "type": 1}, nil
	case len(part) == 4 && part[0] == "users" && part[2] == "guilds" && r.Method == http.MethodDelete:
		s.quit = append(s.quit, part[3])
		return nil, nil
	case path == "/users/@me":
		return map[string]any{"id": App, "username": "parley", "bot": true}, nil
	case path == "/applications/@me":
		return map[string]any{"id": App, "flags": s.flags}, nil
	case part[0] == "applications":
		if r.Method == http.MethodPut {
			if p := checkCommands(body); p != nil {
				return nil, p
			}
			s.commands = body
		}
		if r.Method == http.MethodGet && r.URL.Query().Get("with_localizations") != "true" {
			return withoutLocales(s.commands), nil
		}
		return s.commands, nil
	case part[0] == "interactions":
		return s.callback(part[1], body)
	case part[0] == "webhooks":
		return s.webhook(r, part, body)
	case len(part) == 4 && part[0] == "guilds" && part[2] == "members":
		return s.member(part[1], part[3])
	case part[0] == "guilds" && s.guilds[part[1]] != nil:
		return s.guilds[part[1]], nil
	case part[0] == "channels":
		return s.channel(r, part, body)
	}
	return nil, &problem{status: 404, message: "404: Not Found"}
}

func (s *Server) channel(r *http.Request, part []string, body []byte) (any, *problem) {
	ch := part[1]
	if code := s.gone[ch]; code != 0 {
		return nil, &problem{status: 403, code: code, message: "gone"}
	}
	switch {
	case len(part) == 2 && r.Method == http.MethodPatch:
		delete(s.archived, ch)
		return map[string]any{"id": ch}, nil
	case len(part) == 2:
		kind := 0
		if s.threads[ch] != "" {
			kind = 11
		}
		guild, known := s.places[ch]
		if known && guild == "" {
			return map[string]any{"id": ch, "type": 1}, nil
		}
		return map[string]any{"id": ch, "type": kind, "parent_id": s.threads[ch], "guild_id": cmp.Or(guild, "77")}, nil
	case part[2] == "typing":
		return nil, nil
	case len(part) == 5 && part[4] == "threads" && r.Method == http.MethodPost:
		return s.openThread(ch, part[3], body)
	case r.Method == http.MethodGet:
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil || limit < 1 || limit > 100 {
			return nil, &problem{status: 400, code: 50035, message: "limit", field: "limit"}
		}
		return s.history(ch, r.URL.Query().Get("after"), limit), nil
	case r.Method == http.MethodPost:
		if s.archived[ch] {
			return nil, &problem{status: 400, code: 50083, message: "Thread is archived"}
		}
		return s.post(ch, body, "")
	case r.Method == http.MethodDelete && len(part) == 4:
		s.messages = slices.DeleteFunc(s.messages, func(m *Message) bool { return m.ID == part[3] && m.Channel == ch })
		return nil, nil
	case r.Method == http.MethodPatch && s.archived[ch]:
		return nil, &problem{status: 400, code: 50083, message: "Thread is archived"}
	case r.Method == http.MethodPatch:
		for _, m := range s.messages {
			if m.ID == part[3] && m.Channel == ch {
				return s.edit(m, body)
			}
		}
		return nil, &problem{status: 404, code: 10008, message: "Unknown Message"}
	}
	return nil, &problem{status: 405, message: "405: Method Not Allowed"}
}
