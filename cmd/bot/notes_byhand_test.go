package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// said is a message of the bot's as a person sees it, with the data of its buttons.
type said struct {
	id, text string
	buttons  []string
}

// hand is a person in a direct chat: they type, use commands and press buttons.
type hand struct {
	type_ func(text string)
	press func(message, data string)
	// command uses a command with options as the platform offers it.
	command func(name string, options ...[2]string)
	all     func() []said
	// begin starts the bot, which dies at a failpoint if one is named.
	begin func(failpoint string) *exec.Cmd
}

func handOnTelegram(t *testing.T, w *world) hand {
	n := 0
	say := func(text string) { w.tg.Push(telegramtest.Text(1, 1, text)) }
	return hand{
		type_: say,
		begin: func(failpoint string) *exec.Cmd { return w.start(t, "BOT_FAILPOINT="+failpoint) },
		press: func(message, data string) {
			n++
			w.tg.Push(telegramtest.Press(1, 1, int(personNumber(message)), fmt.Sprint("query", n), data))
		},
		command: func(name string, options ...[2]string) {
			for _, o := range options {
				name += " " + o[1]
			}
			say("/" + name)
		},
		all: func() (list []said) {
			for _, m := range w.tg.Sent() {
				s := said{id: fmt.Sprint(m.ID), text: m.Text}
				for _, row := range m.Buttons {
					for _, b := range row {
						s.buttons = append(s.buttons, b.Data)
					}
				}
				list = append(list, s)
			}
			return list
		},
	}
}

func handOnDiscord(t *testing.T, w *world) hand {
	w.onDiscord()
	return hand{
		begin: func(failpoint string) *exec.Cmd {
			w.dc.Wait(time.Minute, func() bool { return w.dc.Connected() == 0 }) // the one before is gone
			child := w.start(t, "BOT_FAILPOINT="+failpoint)
			w.connected(t)
			return child
		},
		type_: func(text string) { w.dc.Message("", "10", "42", text) },
		press: func(message, data string) { w.dc.Press("", "10", "42", message, data) },
		command: func(name string, options ...[2]string) {
			w.dc.Interaction(discordtest.Use{Channel: "10", User: "42", Command: name, Options: options})
		},
		all: func() (list []said) {
			for _, m := range w.dc.Sent() {
				list = append(list, said{m.ID, m.Content, m.Buttons})
			}
			return list
		},
	}
}

// TestNotesByHand: the button of a source shows its words, as they were, also once the note says
// something else; what was written is said; and an earlier text comes back, on both platforms. The
// process is killed between the answer and its button, between a note and what is said of it, and
// between an earlier text and the answer: each is done once, and said once.
func TestNotesByHand(t *testing.T) {
	t.Parallel()
	for name, front := range map[string]func(*testing.T, *world) hand{"telegram": handOnTelegram, "discord": handOnDiscord} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "BOT_ACCESS_OWNERS=telegram:1,discord:42")
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "tea.md"), []byte("# Tea\n\n## Brewing\n\nGreen tea brews at 75 degrees.\n"), 0o600))
			w.settings(t, "vault: {dir: "+dir+"}\n")
			h := front(t, w)
			playNotes(t, w, h, filepath.Join(dir, "agent-notes", "tea log.md"))
		})
	}
}

func playNotes(t *testing.T, w *world, h hand, file string) {
	until := func(from int, want string) said {
		t.Helper()
		var got said
		if !waittest.Within(time.Minute, func() bool {
			list := h.all()
			i := slices.IndexFunc(list[min(from, len(list)):], func(s said) bool { return strings.Contains(s.text, want) })
			if i >= 0 {
				got = list[from+i]
			}
			return i >= 0 && w.unfinished() == 0
		}) {
			t.Fatalf("never %q in %+v", want, h.all())
		}
		return got
	}
	child := h.begin("")
	from := 0
	step := func(do func(), want string) said {
		t.Helper()
		from = len(h.all())
		do()
		return until(from, want)
	}
	typed := func(text string) func() { return func() { h.type_(text) } }

	eventually(t, "the notes are indexed", func() bool {
		return strings.Contains(step(typed("/notes search brews"), "").text, "tea.md")
	})
	w.llm.Queue(callTool("vault_search", `{"query":"green tea degrees"}`), llmtest.Turn{Text: "At 75 degrees [1]."})
	answer := step(typed("how hot should green tea be?"), "75 degrees [1]")
	source := slices.IndexFunc(answer.buttons, func(data string) bool { return strings.Contains(data, "source:1") })
	if !strings.Contains(answer.text, "tea.md#Brewing") || source < 0 {
		t.Fatalf("answered %+v", answer)
	}
	kill(child)
	child = h.begin("")
	step(func() { h.press(answer.id, answer.buttons[source]) }, "Green tea brews at 75 degrees.")

	// next ends the process and starts one that dies at a failpoint, or not.
	next := func(failpoint string) {
		kill(child)
		child = h.begin(failpoint)
	}
	dead := func(do func()) func() {
		return func() { do(); dies(t, child); child = h.begin("") }
	}
	for i, mode := range []string{"create", "append"} {
		next([]string{"after_model:2", "before_finish"}[i])
		w.llm.Queue(callTool("vault_write", fmt.Sprintf(`{"path":"tea log","mode":%q,"content":"Cup %d."}`, mode, i+1)),
			llmtest.Turn{Text: "Done."}, llmtest.Turn{Text: "Done."})
		wrote := step(dead(typed(fmt.Sprint("note down cup ", i+1))), "Wrote agent-notes/tea log.md")
		if want := []string{"(new, 1 line)", "+ Cup 2."}[i]; !strings.Contains(wrote.text, want) {
			t.Errorf("said %q, without %q", wrote.text, want)
		}
	}
	both, err := os.ReadFile(file)
	if must(t, err); string(both) != "Cup 1.\n\nCup 2.\n" {
		t.Fatalf("the note says %q", both)
	}

	earlier := step(func() { h.command("notes restore", [2]string{"path", "tea log"}) }, "Earlier versions of agent-notes/tea log.md")
	if len(earlier.buttons) != 1 {
		t.Fatalf("no button in %+v", earlier)
	}
	must(t, os.WriteFile(file, []byte("Cup 3.\n"), 0o600))
	w.llm.Queue(callTool("vault_write", `{"path":"tea log","mode":"append","content":"Cup 4."}`), llmtest.Turn{Text: "Done."})
	step(typed("note down cup 4"), "Wrote agent-notes/tea log.md") // so that others are 1 and 2 now
	next("before_finish")
	step(dead(func() { h.press(earlier.id, earlier.buttons[0]) }), "agent-notes/tea log.md (+1 −3 lines)")
	if one, err := os.ReadFile(file); err != nil || string(one) != "Cup 1.\n" {
		t.Errorf("restored to %q, %v", one, err)
	}
	must(t, os.WriteFile(filepath.Join(filepath.Dir(file), "..", "tea.md"), []byte("# Tea\n\nNothing.\n"), 0o600))
	step(func() { h.press(answer.id, answer.buttons[source]) }, "Green tea brews at 75 degrees.") // as it was then
}
