// Package health tells how the parts of the bot are doing, and what to call it.
// It asks no part that could hang, and nothing is restarted because of it.
package health

import (
	"cmp"
	"errors"
	"slices"

	"parley/internal/chat"
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

// Finding is a part that is not well, and why: a sentence for the owner.
type Finding struct {
	Part string
	Is   State
	Why  string
}

// Found returns the finding that an error of a Health method stands for; ok is
// false for nil.
func Found(part string, err error) (f Finding, ok bool) {
	if err == nil {
		return f, false
	}
	f = Finding{part, Unavailable, err.Error()}
	var weak *chat.DegradedError
	if errors.As(err, &weak) {
		f.Is = Degraded
	}
	return f, true
}

// Concern returns the finding that something asks for the owner's eyes.
func Concern(part, why string) Finding { return Finding{part, Degraded, why} }

// Worst returns how all of it is doing.
func Worst(list []Finding) State {
	if len(list) == 0 {
		return Well
	}
	return slices.MaxFunc(list, func(a, b Finding) int { return cmp.Compare(a.Is, b.Is) }).Is
}
