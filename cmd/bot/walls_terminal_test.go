package main

import (
	"strings"
	"testing"
)

// TestTerminalOfOne: what waits for somebody at the terminal is shown to them, not to whoever
// sits there first.
func TestTerminalOfOne(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	h := newHouse(t, episode{tale: "control", engine: "sqlite"})
	wait := turn{deed: "kill"}
	script := []turn{{who: cleo, front: "terminal", text: "/remind in 2 minutes to look at the lantern"}, wait, wait, wait,
		{who: anna, front: "terminal", text: "/tasks list"}, {who: cleo, front: "terminal", text: "/tasks list"}}
	done := make(chan struct{})
	go func() { defer close(done); h.lives(script) }()
	<-done
	if h.wrong != "" {
		t.Fatal(h.wrong)
	}
	shown := map[int]string{}
	for _, s := range h.left {
		shown[s.turn] += s.text
	}
	if strings.Contains(shown[4], "lantern") || !strings.Contains(shown[5], "look at the lantern (I am 3 minutes late") {
		t.Errorf("anna is shown %q, then cleo %q", shown[4], shown[5])
	}
}
