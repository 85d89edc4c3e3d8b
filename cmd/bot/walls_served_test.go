package main

import "testing"

// TestWallsAmongProcesses: one of several processes does what is due although a conversation
// whose time is over is on a platform that only another one can have.
func TestWallsAmongProcesses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a server")
	}
	h := newHouse(t, episode{tale: "control", engine: "postgres"})
	h.env = append(h.env, "BOT_SESSION_IDLE_TIMEOUT=30s", "BOT_SESSION_TTL=60s")
	h.begin()
	h.ready()
	h.ends(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.lives([]turn{{who: anna, front: "terminal", text: "hello"}, {deed: "kill"}, {deed: "kill"},
			{who: anna, front: "telegram", text: "hello"}})
	}()
	<-done
	if h.wrong != "" {
		t.Error(h.wrong)
	}
}
