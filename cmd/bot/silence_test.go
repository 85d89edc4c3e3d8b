package main

import (
	"testing"

	"parley/internal/adapters/discord/discordtest"
)

// TestSilenceEndsThinking: a command on Discord that gets no answer does not go on showing
// that one comes, also after a kill; who is not let in sees it alone.
func TestSilenceEndsThinking(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  []string
		uses int // that are answered before one is not
		kill string
	}{
		"not let in":           {[]string{"BOT_ACCESS_MODE=pairing"}, 1, ""},
		"not let in, killed":   {[]string{"BOT_ACCESS_MODE=pairing"}, 1, "after_finish:2"},
		"too many":             {[]string{"BOT_LIMITS_USER_PER_MINUTE=1"}, 2, ""},
		"too many, and killed": {[]string{"BOT_LIMITS_USER_PER_MINUTE=1"}, 2, "after_finish:3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.env...).onDiscord()
			child := w.start(t, "BOT_FAILPOINT="+c.kill)
			w.connected(t)
			use := func() string {
				return w.dc.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "ask",
					Options: [][2]string{{"question", "anybody there?"}}})
			}
			ended := func() int { return len(w.dc.Calls("DELETE", "/webhooks/")) }
			for i := range c.uses {
				id := use()
				if r := w.responded(t, id); r.Private() != (c.uses == 1) {
					t.Errorf("private: %v", r.Private())
				}
				w.discordSent(t, i+1)
			}
			before := ended()
			id := use()
			w.responded(t, id)
			if c.kill != "" {
				dies(t, child)
				w.start(t)
				w.connected(t)
			}
			eventually(t, "the thinking ends", func() bool { return ended() > before })
			w.settled(t)
			if n := len(w.dc.Sent()); n != c.uses {
				t.Errorf("%d messages: %+v", n, w.dc.Sent())
			}
		})
	}
}
