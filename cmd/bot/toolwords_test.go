package main

import (
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
)

// TestToolsAreToldInPlainWords: /tools list says to people what each tool does, and
// shows none of what its description tells the model.
func TestToolsAreToldInPlainWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_OWNERS=discord:1").onDiscord()
	w.serve(t)
	w.dc.Interaction(discordtest.Use{Channel: "10", User: "1", Command: "tools list"})
	var all string
	for _, m := range w.discordSent(t, 1) {
		all += m.Content + "\n"
	}
	lines := strings.Split(strings.TrimSpace(all), "\n")
	if len(lines) < 15 {
		t.Fatalf("%d tools:\n%s", len(lines), all)
	}
	for _, line := range lines {
		_, words, ok := strings.Cut(line, "): ")
		if !ok || len(words) < 10 || len(words) > 80 || words[0] < 'a' || words[0] > 'z' || strings.Contains(words, "the person") {
			t.Errorf("not in words for people: %s", line)
		}
	}
}
