package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

func callTool(name, args string) llmtest.Turn {
	return llmtest.Turn{Calls: []llmtest.Call{{ID: "c", Name: name, Args: args}}}
}

// group is a bot in a group of two: what it was asked for is asked back, and
// the answer is pressed.
type group struct {
	say   func(user, text string)
	press func(user, data string)
	// all is what the bot has said so far, and the last question's buttons.
	all func() (texts []string, buttons []string)
	// toast is what the n-th press was answered with at once; nil where only
	// refusals are.
	toast func(n int) string
}

func onTelegramGroup(t *testing.T, w *world) group {
	w.run(t)
	asked, n := 0, 0
	return group{
		toast: func(n int) string { return w.tg.Toast(fmt.Sprint("query", n)) },
		say:   func(user, text string) { w.tg.Push(telegramtest.Text(-100, personNumber(user), "@parley_bot "+text)) },
		press: func(user, data string) {
			n++
			w.tg.Push(telegramtest.Press(-100, personNumber(user), asked, fmt.Sprint("query", n), data))
		},
		all: func() (texts, buttons []string) {
			for _, m := range w.tg.Sent() {
				texts = append(texts, m.Text)
				for _, row := range m.Buttons {
					for _, b := range row {
						buttons, asked = append(buttons, b.Data), m.ID
					}
				}
			}
			return texts, buttons
		},
	}
}

func onDiscordGuild(t *testing.T, w *world) group {
	w.onDiscord().run(t)
	w.connected(t)
	asked := ""
	return group{
		say:   func(user, text string) { w.dc.Message("77", "50", user, "<@9000> "+text) },
		press: func(user, data string) { w.dc.Press("77", "50", user, asked, data) },
		all: func() (texts, buttons []string) {
			for _, m := range w.dc.Sent() {
				texts = append(texts, m.Content)
				if len(m.Buttons) > 0 {
					buttons, asked = append(buttons, m.Buttons...), m.ID
				}
			}
			return texts, buttons
		},
	}
}

func personNumber(user string) (n int64) {
	_, _ = fmt.Sscan(user, &n) // the test's own
	return n
}

// TestConfirmationButtons: a button works for the one who was asked, once, and
// for what was asked.
func TestConfirmationButtons(t *testing.T) {
	t.Parallel()
	for name, front := range map[string]func(*testing.T, *world) group{"telegram": onTelegramGroup, "discord": onDiscordGuild} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			g := front(t, w)
			until := func(want string) (buttons []string) {
				t.Helper()
				var texts []string
				if !waittest.Within(time.Minute, func() bool {
					texts, buttons = g.all()
					return len(texts) > 0 && strings.Contains(texts[len(texts)-1], want)
				}) {
					t.Fatalf("never %q in %q", want, texts)
				}
				return buttons
			}
			w.llm.Queue(callTool("add_task", `{"description":"milk"}`), llmtest.Turn{Text: "It is on it."},
				callTool("delete_task", `{"id":1}`), llmtest.Turn{Text: "It stays."})
			g.say("42", "put milk on my list")
			until("It is on it.")
			g.say("42", "delete the milk")
			first := until(`Delete the task "milk"?`)
			if len(first) != 2 || !strings.HasPrefix(first[0], "yes:") {
				t.Fatalf("buttons %q", first)
			}
			g.press("43", first[0]) // somebody else's finger
			g.press("42", strings.Replace(first[1], "no:", "yes:", 1))
			g.press("42", first[1])
			until("It stays.")
			g.press("42", first[0]) // it was answered
			w.llm.Queue(callTool("delete_task", `{"id":1}`), llmtest.Turn{Text: "The milk is gone."})
			g.say("42", "delete the milk after all")
			second := until(`Delete the task "milk"?`)
			second = second[len(second)-2:]
			g.press("42", first[0]) // the question before this one
			g.press("42", second[0])
			until("The milk is gone.")
			g.press("42", second[0])
			w.llm.Queue(callTool("list_tasks", `{}`), llmtest.Turn{Text: "Nothing is left."})
			g.say("42", "what is left?")
			until("Nothing is left.")
			texts, left := g.all()
			for _, want := range []string{`Delete the task "milk"?` + "\n\n❌ ", `Delete the task "milk"?` + "\n\n✅ "} {
				if !strings.Contains(strings.Join(texts, "\n"), want) {
					t.Errorf("no question says %q at its end: %q", want, texts)
				}
			}
			for n, want := range map[int]string{1: "not yours", 3: "I won't do it", 4: "answered that already", 6: "On it",
				7: "answered that already: Deleted: #1 milk"} {
				if g.toast != nil && !strings.Contains(g.toast(n), want) {
					t.Errorf("press %d says %q, want %q", n, g.toast(n), want)
				}
			}
			if len(left) != 0 {
				t.Errorf("buttons stay: %q", left)
			}
			if n := strings.Count(strings.Join(texts, "\n"), "The milk is gone."); n != 1 {
				t.Errorf("deleted %d times: %q", n, texts)
			}
			if err := w.stop(); err != nil {
				t.Error(err)
			}
			if n, err := w.open(t).Rows(context.Background(), "tasks"); err != nil || n != 0 {
				t.Errorf("%d tasks, %v", n, err)
			}
		})
	}
}
