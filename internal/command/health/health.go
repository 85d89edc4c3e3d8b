// Package health tells how the parts of the bot are doing, and what to call it.
// It asks no part that could hang, and nothing is restarted because of it.
package health

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// State is how a part of the bot, or all of it, is doing.
type State int

// Degraded means that messages are received, stored and answered, and that
// something asks for the owner's eyes. Unavailable means that they are not.
const (
	Well State = iota
	Degraded
	Unavailable
)

// String returns the word of /healthz.
func (s State) String() string { return [...]string{"ok", "degraded", "unavailable"}[s] }

// Finding is a part that is not well, and why: a sentence for the owner, which is
// English for machines.
type Finding struct {
	Part string
	Is   State
	Why  catalog.Phrase
}

// Hiding returns the finding without what nobody may read.
func (f Finding) Hiding(hide func(string) string) Finding {
	f.Why = worded{f.Why, hide}
	return f
}

// worded is a phrase whose words are changed in every language.
type worded struct {
	catalog.Phrase
	change func(string) string
}

func (w worded) String() string { return w.change(w.Phrase.String()) }

func (w worded) In(p catalog.Printer) string { return w.change(w.Phrase.In(p)) }

// Found returns the finding that an error of a Health method stands for; ok is
// false for nil.
func Found(part string, err error) (f Finding, ok bool) {
	if err == nil {
		return f, false
	}
	f = Finding{part, Unavailable, catalog.Told(err)}
	var weak *chat.DegradedError
	if errors.As(err, &weak) {
		f.Is = Degraded
	}
	return f, true
}

// Concern returns the finding that something asks for the owner's eyes.
func Concern(part string, why catalog.Phrase) Finding { return Finding{part, Degraded, why} }

// Worst returns how all of it is doing.
func Worst(list []Finding) State {
	if len(list) == 0 {
		return Well
	}
	return slices.MaxFunc(list, func(a, b Finding) int { return cmp.Compare(a.Is, b.Is) }).Is
}

// Beats shares a write to the database among those who ask within a second:
// anybody may ask for readiness, as often as they like.
type Beats struct {
	mu   sync.Mutex // guards the rest
	at   time.Time
	last error
}

// Ask is the last answer of beat, from now or from a second ago.
func (b *Beats) Ask(ctx context.Context, now time.Time, beat func(context.Context) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.at).Abs() >= time.Second {
		b.last, b.at = beat(ctx), now
	}
	return b.last
}
