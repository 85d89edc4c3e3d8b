// Package webhooks takes what other programs send by HTTP: it checks who sends, makes words
// of it, and delivers them as messages, which are stored before the sender hears 200. What
// becomes of such a message is not its business.
package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/app/bucket"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/hooks"
)

// Platform is what dead letters of webhooks have in place of a platform.
const Platform = "hook"

// Options of New. All are required.
type Options struct {
	Settings []hooks.Hook // those of the settings, of which the templates are right
	Store    *memory.Store
	// Hub takes messages; it returns nil before it may.
	Hub       func() *chat.Hub
	Runs      func(platform string) bool // a platform is served now
	PerMinute func() int                 // deliveries of one hook
	Now       func() time.Time
	Log       *slog.Logger
}

// Hooks are all webhooks, those of the settings and those of the chat.
type Hooks struct {
	o     Options
	slots chan struct{} // one for each body that is read

	pace *bucket.Buckets
}

// atOnce is how many bodies are read at once.
const atOnce = 16

// New opens and starts nothing.
func New(o Options) *Hooks {
	return &Hooks{o: o, slots: make(chan struct{}, atOnce), pace: bucket.New(o.PerMinute, o.Now)}
}

// Any reports whether there is a webhook at all.
func (h *Hooks) Any(ctx context.Context) bool {
	any, err := h.o.Store.Hooks.Any(ctx)
	return len(h.o.Settings) > 0 || any || err != nil
}

// Find returns the hook of a name; hooks.ErrNoHook if there is none.
func (h *Hooks) Find(ctx context.Context, name string) (hooks.Hook, error) {
	for _, s := range h.o.Settings {
		if s.Name == name {
			var err error
			s.Paused, err = h.o.Store.Hooks.Paused(ctx, name)
			return s, err
		}
	}
	return h.o.Store.Hooks.Get(ctx, name)
}

// List lists all hooks, those of the settings first.
func (h *Hooks) List(ctx context.Context) (all []hooks.Hook, err error) {
	for _, s := range h.o.Settings {
		one, err := h.Find(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	stored, err := h.o.Store.Hooks.List(ctx)
	for _, s := range stored {
		if !h.ofSettings(s.Name) { // the settings win
			all = append(all, s)
		}
	}
	return all, err
}

func (h *Hooks) ofSettings(name string) bool {
	for _, s := range h.o.Settings {
		if s.Name == name {
			return true
		}
	}
	return false
}

// delivery is something that came, as it is kept where it could not be said.
type delivery struct {
	Hook    string            `json:"hook"`
	ID      string            `json:"id"`
	Event   string            `json:"event,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    json.RawMessage   `json:"body"`
	At      time.Time         `json:"at"`
	place   chat.Key
}

// Reasons why something is put aside. They are for the operator.
var (
	errPaused = errors.New("the webhook is paused")
	errAway   = errors.New("the platform of the webhook's place does not run")
	errFull   = errors.New("too much of webhooks is put aside already: read it again or drop it")
)

// maxLetters is how much of all webhooks is put aside; then senders are to try again later.
const maxLetters = 200

// take stores what came, once. It returns when it is on the disk.
func (h *Hooks) take(ctx context.Context, hook hooks.Hook, d delivery, known hooks.Delivery) error {
	seen, err := h.o.Store.Hooks.Known(ctx, known)
	if err != nil || seen.Over(h.o.Now()) {
		return err
	}
	d.ID, d.place = seen.ID, seen.Place
	err = h.deliver(ctx, hook, d)
	var unfit *unfitError
	if !errors.As(err, &unfit) {
		return err
	}
	h.o.Log.Warn("what a webhook brought is put aside", "hook", hook.Name, "why", unfit.err)
	if n, err := h.o.Store.Letters.CountOf(ctx, Platform); err != nil || n >= maxLetters {
		return errors.Join(err, errFull)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = h.o.Store.Accept(ctx, chat.Batch{Platform: Platform, Dead: []chat.DeadLetter{{ID: hook.Name + " " + d.ID, Raw: raw, Whole: true,
		Reason: unfit.err.Error()}}})
	return err
}

// unfitError says why something cannot be said, however often it is sent.
type unfitError struct{ err error }

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// patience is how long a sender waits while too much waits here.
const patience = 5 * time.Second

// deliver stores the message that something makes. An unfitError means that it makes none.
func (h *Hooks) deliver(ctx context.Context, hook hooks.Hook, d delivery) error {
	if hook.Paused {
		return &unfitError{errPaused}
	}
	m, err := h.message(hook, d)
	if err != nil || m.Text == "" {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := h.o.Hub().Room(waiting); err != nil {
		return fmt.Errorf("no room for what a webhook brought: %w", err)
	}
	return h.o.Hub().Deliver(ctx, chat.Batch{Platform: m.Key.Platform, Messages: []chat.Message{m}})
}

// message makes the message; its Text is empty if the template says nothing.
func (h *Hooks) message(hook hooks.Hook, d delivery) (m chat.Message, err error) {
	if d.place == (chat.Key{}) {
		d.place = hook.Place
	}
	at := h.o.Store.Access.Place(d.place).Key
	if !h.o.Runs(at.Platform) {
		return m, &unfitError{errAway}
	}
	body, err := decoded(d.Body)
	if err != nil {
		return m, &unfitError{err}
	}
	words, err := words(hook, known{Body: body, Event: d.Event, Headers: d.Headers, Hook: hook.Name})
	if err != nil {
		return m, &unfitError{err}
	}
	return chat.Message{ID: "hook:" + hook.Name + ":" + d.ID, Key: at, From: chat.HookUser(hook.Name), Text: words, At: h.o.Now(),
		Hook: hook.Does, Unasked: true, Forwarded: true, Direct: hook.Direct, Addressed: hook.Does == chat.HookAsk}, nil
}

func words(hook hooks.Hook, k known) (string, error) {
	t, err := Parse(hook.Template)
	if err != nil {
		return "", err
	}
	return t.Render(k, hook.Does == chat.HookAsk)
}

// Try returns the words that a hook would make of JSON. The error may be shown to people.
func (h *Hooks) Try(hook hooks.Hook, body []byte) (string, error) {
	value, err := decoded(body)
	if err != nil {
		return "", err
	}
	return words(hook, known{Body: value, Event: "test", Headers: map[string]string{}, Hook: hook.Name})
}

// Test delivers JSON through a hook as if it had come; id makes it one of its own.
func (h *Hooks) Test(ctx context.Context, hook hooks.Hook, id string, body []byte) error {
	return h.deliver(ctx, hook, delivery{Hook: hook.Name, ID: "test-" + id, Event: "test", Headers: map[string]string{}, Body: body})
}

// Again takes what was put aside once more. An error says why it stays aside.
func (h *Hooks) Again(ctx context.Context, raw []byte) error {
	var d delivery
	if err := json.Unmarshal(raw, &d); err != nil {
		return fmt.Errorf("read what was put aside: %w", err)
	}
	hook, err := h.Find(ctx, d.Hook)
	if err != nil {
		return err
	}
	return h.deliver(ctx, hook, d)
}

// Of returns which hook something came for that was put aside; "" if that cannot be read.
func Of(raw []byte) string {
	var d delivery
	_ = json.Unmarshal(raw, &d)
	return d.Hook
}
