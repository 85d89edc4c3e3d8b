package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// uses returns every command once; /stop has a test of its own, and /claim is said to
// nobody's bot only.
func uses(t *testing.T) (list []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/rehearsals/commands.txt")
	must(t, err)
	for line := range strings.Lines(string(b)) {
		if use, ok := strings.CutPrefix(strings.TrimSpace(line), "> "); ok {
			list = append(list, use)
		}
	}
	return list
}

// TestEveryCommandWithTheModelDown: each command answers on each
// front end when there is no model, and says that it did not work for none but
// those that are about the model.
func TestEveryCommandWithTheModelDown(t *testing.T) {
	t.Parallel()
	aboutTheModel := []string{"/model set other", "/summarize"}
	for name, front := range fronts {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env = append(w.env, "BOT_MODEL_REQUIRED=false", "BOT_MODEL_RETRY_FOR=0s", "BOT_PLAYBOOK_DIR=../../config/playbook",
				"BOT_HTTP_LISTEN=127.0.0.1:0")
			w.llm.Close()
			say := front(t, w)
			for _, line := range uses(t) {
				if got := say(line); strings.TrimSpace(got) == "" || strings.Contains(got, "Usage:") ||
					strings.Contains(got, "did not work") && !slices.Contains(aboutTheModel, line) {
					t.Errorf("%s: %q", line, got)
				}
			}
			if name == "discord" {
				w.usedAll(t)
			}
		})
	}
}

// usedAll checks that every command that is registered on Discord was used.
func (w *world) usedAll(t *testing.T) {
	t.Helper()
	all := "\n" + strings.Join(uses(t), "\n")
	eventually(t, "commands are registered", func() bool { return len(w.dc.Commands()) > 0 })
	for _, c := range w.dc.Commands() {
		if c.Type == 3 { // the menu of a message
			continue
		}
		for _, v := range c.Options {
			if v.Type == 1 && !strings.Contains(all, "\n/"+c.Name+" "+v.Name) {
				t.Errorf("/%s %s was not tried", c.Name, v.Name)
			}
		}
		if c.Name != "stop" && !strings.Contains(all, "\n/"+c.Name) {
			t.Errorf("/%s was not tried", c.Name)
		}
	}
}
