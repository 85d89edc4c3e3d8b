package main

import (
	"slices"
	"strings"
	"testing"
)

// uses is every command once; /stop has a test of its own, and /claim is said
// to nobody's bot only.
const uses = `
/start
/ask what time is it?
/agent
/agent show
/agent list
/agent use nobody
/agent reset
/why
/status
/session info
/session more
/session list
/session show nothing
/session resume nothing
/session delete nothing
/session reset
/session end
/summarize
/model show
/prompt reload
/tools list
/tools disable add_task
/tools enable add_task
/tools allow add_task
/tools ask add_task
/tools servers
/tools approve nothing
/tools login nothing
/tools logout nothing
/tools allow nothing
/tools ask nothing
/trace
/page
/stats
/debug off
/config show
/config set session.ttl 2h
/config tools none
/config tools default
/config channel
/config who
/config allow telegram:99
/config deny telegram:99
/config leave telegram:chat:-4242
/pair list
/pair drop telegram:99
/pair let telegram:4242
/pair revoke telegram:99
/pair approve AAAAA-AAAAA
/facts list
/facts add I like tea
/facts search tea
/facts change 1 I like green tea
/facts undo
/facts learned
/facts digest daily
/facts keep 1
/facts important 1 on
/facts history 1
/facts export
/facts forget 1
/facts clear
/tasks list
/tasks add call mom
/tasks done 1
/tasks edit 1 call dad
/tasks delete 1
/remind in 10 minutes to stretch
/remind add in 20 minutes to stretch
/remind list
/remind snooze 1 in 1 hour
/remind done 1
/remind cancel 2
/remind zone Europe/Zurich
/handoff ask a human
/handoff list
/handoff take 1
/handoff back
/language
/language en
/language auto
/log add I finished it
/log day today
/log search finished
/notes
/notes search tea
/notes show tea.md
/notes recent
/notes status
/notes related tea
/code definition Serve
/code references Serve
/code search Serve
/notes move tea coffee
/notes undo
/notes restore tea
/guideline list
/guideline show refund_policy
/guideline disable refund_policy
/guideline enable refund_policy
/guideline test refund?
/journey list
/journey start refund
/journey status
/journey draw refund
/journey stop
/person show 42
/person set 42 plan plus
/person tag 42 vip
/person untag 42 vip
/rehearse this should have said so
/export
/help
/model set other
/claim AAAAA-AAAAA
/forget-me
`

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
			for line := range strings.Lines(strings.TrimSpace(uses)) {
				line = strings.TrimSpace(line)
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

// usedAll checks that every command that is registered on Discord is in uses.
func (w *world) usedAll(t *testing.T) {
	t.Helper()
	eventually(t, "commands are registered", func() bool { return len(w.dc.Commands()) > 0 })
	for _, c := range w.dc.Commands() {
		if c.Type == 3 { // the menu of a message
			continue
		}
		for _, v := range c.Options {
			if v.Type == 1 && !strings.Contains(uses, "\n/"+c.Name+" "+v.Name) {
				t.Errorf("/%s %s was not tried", c.Name, v.Name)
			}
		}
		if c.Name != "stop" && !strings.Contains(uses, "\n/"+c.Name) {
			t.Errorf("/%s was not tried", c.Name)
		}
	}
}
