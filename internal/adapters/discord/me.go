package discord

import (
	"strings"
	"sync"
)

// me is the bot's own identity on Discord, known from the first connection on.
type me struct {
	known chan struct{} // closed once the rest is known

	mu    sync.Mutex      // guards the rest
	self  string          // our user id
	name  string          // what we are called
	app   string          // our application id
	roles map[string]bool // roles that are ours alone: a mention of one is a mention of us
}

func newMe() me { return me{known: make(chan struct{}), roles: map[string]bool{}} }

// introduce notes who we are. Events that a RESUME replays come before the
// connection is settled, and may already be addressed to us.
func (m *me) introduce(r resumable) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.self, m.app, m.name = r.Self, r.App, r.Name
}

// receiving releases sends that wait for the first connection.
func (m *me) receiving() {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.known:
	default:
		close(m.known)
	}
}

// myID returns our user id, "" before it is known.
func (m *me) myID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.self
}

// Name implements chat.Named.
func (m *me) Name() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.name
}

// appID returns our application's id, "" before it is known.
func (m *me) appID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.app
}

// play notes that a role is ours alone.
func (m *me) play(role string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roles[role] = true
}

// mentioned removes mentions of us from a text and reports whether there were any.
func (m *me) mentioned(content string) (text string, called bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text = content
	cut := func(mark string) {
		if strings.Contains(text, mark) {
			called = true
			text = strings.ReplaceAll(text, mark, "")
		}
	}
	if m.self != "" {
		cut("<@" + m.self + ">")
		cut("<@!" + m.self + ">")
	}
	for role := range m.roles {
		cut("<@&" + role + ">")
	}
	return strings.TrimSpace(text), called
}
