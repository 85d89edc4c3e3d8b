// Package hooks keeps the webhooks that owners set up in a chat, which of all webhooks are
// paused, and what came, as rows. It reads no request and renders no template.
package hooks

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/text"
)

// Hook is a webhook: who may send, where it speaks, and what becomes of what is sent.
type Hook struct {
	Name   string
	Secret string // proves who sends; never shown again
	Place  chat.Key
	Direct bool // Place is a chat with one person
	Does   chat.HookDo
	// Template makes the words, as webhooks.Parse reads it; "" says all of it.
	Template string
	By       string // the owner; "" for the settings
	At       time.Time
	Paused   bool
}

// Store is the hooks of a database. It is safe for many goroutines.
type Store struct {
	db  *engine.DB
	now func() time.Time
}

// NewStore returns the hooks of a database whose schema is up to date.
func NewStore(db *engine.DB, now func() time.Time) *Store { return &Store{db, now} }

// ErrTaken and ErrNoHook may be shown to people.
var (
	ErrTaken  = text.Tell("There is a webhook of that name already. /hook list shows them.")
	ErrNoHook = text.Tell("There is no webhook of that name. /hook list shows those there are.")
)

// Add stores a hook; ErrTaken if there is one of its name.
func (s *Store) Add(ctx context.Context, h Hook) error {
	n, err := s.db.Count(ctx, `INSERT INTO hooks (name, secret, platform, channel, thread, direct, does, template, by_id, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, h.Name, h.Secret, h.Place.Platform, h.Place.Channel,
		h.Place.Thread, h.Direct, string(h.Does), h.Template, h.By, engine.Stamp(s.now()))
	if err == nil && n == 0 {
		return ErrTaken
	}
	return engine.During("add a hook", err)
}

const columns = "name, secret, platform, channel, thread, direct, does, template, by_id, at, EXISTS (SELECT 1 FROM hook_pauses p WHERE p.name = hooks.name)"

func scan(r engine.Scanner) (h Hook, err error) {
	err = r.Scan(&h.Name, &h.Secret, &h.Place.Platform, &h.Place.Channel, &h.Place.Thread, &h.Direct, &h.Does, &h.Template, &h.By,
		engine.Stamped(&h.At), &h.Paused)
	return h, err
}

// Get returns the hook of a name; ErrNoHook if none of the chat's has it.
func (s *Store) Get(_ context.Context, name string) (Hook, error) {
	h, err := scan(s.db.QueryRow("SELECT "+columns+" FROM hooks WHERE name = ?", name))
	return h, engine.During("read a hook", engine.NoRow(err, ErrNoHook))
}

// List lists the chat's hooks by name.
func (s *Store) List(context.Context) ([]Hook, error) {
	list, err := engine.Select(s.db, scan, "SELECT "+columns+" FROM hooks ORDER BY name")
	return list, engine.During("list hooks", err)
}

// Any reports whether the chat has set up a hook.
func (s *Store) Any(context.Context) (any bool, err error) {
	err = s.db.QueryRow("SELECT EXISTS (SELECT 1 FROM hooks)").Scan(&any)
	return any, engine.During("look for hooks", err)
}

// Delete deletes a hook with what is known of its deliveries; ErrNoHook if there is none.
func (s *Store) Delete(ctx context.Context, name string) error {
	return engine.During("delete a hook", s.db.Write(ctx, func(tx *engine.Tx) error {
		var n int64
		if err := tx.Count(&n, "DELETE FROM hooks WHERE name = ?", name); err != nil {
			return err
		}
		if n == 0 {
			return ErrNoHook
		}
		return tx.ExecAll(engine.Named{"name": name}, "DELETE FROM hook_pauses WHERE name = :name",
			"DELETE FROM hook_deliveries WHERE hook = :name")
	}))
}

// Pause stops a hook, of the chat or of the settings, or lets it go on.
func (s *Store) Pause(ctx context.Context, name string, on bool) error {
	if on {
		return engine.During("pause a hook", s.db.Exec(ctx, "INSERT INTO hook_pauses VALUES (?, ?) ON CONFLICT DO NOTHING", name,
			engine.Stamp(s.now())))
	}
	return engine.During("go on with a hook", s.db.Exec(ctx, "DELETE FROM hook_pauses WHERE name = ?", name))
}

// Paused reports whether a hook is stopped.
func (s *Store) Paused(_ context.Context, name string) (paused bool, err error) {
	err = s.db.QueryRow("SELECT EXISTS (SELECT 1 FROM hook_pauses WHERE name = ?)", name).Scan(&paused)
	return paused, engine.During("look at a hook", err)
}
