package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// step is one message of a conversation script and what follows from it.
type step struct {
	say           string
	model         []llmtest.Turn
	answer, asked []string
}

// readScript reads a file of testdata/conversations, basics.txt explains it, and
// the settings it is played with.
func readScript(t *testing.T, name string) (steps []step, env []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(b), "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		if mark == ">" {
			steps = append(steps, step{say: rest})
			continue
		}
		if mark == "" || mark == "#" {
			continue
		}
		if mark == "@" {
			env = append(env, rest)
			continue
		}
		s := &steps[len(steps)-1]
		switch mark {
		case "=":
			s.model = append(s.model, llmtest.Turn{Text: rest})
		case "!":
			tool, args, _ := strings.Cut(rest, " ")
			s.model = append(s.model, llmtest.Turn{Calls: []llmtest.Call{{ID: fmt.Sprint("call", n), Name: tool, Args: args}}})
		case "x":
			for _, fault := range strings.Fields(rest) {
				s.model = append(s.model, broken(fault))
			}
		case "<":
			s.answer = append(s.answer, rest)
		case "?":
			s.asked = append(s.asked, rest)
		default:
			t.Fatalf("%s:%d: %q", name, n+1, line)
		}
	}
	return steps, env
}

// copyNotes is a folder of notes that a script may change.
func copyNotes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/notes")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// broken is a model that fails.
func broken(fault string) llmtest.Turn {
	switch fault {
	case "filter":
		return llmtest.Turn{Text: "no", Finish: "content_filter"}
	case "429":
		return llmtest.Turn{Status: 429, Header: map[string]string{"Retry-After": "30"}, Body: `{"error":{"message":"slow down"}}`}
	}
	return llmtest.Turn{Status: 503, Body: `{"error":{"message":"overloaded"}}`}
}

// TestConversations plays every script on every front end: the same core has
// to give the same conversation.
func TestConversations(t *testing.T) {
	scripts, err := filepath.Glob("testdata/conversations/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	fronts := map[string]func(*testing.T, *world) func(string) string{"telegram": onTelegram, "discord": onDiscordDM, "terminal": onTerminal}
	for _, script := range scripts {
		for name, front := range fronts {
			t.Run(filepath.Base(script)+"/"+name, func(t *testing.T) {
				w := newWorld(t)
				w.env = append(w.env, "BOT_ACCESS_OWNERS=telegram:1,discord:42")
				steps, env := readScript(t, script)
				for _, e := range env {
					w.env = append(w.env, strings.ReplaceAll(e, "$NOTES", copyNotes(t)))
				}
				say := front(t, w)
				for _, s := range steps {
					w.llm.Queue(s.model...)
					before := len(w.llm.Requests())
					got := say(s.say)
					for _, want := range s.answer {
						if !strings.Contains(got, want) {
							t.Errorf("%q was answered %q, not with %q", s.say, got, want)
						}
					}
					for _, want := range s.asked {
						told := func(r llmtest.Request) bool { return strings.Contains(string(r.Raw), want) }
						if !slices.ContainsFunc(w.llm.Requests()[before:], told) {
							t.Errorf("%q: the model was not told %q", s.say, want)
						}
					}
				}
			})
		}
	}
}

func onTelegram(t *testing.T, w *world) func(string) string {
	w.run(t)
	n := 0
	return func(text string) string {
		w.tg.Push(telegramtest.Text(1, 1, text))
		n++
		list := w.sent(t, n)
		return list[n-1]
	}
}

func onDiscordDM(t *testing.T, w *world) func(string) string {
	w.onDiscord().run(t)
	w.dc.Wait(5*time.Second, func() bool { return w.dc.Connected() > 0 })
	n := 0
	return func(text string) string {
		w.dc.Message("", "10", "42", text)
		n++
		return w.discordSent(t, n)[n-1].Content
	}
}

// onTerminal talks through a pipe: one line in, and everything until the next
// answer is due out.
func onTerminal(t *testing.T, w *world) func(string) string {
	var env []string
	for _, e := range w.env {
		if !strings.HasPrefix(e, "BOT_TELEGRAM") && !strings.HasPrefix(e, "BOT_ACCESS_OWNERS") {
			env = append(env, e)
		}
	}
	w.env = env
	in, typed := io.Pipe()
	shown, out := io.Pipe()
	done := make(chan error, 1)
	cfg := w.config(t)
	go func() {
		err := chatCmd{}.talk(context.Background(), cfg, &streams{in: in, out: out, err: io.Discard})
		_ = out.Close()
		done <- err
	}()
	lines := make(chan string, 1000)
	go func() {
		for scan := bufio.NewScanner(shown); scan.Scan(); {
			lines <- scan.Text()
		}
		close(lines)
	}()
	t.Cleanup(func() {
		_ = typed.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return func(text string) string {
		// The next line is read only when the answer is out, so a blank line
		// that is taken says that it is.
		if _, err := fmt.Fprintf(typed, "%s\n\n", text); err != nil {
			t.Fatal(err)
		}
		var got []string
		for wait := time.After(10 * time.Second); ; {
			select {
			case line := <-lines:
				got = append(got, line)
				continue
			case <-time.After(300 * time.Millisecond):
				if len(got) > 0 {
					return strings.Join(got, "\n")
				}
			case <-wait:
				t.Fatalf("no answer to %q", text)
			}
		}
	}
}
