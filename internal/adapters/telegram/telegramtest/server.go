// Package telegramtest is a strict stand-in for the Telegram Bot API on
// loopback, at the wire: it confirms updates by offset, refuses what the real
// server refuses (docs/platforms.md), fails on schedule, and keeps a ledger of
// every call. It is not a client and decides nothing for a bot.
package telegramtest

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"parley/internal/text"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Options change what New sets up; the zero value is fine.
type Options struct {
	Token        string           // "" means DefaultToken
	Username     string           // of the bot; "" means parley_bot
	Now          func() time.Time // nil means time.Now; dates and wait windows
	WebhookRetry time.Duration    // pause after a refused webhook post; 0 means what Telegram does
}

// DefaultToken belongs to the bot with the id 123456.
const DefaultToken = "123456:AAtestTESTtestTESTtestTESTtestTEST0"

// Server is the fake. All its methods may be called from many goroutines.
type Server struct {
	opts    Options
	botID   int64
	url     string
	http    *http.Server
	closing chan struct{}
	posts   sync.WaitGroup // the goroutine that posts to the webhook

	mu      sync.Mutex // guards all below
	changed *sync.Cond // on mu: a call was recorded or a message changed
	version int        // counts changes
	revoked bool
	inbound queue
	hook    webhook
	traffic
	world
}

// traffic is what was asked, and what is to go wrong.
type traffic struct {
	faults []*Fault
	calls  []Call
	wasted int
	waits  map[int64]time.Time // chat -> end of its retry_after; 0 for polls
}

// world is what is on this Telegram.
type world struct {
	chats     map[int64]*room
	sent      []*SentMessage
	drafts    []Draft
	actions   []Action
	queries   map[string]int       // callback queries pushed -> times answered
	toasts    map[string]string    // and with which words
	menus     map[string][]Command // scope -> its commands
	files     map[string]File
	standings map[[2]int64]standing // by chat and person
	account
}

// account is what belongs to the bot, and what it did to messages.
type account struct {
	about     map[string]string     // its descriptions, by field and language
	reactions map[[2]int64][]string // chat and message -> one after the other
	stern     map[int64]bool        // chats without reactions
}

// New starts a server on a loopback port of its own.
func New() *Server { return Start(Options{}) }

// Start starts a server. It panics when loopback cannot be listened on.
func Start(o Options) *Server {
	if o.Token == "" {
		o.Token = DefaultToken
	}
	if o.Username == "" {
		o.Username = "parley_bot"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		opts: o, closing: make(chan struct{}), inbound: queue{next: 1, wake: make(chan struct{})},
		traffic: traffic{waits: map[int64]time.Time{}},
		world: world{chats: map[int64]*room{}, queries: map[string]int{}, toasts: map[string]string{}, menus: map[string][]Command{},
			files: map[string]File{}, standings: map[[2]int64]standing{},
			account: account{about: map[string]string{}, reactions: map[[2]int64][]string{}, stern: map[int64]bool{}}},
	}
	fmt.Sscanf(o.Token, "%d:", &s.botID)
	s.changed = sync.NewCond(&s.mu)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprintf("telegramtest: %v", err))
	}
	s.url = "http://" + ln.Addr().String()
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve)}
	s.posts.Go(func() { _ = s.http.Serve(ln) })
	return s
}

// URL returns the address to use as APIURL.
func (s *Server) URL() string { return s.url }

// Token returns the token the server takes.
func (s *Server) Token() string { return s.opts.Token }

// BotID returns the id of the bot.
func (s *Server) BotID() int64 { return s.botID }

// Close ends the server and every request under way.
func (s *Server) Close() {
	close(s.closing)
	_ = s.http.Close()
	s.posts.Wait()
}

// Revoke makes every further call fail with 401, or ends that.
func (s *Server) Revoke(revoked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = revoked
}

// request is one call, decoded.
type request struct {
	method string
	fields map[string]string
	files  map[string]File
	http   *http.Request
}

// problem is a refusal.
type problem struct {
	code       int
	text       string
	retryAfter int
	migrateTo  int64
}

func bad(format string, args ...any) *problem {
	return &problem{code: http.StatusBadRequest, text: "Bad Request: " + fmt.Sprintf(format, args...)}
}

var (
	tokenForm  = text.Pattern(`^[0-9]{1,16}:[A-Za-z0-9_-]{30,}$`)
	notFound   = &problem{code: http.StatusNotFound, text: "Not Found"}
	forbidden  = &problem{code: http.StatusUnauthorized, text: "Unauthorized"}
	handlers   map[string]func(*Server, *request) (any, *problem)
	pathMethod = regexp.MustCompile(`^/bot([^/]+)/([A-Za-z]+)$`)
)

func init() {
	handlers = map[string]func(*Server, *request) (any, *problem){
		"getme": (*Server).getMe, "getwebhookinfo": (*Server).getWebhookInfo, "getupdates": (*Server).getUpdates,
		"setwebhook": (*Server).setWebhook, "deletewebhook": (*Server).deleteWebhook,
		"sendmessage": (*Server).sendMessage, "editmessagetext": (*Server).editMessageText,
		"sendmessagedraft": (*Server).sendMessageDraft, "senddocument": (*Server).sendDocument,
		"sendvoice":      (*Server).sendVoice,
		"sendchataction": (*Server).sendChatAction, "deletemessage": (*Server).deleteMessage,
		"answercallbackquery": (*Server).answerCallbackQuery, "setmycommands": (*Server).setMyCommands,
		"getmycommands": (*Server).getMyCommands, "setmessagereaction": (*Server).setMessageReaction, "leavechat": (*Server).leaveChat,
		"getmydescription": (*Server).getMyDescription, "setmydescription": (*Server).setMyDescription,
		"getmyshortdescription": (*Server).getMyShortDescription, "setmyshortdescription": (*Server).setMyShortDescription,
		"getchatmember": (*Server).getChatMember, "getfile": (*Server).getFile,
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/file/bot") {
		s.serveFile(w, r)
		return
	}
	m := pathMethod.FindStringSubmatch(r.URL.Path)
	if m == nil || !tokenForm().MatchString(m[1]) {
		answer(w, nil, notFound)
		return
	}
	req := &request{method: m[2], http: r, fields: map[string]string{}}
	if p := req.read(); p != nil {
		answer(w, nil, p)
		return
	}
	fault, seq, p := s.admit(req, m[1])
	if p == nil && fault != nil && !fault.After && fault.inject(s, w, r) {
		s.settle(seq, fault.Status)
		return
	}
	var result any
	if p == nil {
		result, p = s.do(req)
	}
	status := http.StatusOK
	if p != nil {
		status = p.code
	}
	s.settle(seq, status)
	if fault != nil && fault.After {
		s.lose(seq)
		if fault.inject(s, w, r) {
			return
		}
	}
	if fault != nil && fault.Echo != "" && p == nil {
		result = fault.echo(result)
	}
	w.Header().Set("Date", s.opts.Now().UTC().Format(http.TimeFormat))
	answer(w, result, p)
}

func (s *Server) do(req *request) (any, *problem) {
	h := handlers[strings.ToLower(req.method)]
	if h == nil {
		return nil, notFound
	}
	return h(s, req)
}

// admit records the call and says which fault, if any, it meets.
func (s *Server) admit(req *request, token string) (*Fault, int, *problem) {
	chat := req.chat()
	now := s.opts.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Call{Method: req.method, Chat: chat, Fields: req.fields, At: now}
	scope := chat
	if until, ok := s.waits[scope]; ok && now.Before(until) && (chat != 0 || req.method == "getUpdates") {
		c.Wasted = true
		s.wasted++
	}
	s.calls = append(s.calls, c)
	s.touch()
	seq := len(s.calls) - 1
	if s.revoked || token != s.opts.Token {
		s.calls[seq].Status = http.StatusUnauthorized
		return nil, seq, forbidden
	}
	for _, f := range s.faults {
		if f.meets(req.method, chat) {
			s.calls[seq].Page = f.Body != "" || f.Empty
			if f.Status == http.StatusTooManyRequests {
				s.waits[scope] = now.Add(time.Duration(f.RetryAfter) * time.Second)
			}
			return f, seq, nil
		}
	}
	return nil, seq, nil
}

func (s *Server) settle(seq, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[seq].Status = status
	s.touch()
}

// lose notes that a call had its effect and its answer does not arrive.
func (s *Server) lose(seq int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[seq].Lost = true
}

// answer writes what the Bot API writes.
func answer(w http.ResponseWriter, result any, p *problem) {
	w.Header().Set("Content-Type", "application/json")
	if p == nil {
		_ = json.NewEncoder(w).Encode(struct {
			OK     bool `json:"ok"`
			Result any  `json:"result"`
		}{true, result})
		return
	}
	body := map[string]any{"ok": false, "error_code": p.code, "description": p.text}
	parameters := map[string]any{}
	if p.retryAfter > 0 {
		parameters["retry_after"] = p.retryAfter
	}
	if p.migrateTo != 0 {
		parameters["migrate_to_chat_id"] = p.migrateTo
	}
	if len(parameters) > 0 {
		body["parameters"] = parameters
	}
	w.WriteHeader(p.code)
	_ = json.NewEncoder(w).Encode(body)
}

// read decodes the three forms the Bot API takes.
func (q *request) read() *problem {
	kind, params, _ := mime.ParseMediaType(q.http.Header.Get("Content-Type"))
	switch kind {
	case "multipart/form-data":
		return q.readMultipart(multipart.NewReader(q.http.Body, params["boundary"]))
	case "application/x-www-form-urlencoded":
		body, _ := io.ReadAll(q.http.Body)
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return bad("can't parse the form")
		}
		for k, v := range form {
			q.fields[k] = v[0]
		}
	case "application/json":
		var fields map[string]json.RawMessage
		if err := json.NewDecoder(q.http.Body).Decode(&fields); err != nil {
			return bad("can't parse JSON")
		}
		for k, v := range fields {
			var text string
			if json.Unmarshal(v, &text) != nil {
				text = string(v)
			}
			q.fields[k] = text
		}
	}
	return nil
}

func (q *request) readMultipart(r *multipart.Reader) *problem {
	for {
		part, err := r.NextPart()
		if err != nil { // io.EOF, also without any part: a method without parameters
			return nil
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return bad("can't read the form")
		}
		if part.FileName() == "" {
			q.fields[part.FormName()] = string(data)
			continue
		}
		if q.files == nil {
			q.files = map[string]File{}
		}
		q.files[part.FormName()] = File{Name: part.FileName(), Data: data}
	}
}
