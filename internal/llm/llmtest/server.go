// Package llmtest is what tests and benchmarks talk to instead of a model: an
// OpenAI-compatible server at the wire that refuses what real ones refuse and
// fails as they fail, a scripted llm.Model, and the suite every llm.Model
// passes. It binds loopback only and is not for production.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/internal/llm"
)

// Turn is one scripted answer. The zero Turn echoes the last user message.
type Turn struct {
	Text      string
	Calls     []Call
	Finish    string // "" is stop or tool_calls
	Delay     time.Duration
	Status    int               // not 0: an error answer with Body
	Header    map[string]string // of the answer
	Body      string            // raw body, with Status or instead of everything
	Stream    []string          // raw SSE data lines instead of Text; no [DONE] is added
	Held      <-chan struct{}   // nothing is answered before it is closed; nil does not wait
	Paused    <-chan struct{}   // of a stream only the first piece is written before it is closed; nil does not wait
	Hang      bool              // after what was written, silence until the client leaves
	Flood     string            // after Stream or Body, written over and over until the client leaves
	Chunks    int               // pieces Text is streamed in; 0 is 4
	ChunkWait time.Duration     // between pieces
	Usage     [2]int            // prompt and completion tokens; zero counts
}

// Call is a scripted tool call.
type Call struct {
	ID, Name, Args string
}

// Request is what a client sent.
type Request struct {
	Model          string          `json:"model"`
	Messages       []Message       `json:"messages"`
	Tools          json.RawMessage `json:"tools"`
	Stream         bool            `json:"stream"`
	Temperature    *float64        `json:"temperature"`
	MaxTokens      int             `json:"max_tokens"`
	MaxCompletion  int             `json:"max_completion_tokens"`
	ResponseFormat json.RawMessage `json:"response_format"`
	Raw            []byte          `json:"-"` // the whole body
	Header         http.Header     `json:"-"`
	At             time.Time       `json:"-"`
}

// Message is one of its messages.
type Message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Text returns the message's text, of all its parts, without what holds for its
// turn only and stands fenced before it.
func (m Message) Text() string {
	_, words := llm.Fenced(m.Whole())
	return words
}

// Whole returns the text with what stood fenced before it.
func (m Message) Whole() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(m.Content, &parts) // no text at all
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// Tokens is what the server counts: a token for four characters of each
// message, of its calls, and of the tools.
func (r Request) Tokens() int {
	n := len(r.Tools) / 4
	for _, m := range r.Messages {
		runes := utf8.RuneCountInString(m.Whole())
		for _, c := range m.ToolCalls {
			runes += utf8.RuneCountInString(c.Function.Name + c.Function.Arguments)
		}
		n += max(1, (runes+3)/4)
	}
	return n
}

// Last is the newest message of a role.
func (r Request) Last(role string) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == role {
			return r.Messages[i].Text()
		}
	}
	return ""
}

// System returns the text of the system message, and of what stands fenced before
// the newest words of the user.
func (r Request) System() string {
	var all []string
	for _, m := range r.Messages {
		if m.Role == "system" {
			all = append(all, m.Text())
		}
		if context, _ := llm.Fenced(m.Whole()); m.Role == "user" && context != "" {
			all = append(all, context)
		}
	}
	return strings.Join(all, "\n\n")
}

// Server is the fake. Its script is a queue; when that is empty it asks
// Respond, and without one it echoes.
type Server struct {
	http *http.Server
	addr string

	mu    sync.Mutex // guards the rest
	queue []Turn
	answers
	seen    []Request
	quiet   bool
	models  []string
	key     string
	props   string
	flooded int64
	flying  int
	most    int

	vectors embeddings
}

// answers are how requests of each kind are answered where no turn is queued.
type answers struct {
	respond func(Request) Turn
	forms   func(Request) Turn
	hear    func(Recording) string
	say     func(Speech) ([]byte, int)
	renders func(Request) error
}

// NewServer starts a server with the model "test".
func NewServer() *Server {
	s := &Server{models: []string{"test"}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // no loopback, no tests
	}
	s.addr = l.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", s.list)
	mux.HandleFunc("GET /props", s.tellProps)
	mux.HandleFunc("POST /v1/embeddings", s.embed)
	mux.HandleFunc("POST /v1/audio/transcriptions", s.transcribe)
	mux.HandleFunc("POST /v1/audio/speech", s.speak)
	mux.HandleFunc("POST /{$}", s.pipe)
	s.http = &http.Server{Handler: mux}
	go func() { _ = s.http.Serve(l) }()
	return s
}

// URL returns the base URL, with /v1.
func (s *Server) URL() string { return "http://" + s.addr + "/v1" }

// Close ends the server and every connection.
func (s *Server) Close() { _ = s.http.Close() }

// Queue appends scripted answers.
func (s *Server) Queue(turns ...Turn) { s.with(func() { s.queue = append(s.queue, turns...) }) }

// Respond answers whatever the queue does not; nil echoes.
func (s *Server) Respond(f func(Request) Turn) { s.with(func() { s.respond = f }) }

// Structured answers requests that ask for JSON of a form, so that they take
// nothing from the queue; nil treats them like any other.
func (s *Server) Structured(f func(Request) Turn) { s.with(func() { s.forms = f }) }

// Models sets what is listed.
func (s *Server) Models(names ...string) { s.with(func() { s.models = names }) }

// Props makes it a llama.cpp server that says this JSON of itself.
func (s *Server) Props(json string) { s.with(func() { s.props = json }) }

func (s *Server) tellProps(w http.ResponseWriter, r *http.Request) {
	var props string
	s.with(func() { props = s.props })
	if props == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, props)
}

// Template has every request rendered first: an error is answered with a 500, as
// llama.cpp's server answers what a chat template raises.
func (s *Server) Template(renders func(Request) error) { s.with(func() { s.renders = renders }) }

// RequireKey refuses requests without this key.
func (s *Server) RequireKey(key string) { s.with(func() { s.key = key }) }

// Quiet stops keeping requests: for benchmarks.
func (s *Server) Quiet() { s.with(func() { s.quiet = true }) }

// Requests returns what was asked so far.
func (s *Server) Requests() (list []Request) {
	s.with(func() { list = append(list, s.seen...) })
	return list
}

// Most returns the largest number of requests that were under way at once.
func (s *Server) Most() (n int) {
	s.with(func() { n = s.most })
	return n
}

// Flying returns how many requests are under way.
func (s *Server) Flying() (n int) {
	s.with(func() { n = s.flying })
	return n
}

// Flooded returns how many bytes of floods clients took, or the way to them.
func (s *Server) Flooded() (n int64) {
	s.with(func() { n = s.flooded })
	return n
}

// flood writes a text until the client has had enough of it.
func (s *Server) flood(w io.Writer, text string) {
	block := []byte(strings.Repeat(text, 1+(64<<10)/len(text)))
	for {
		n, err := w.Write(block)
		s.with(func() { s.flooded += int64(n) })
		if err != nil {
			return
		}
	}
}

func (s *Server) with(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r) {
		return
	}
	var names []string
	s.with(func() { names = s.models })
	data := []map[string]string{}
	for _, n := range names {
		data = append(data, map[string]string{"id": n, "object": "model"})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

func (s *Server) allowed(w http.ResponseWriter, r *http.Request) bool {
	var key string
	s.with(func() { key = s.key })
	if key != "" && r.Header.Get("Authorization") != "Bearer "+key {
		fail(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
		return false
	}
	return true
}

func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": message, "type": "invalid_request_error",
		"code": code}})
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	req := Request{Raw: body, Header: r.Header, At: time.Now()}
	if err := json.Unmarshal(body, &req); err != nil {
		fail(w, http.StatusBadRequest, "invalid_json", err.Error())
		return
	}
	if code, why := s.refuse(req); why != "" {
		status := http.StatusBadRequest
		switch code {
		case "model_not_found":
			status = http.StatusNotFound
		case "template":
			status = http.StatusInternalServerError
		}
		fail(w, status, code, why)
		return
	}
	turn := s.next(req)
	defer s.with(func() { s.flying-- })
	if turn.Held != nil {
		select {
		case <-turn.Held:
		case <-r.Context().Done():
			return
		}
	}
	if turn.Delay > 0 {
		select {
		case <-time.After(turn.Delay):
		case <-r.Context().Done():
			return
		}
	}
	turn.write(w, r, req)
	if turn.Flood != "" {
		s.flood(w, turn.Flood)
	}
}

// next takes the answer for a request and counts it as under way.
func (s *Server) next(req Request) (t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying++
	s.most = max(s.most, s.flying)
	if !s.quiet {
		s.seen = append(s.seen, req)
	}
	switch {
	case s.forms != nil && len(req.ResponseFormat) > 0:
		t = s.forms(req)
	case len(s.queue) > 0:
		t, s.queue = s.queue[0], s.queue[1:]
	case s.respond != nil:
		t = s.respond(req)
	}
	return t
}

// untemplated says what the chat templates of current models would raise, in
// the words of llama.cpp, which answers it with a 500: the strictest of Qwen 3.5
// (one system message, first), and of Gemma, Mistral and Llama (user and
// assistant in turn; calls and their results stand between).
func untemplated(ms []Message) string {
	turns := 0
	for i, m := range ms {
		switch {
		case m.Role == "system" && i > 0:
			return "System message must be at the beginning."
		case m.Role == "user" || m.Role == "assistant" && len(m.ToolCalls) == 0:
			if (m.Role == "user") != (turns%2 == 0) {
				return "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
			}
			turns++
		}
	}
	if len(ms) > 0 && ms[len(ms)-1].Role == "assistant" {
		return "Cannot use add_generation_prompt with a last message from the assistant."
	}
	return ""
}

// refuse says what is wrong with a request, as real servers do.
func (s *Server) refuse(r Request) (code, why string) {
	known := false
	s.with(func() {
		for _, m := range s.models {
			known = known || m == r.Model
		}
	})
	if !known {
		return "model_not_found", fmt.Sprintf("model %q not found, try pulling it first", r.Model)
	}
	if why := untemplated(r.Messages); why != "" {
		return "template", why
	}
	var renders func(Request) error
	s.with(func() { renders = s.renders })
	if renders != nil {
		if err := renders(r); err != nil {
			return "template", err.Error()
		}
	}
	open := map[string]bool{}
	for i, m := range r.Messages {
		switch m.Role {
		case "system", "user":
			if len(open) > 0 {
				return "bad_tools", "an assistant message with tool_calls must be followed by tool messages responding to each tool_call_id"
			}
			if m.Text() == "" {
				return "empty", fmt.Sprintf("messages[%d].content must not be empty", i)
			}
		case "assistant":
			if len(open) > 0 {
				return "bad_tools", "tool_call_ids did not have response messages"
			}
			if m.Text() == "" && len(m.ToolCalls) == 0 {
				return "empty", fmt.Sprintf("messages[%d] has neither content nor tool_calls", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || c.Function.Name == "" || !json.Valid([]byte(c.Function.Arguments)) {
					return "bad_tools", fmt.Sprintf("messages[%d].tool_calls is invalid", i)
				}
				open[c.ID] = true
			}
		case "tool":
			if !open[m.ToolCallID] {
				return "bad_tools", fmt.Sprintf("messages[%d]: no tool call %q to answer", i, m.ToolCallID)
			}
			if m.Text() == "" {
				return "empty", fmt.Sprintf("messages[%d].content must not be empty", i)
			}
			delete(open, m.ToolCallID)
		default:
			return "bad_role", fmt.Sprintf("messages[%d].role %q is unknown", i, m.Role)
		}
	}
	if len(open) > 0 {
		return "bad_tools", "tool_call_ids did not have response messages"
	}
	return "", ""
}

// Recording is what a client wants written down.
type Recording struct {
	Model, Name string
	Audio       []byte
}

// Hear sets what is said in recordings; "" refuses one. Without it every
// recording is refused.
func (s *Server) Hear(f func(Recording) string) { s.with(func() { s.hear = f }) }

// maxRecording is what OpenAI takes.
const maxRecording = 25 << 20

func (s *Server) transcribe(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r) {
		return
	}
	file, head, err := r.FormFile("file")
	if err != nil {
		fail(w, http.StatusBadRequest, "invalid_form", err.Error())
		return
	}
	audio, err := io.ReadAll(io.LimitReader(file, maxRecording+1))
	if err != nil || len(audio) > maxRecording {
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "Maximum content size limit exceeded")
		return
	}
	var hear func(Recording) string
	s.with(func() { hear = s.hear })
	text := ""
	if hear != nil {
		text = hear(Recording{Model: r.FormValue("model"), Name: head.Filename, Audio: audio})
	}
	if text == "" {
		fail(w, http.StatusBadRequest, "invalid_audio", "Audio file might be corrupted or unsupported")
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"text": text})
}
