package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app/cli"
	"parley/internal/text/waittest"
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
	lines := strings.Split(strings.TrimSpace(uses), "\n")
	var script []string
	for i, line := range lines {
		script = append(script, line, fmt.Sprintf("/zz%dzz", i)) // answered by its name
	}
	aboutTheModel := []string{"/model set other", "/summarize"}
	for name, play := range map[string]func(*testing.T, *world, []string) string{"telegram": playTelegram, "discord": playDiscord,
		"terminal": playTerminal} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env = append(w.env, "BOT_ACCESS_OWNERS=telegram:1,discord:42", "BOT_MODEL_REQUIRED=false", "BOT_MODEL_RETRY_FOR=0s",
				"BOT_LIMITS_QUEUE_PER_CHANNEL=1000",
				"BOT_PLAYBOOK_DIR=../../config/playbook", "BOT_HTTP_LISTEN=127.0.0.1:0")
			w.llm.Close()
			rest := play(t, w, script)
			for i, line := range lines {
				answer, after, ok := strings.Cut(rest, fmt.Sprintf("/zz%dzz", i))
				if !ok {
					t.Fatalf("no answer after %s: %s", line, rest)
				}
				rest = after
				answer, _, _ = strings.Cut(answer, "I do not know the command")
				_, answer, _ = strings.Cut(answer, "Try /help.\n")
				if i == 0 {
					answer = "x" + answer
				}
				if strings.TrimSpace(answer) == "" || strings.Contains(answer, "Usage:") ||
					strings.Contains(answer, "did not work") && !slices.Contains(aboutTheModel, line) {
					t.Errorf("%s: %q", line, answer)
				}
			}
			if name == "discord" {
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
		})
	}
}

func playTelegram(t *testing.T, w *world, script []string) string {
	w.run(t)
	for _, line := range script {
		before := len(w.tg.Sent())
		w.tg.Push(telegramtest.Text(1, 1, line))
		eventually(t, line+" is answered", func() bool { return len(w.tg.Sent()) > before && w.unfinished() == 0 })
	}
	return w.until(t, script, func() (texts []string) {
		for _, m := range w.tg.Sent() {
			texts = append(texts, m.Text)
		}
		return texts
	})
}

func playDiscord(t *testing.T, w *world, script []string) string {
	w.onDiscord().run(t)
	if !w.dc.Wait(time.Minute, func() bool { return len(w.dc.Commands()) > 0 }) {
		t.Fatal("not connected")
	}
	for _, line := range script {
		before := len(w.dc.Sent())
		w.dc.Message("", "10", "42", line)
		eventually(t, line+" is answered", func() bool { return len(w.dc.Sent()) > before && w.unfinished() == 0 })
	}
	return w.until(t, script, func() (texts []string) {
		for _, m := range w.dc.Sent() {
			texts = append(texts, m.Content)
		}
		return texts
	})
}

// until waits for the answer to the last line and returns all answers.
func (w *world) until(t *testing.T, script []string, sent func() []string) (all string) {
	t.Helper()
	if !waittest.Within(2*time.Minute, func() bool {
		all = strings.Join(sent(), "\n") + "\n"
		return strings.Contains(all, script[len(script)-1])
	}) {
		t.Fatalf("not all were answered: %s", all)
	}
	return all
}

func playTerminal(t *testing.T, w *world, script []string) string {
	w.env = slices.DeleteFunc(w.env, func(e string) bool {
		return strings.HasPrefix(e, "BOT_TELEGRAM") || strings.HasPrefix(e, "BOT_ACCESS_OWNERS")
	})
	var out safeBuffer
	s := &cli.Streams{In: strings.NewReader(strings.Join(script, "\n") + "\n"), Out: &out, Err: io.Discard}
	must(t, (chatCmd{}).talk(context.Background(), w.config(t), process(s)))
	return out.String()
}
