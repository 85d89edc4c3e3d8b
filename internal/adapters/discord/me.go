package discord

import (
	"strings"
	"sync"
	"sync/atomic"
)

// me is the bot's own identity on Discord, known from the first connection on.
type me struct {
	known chan struct{} // closed once sends need not wait any more
	once  sync.Once     // closes known
	note  atomic.Pointer[resumable]
	roles sync.Map // that are ours alone: a mention of one is a mention of us
}

func newMe() me { return me{known: make(chan struct{})} }

// introduce notes who we are. Events that a RESUME replays come before the
// connection is settled, and may already be addressed to us.
func (m *me) introduce(r resumable) { m.note.Store(&r) }

// identity returns who we are; its ids and name are "" before that is known.
func (m *me) identity() resumable {
	if r := m.note.Load(); r != nil {
		return *r
	}
	return resumable{}
}

// receiving releases sends that wait for the first connection.
func (m *me) receiving() { m.once.Do(func() { close(m.known) }) }

// myID returns our user id, "" before it is known.
func (m *me) myID() string { return m.identity().Self }

// Name implements chat.Named.
func (m *me) Name() string { return m.identity().Name }

// mentioned removes mentions of us from a text and reports whether there were any.
func (m *me) mentioned(content string) (text string, called bool) {
	text = content
	cut := func(mark string) {
		if strings.Contains(text, mark) {
			called = true
			text = strings.ReplaceAll(text, mark, "")
		}
	}
	if self := m.myID(); self != "" {
		cut("<@" + self + ">")
		cut("<@!" + self + ">")
	}
	for role := range m.roles.Range {
		cut("<@&" + role.(string) + ">")
	}
	return strings.TrimSpace(text), called
}
