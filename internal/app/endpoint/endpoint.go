// Package endpoint is the bot as an OpenAI-compatible server: programs of people ask over
// HTTP, and their requests become messages of their persons, which are stored before they
// are answered. It is a platform like any other; who may speak, what is asked first and what
// is remembered is not its business.
package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/app/bucket"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/access"
	"parley/internal/memory/tokens"
	"parley/internal/text/inbound"
)

// Options of New. All are required.
type Options struct {
	Store *memory.Store
	Name  string // the bot's
	// Hub takes messages; it returns nil before it may.
	Hub func() *chat.Hub
	// Admits reports whether m's author may speak where m is written.
	Admits func(ctx context.Context, m chat.Message) (bool, error)
	// Elsewhere sends a part to its person's direct chat.
	Elsewhere func(ctx context.Context, p chat.Part) error
	PerMinute func() int // requests of one person
	Now       func() time.Time
	Log       *slog.Logger
}

// Bounds of what is under way.
const (
	readAtOnce    = 6  // bodies
	maxOpen       = 16 // requests of one person that wait
	slotPatience  = 5 * time.Second
	roomPatience  = 5 * time.Second
	storeFor      = 20 * time.Second
	writePatience = 30 * time.Second
)

// Endpoint is the server. It holds nothing that a restart may not lose.
type Endpoint struct {
	o     Options
	mux   *http.ServeMux
	slots chan struct{} // one for each body that is read
	turns turns
	pace  *bucket.Buckets

	mu   sync.Mutex     // guards open
	open map[string]int // requests that wait, by person
}

// Pattern is what the server serves.
const Pattern = "/v1/"

// New opens and starts nothing.
func New(o Options) *Endpoint {
	e := &Endpoint{o: o, mux: http.NewServeMux(), slots: make(chan struct{}, readAtOnce), turns: turns{all: map[string]*turn{}},
		pace: bucket.New(o.PerMinute, o.Now), open: map[string]int{}}
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request, tokens.Token) error{
		"POST /v1/chat/completions": e.complete, "GET /v1/models": e.models, "GET /v1/models/{model}": e.modelOf,
		"GET /v1/files/{id}/content": e.file,
	} {
		e.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			t, err := e.enter(r)
			if err == nil {
				err = h(w, r, t)
			}
			if err != nil {
				e.fail(w, r, err)
			}
		})
	}
	return e
}

// ServeHTTP implements http.Handler, for Pattern.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, pattern := e.mux.Handler(r); pattern == "" {
		e.fail(w, r, refuse(http.StatusNotFound, "unknown_url",
			"There is only POST /v1/chat/completions, GET /v1/models and GET /v1/files/ID/content."))
		return
	}
	e.mux.ServeHTTP(w, r)
}

// enter returns whose token a request brings. Who has none learns nothing.
func (e *Endpoint) enter(r *http.Request) (tokens.Token, error) {
	t, ok, err := e.o.Store.Tokens.Find(r.Context(), inbound.Bearer(r.Header))
	if err != nil {
		return t, err
	}
	if !ok {
		return t, refuse(http.StatusUnauthorized, "invalid_api_key",
			"The token is missing, wrong or revoked. Send /token new to the bot in your direct chat.")
	}
	if admitted, err := e.o.Admits(r.Context(), message(t.User, "")); err != nil || !admitted {
		return t, errors.Join(err, refuse(http.StatusForbidden, "not_let_in",
			"The person of this token may not speak with the bot any more."))
	}
	if wait := e.pace.Take(t.User); wait > 0 {
		return t, refuse(http.StatusTooManyRequests, "rate_limit_exceeded", "Too many requests in this minute.").wait(wait)
	}
	return t, nil
}

// message is a message of a person in a conversation, which says nothing.
func message(user, conversation string) chat.Message {
	return chat.Message{Key: tokens.PlaceOf(user, conversation), From: chat.User{ID: user}, Direct: true, Addressed: true}
}

// begin counts a request that waits; one too many is refused.
func (e *Endpoint) begin(user string) (end func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open[user] >= maxOpen {
		return nil, refuse(http.StatusTooManyRequests, "too_many_open",
			fmt.Sprintf("%d requests of yours wait for their answers.", maxOpen)).wait(5 * time.Second)
	}
	e.open[user]++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.open[user]--; e.open[user] == 0 {
			delete(e.open, user)
		}
	}, nil
}

// complete takes a message and answers with the bot's.
func (e *Endpoint) complete(w http.ResponseWriter, r *http.Request, t tokens.Token) error {
	end, err := e.begin(t.User)
	if err != nil {
		return err
	}
	defer end()
	b, err := e.read(w, r)
	if err != nil {
		return err
	}
	a, err := e.understand(r.Header, b)
	if err != nil {
		return err
	}
	id, err := e.take(r.Context(), t.User, a)
	if err != nil {
		return err
	}
	turn, leave := e.turns.join(id)
	defer leave()
	if err := e.deliver(r.Context(), t.User, id, a); err != nil {
		return err
	}
	out := &output{e: e, w: w, id: id, stream: a.stream, usage: a.usage, began: e.o.Now()}
	answered, err := e.await(r.Context(), turn, id, out.grow)
	if err != nil {
		return out.broken(err)
	}
	return e.give(r.Context(), out, answered)
}

// take finds out whether a request is a new one.
func (e *Endpoint) take(ctx context.Context, user string, a asked) (id string, err error) {
	id, err = e.o.Store.Tokens.Take(ctx, tokens.Ask{User: user, Place: tokens.PlaceOf(user, a.conversation),
		Key: a.key, Digest: a.digest, Again: a.again})
	if errors.Is(err, tokens.ErrReused) {
		return "", refuse(http.StatusUnprocessableEntity, "idempotency_key_reused",
			"This Idempotency-Key belongs to another request. Nothing was done.").final()
	}
	return id, err
}

// deliver hands the message of a request to the hub, unless it was there before. It returns
// when the message is on the disk.
func (e *Endpoint) deliver(ctx context.Context, user, id string, a asked) error {
	hub := e.o.Hub()
	if hub == nil {
		return refuse(http.StatusServiceUnavailable, "starting", "The bot is starting. Send the same again.").wait(2 * time.Second)
	}
	known, ok, err := e.o.Store.Tokens.Request(ctx, id)
	if err != nil || ok && known.Known {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, roomPatience)
	defer cancel()
	if err := hub.Room(waiting); err != nil {
		return fmt.Errorf("no room for a program's request: %w", err)
	}
	m, err := e.message(ctx, user, id, a)
	if err != nil {
		return err
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), storeFor)
	defer cancel()
	return hub.Deliver(ctx, chat.Batch{Platform: chat.Programs, Messages: []chat.Message{m}})
}

// message makes the message of a request, and keeps its files.
func (e *Endpoint) message(ctx context.Context, user, id string, a asked) (m chat.Message, err error) {
	m = message(user, a.conversation)
	m.ID, m.Origin, m.Text, m.Preface, m.At = id, id, strings.TrimSpace(a.text), a.preface, e.o.Now().UTC()
	if m.From.Name, err = e.o.Store.Browse.Person(ctx, user); err != nil {
		return m, err
	}
	if m.From.Name == user { // it is unknown
		m.From.Name = ""
	}
	if data, on, ok := e.choice(ctx, m); ok {
		m.Kind, m.Text, m.ReplyTo = chat.KindButton, data, on
		return m, nil
	}
	if chat.IsCommand(m.Text) {
		m.Kind = chat.KindCommand
	}
	var list []access.WebFile
	for i, f := range a.files {
		at := fmt.Sprint(id, "-", i)
		list = append(list, access.WebFile{ID: at, User: user, Name: f.name, Data: f.data})
		m.Files = append(m.Files, chat.File{Name: f.name, MIME: f.mime, Size: int64(len(f.data)), Voice: f.voice, Ref: user + " " + at})
	}
	if len(list) == 0 {
		return m, nil
	}
	fits, err := e.o.Store.Access.SaveWebFiles(ctx, list, maxStored)
	if err == nil && !fits {
		err = errors.Join(e.o.Store.Tokens.Drop(ctx, id), refuse(http.StatusTooManyRequests, "files_wait",
			"Too many of your files still wait to be read. Nothing was taken.").wait(30*time.Second))
	}
	return m, err
}

// choice finds the button under the last answer that m names by its label.
func (e *Endpoint) choice(ctx context.Context, m chat.Message) (data, on string, ok bool) {
	last, ok, err := e.o.Store.Tokens.Last(ctx, m.Key)
	if err != nil || !ok {
		return "", "", false
	}
	for _, p := range last.Parts {
		for _, b := range slices.Concat(p.Buttons...) {
			if b.Data != "" && strings.EqualFold(b.Label, m.Text) {
				return b.Data, fmt.Sprint(last.ID, "-", p.Index), true
			}
		}
	}
	return "", "", false
}

// Sweep forgets what no client asks for any more.
func (e *Endpoint) Sweep(ctx context.Context) error {
	return errors.Join(e.o.Store.Tokens.Sweep(ctx), e.o.Store.Access.SweepWebFiles(ctx))
}
