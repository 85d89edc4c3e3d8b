package main

import (
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
)

// TestCommandsComeLater: slash commands that could not be registered at the
// start are there later.
func TestCommandsComeLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.dc.Fail(discordtest.Fault{Method: "PUT", Path: "/applications/", Status: 500})
	w.run(t)
	if !w.dc.Wait(time.Minute, func() bool { return len(w.dc.Commands()) > 0 }) {
		t.Error("never registered")
	}
}
