package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app/cli"
	"parley/internal/llm/llmtest"
)

// step is one message of a conversation script and what follows from it.
type step struct {
	say             string
	model           []llmtest.Turn
	answer, asked   []string
	silent, untold  []string
	offers, conceal []string
	calls           int // -1: not counted
}

// readScript reads a file of testdata/conversations; basics.txt explains it.
func readScript(t *testing.T, name string) (env []string, steps []step) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(string(b), "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		if mark == ">" {
			steps = append(steps, step{say: rest, calls: -1})
			continue
		}
		if mark == "" || mark == "#" {
			continue
		}
		if mark == "set" {
			env = append(env, rest)
			continue
		}
		s := &steps[len(steps)-1]
		switch mark {
		case "=":
			s.model = append(s.model, llmtest.Turn{Text: rest})
		case "!", "+":
			tool, args, _ := strings.Cut(rest, " ")
			if mark == "!" {
				s.model = append(s.model, llmtest.Turn{})
			}
			last := &s.model[len(s.model)-1]
			last.Calls = append(last.Calls, llmtest.Call{ID: fmt.Sprint("call", n), Name: tool, Args: args})
		case "x":
			for _, fault := range strings.Fields(rest) {
				s.model = append(s.model, broken(fault))
			}
		case "<":
			s.answer = append(s.answer, rest)
		case "?":
			s.asked = append(s.asked, rest)
		case "!<":
			s.silent = append(s.silent, rest)
		case "!?":
			s.untold = append(s.untold, rest)
		case "offers":
			s.offers = append(s.offers, rest)
		case "!offers":
			s.conceal = append(s.conceal, rest)
		case "calls":
			if _, err := fmt.Sscan(rest, &s.calls); err != nil {
				t.Fatalf("%s:%d: %v", name, n+1, err)
			}
		default:
			t.Fatalf("%s:%d: %q", name, n+1, line)
		}
	}
	return env, steps
}

// copyNotes returns a folder of notes that a script may change.
func copyNotes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/notes")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// broken returns a model that fails.
func broken(fault string) llmtest.Turn {
	fault, after, _ := strings.Cut(fault, ":")
	switch fault {
	case "filter":
		return llmtest.Turn{Text: "no", Finish: "content_filter"}
	case "length":
		return llmtest.Turn{Text: "The first half of", Finish: "length"}
	case "empty":
		return llmtest.Turn{Stream: []string{`data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}`, "data: [DONE]"}}
	case "429":
		return llmtest.Turn{Status: 429, Header: map[string]string{"Retry-After": after}, Body: `{"error":{"message":"slow down"}}`}
	case "overflow":
		return llmtest.Turn{Status: 400,
			Body: `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 4096 tokens"}}`}
	case "500":
		return llmtest.Turn{Status: 500, Body: `{"error":{"message":"boom"}}`}
	}
	return llmtest.Turn{Status: 503, Body: `{"error":{"message":"overloaded"}}`}
}

// TestConversations plays every script on every front end: the same core has
// to give the same conversation.
func TestConversations(t *testing.T) {
	t.Parallel()
	for _, script := range scripts(t) {
		for name, front := range fronts {
			t.Run(filepath.Base(script)+"/"+name, func(t *testing.T) {
				t.Parallel()
				env, steps := readScript(t, script)
				w := scripted(t, env, "telegram:1,discord:42")
				w.converse(t, steps, front(t, w))
			})
		}
	}
}

// scripts lists the files of scripts; there are some.
func scripts(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/conversations/*.txt")
	if err != nil || len(list) == 0 {
		t.Fatal("no scripts", err)
	}
	return list
}

// scripted is a world with owners and the settings of a script.
func scripted(t *testing.T, env []string, owners string) *world {
	t.Helper()
	w := newWorld(t)
	w.llm.Models("test", "second")
	w.env = append(w.env, "BOT_ACCESS_OWNERS="+owners)
	for _, e := range env {
		w.env = append(w.env, strings.ReplaceAll(e, "$NOTES", copyNotes(t)))
	}
	return w
}

// converse plays a script, once the notes that it asks about are indexed.
func (w *world) converse(t *testing.T, steps []step, say func(string) string) {
	t.Helper()
	ask := func(text string) (answer string) {
		eventually(t, "the notes are indexed", func() bool {
			answer = say(text)
			return !strings.Contains(answer, "still being indexed")
		})
		return answer
	}
	for _, s := range steps {
		w.play(t, ask, s)
	}
}

// fronts start a bot and return how to say something to it there.
var fronts = map[string]func(*testing.T, *world) func(string) string{"telegram": onTelegram, "discord": onDiscordDM, "terminal": onTerminal}

// internals are what no answer shows: names of tools, ids of rows, keys,
// stacks. Commands of owners may.
var internals = regexp.MustCompile(
	`\b(save|add|list|complete|update|delete|forget|set|cancel|recall|log|current|web|find)_[a-z]+\b|[0-9a-f]{8}-[0-9a-f]{4}-|goroutine |` +
		regexp.QuoteMeta(telegramtest.DefaultToken) + "|" + discordtest.Token)

// play says one thing and looks at what follows.
func (w *world) play(t *testing.T, say func(string) string, s step) {
	t.Helper()
	w.llm.Queue(s.model...)
	before := len(w.llm.Requests())
	got := say(s.say)
	// A summary may be asked for beside; it is not about what is said now.
	asked := slices.DeleteFunc(w.llm.Requests()[before:], func(r llmtest.Request) bool { return len(r.ResponseFormat) > 0 })
	told := func(want string) bool {
		return slices.ContainsFunc(asked, func(r llmtest.Request) bool { return strings.Contains(string(r.Raw), want) })
	}
	offered := func(tool string) bool {
		return slices.ContainsFunc(asked, func(r llmtest.Request) bool { return strings.Contains(string(r.Tools), `"name":"`+tool+`"`) })
	}
	for _, c := range []struct {
		list  []string
		holds func(string) bool
		want  bool
		what  string
	}{
		{s.answer, func(want string) bool { return strings.Contains(got, want) }, true, "the answer has"},
		{s.silent, func(want string) bool { return strings.Contains(got, want) }, false, "the answer has"},
		{s.asked, told, true, "the model was told"},
		{s.untold, told, false, "the model was told"},
		{s.offers, offered, true, "the model was offered"},
		{s.conceal, offered, false, "the model was offered"},
	} {
		for _, text := range c.list {
			if c.holds(text) != c.want {
				t.Errorf("%q: %s %q is not %t; the answer is %q", s.say, c.what, text, c.want, got)
			}
		}
	}
	if !strings.HasPrefix(s.say, "/") && internals.MatchString(got) {
		t.Errorf("%q: the answer shows internals: %q", s.say, got)
	}
	if s.calls >= 0 && len(asked) != s.calls {
		t.Errorf("%q: %d model calls, not %d", s.say, len(asked), s.calls)
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
	w.connected(t)
	n := 0
	return func(text string) string {
		w.dc.Message("", "10", "42", text)
		n++
		w.discordSent(t, n)
		w.settled(t) // what was sent may be a preview
		return w.dc.Sent()[n-1].Content
	}
}

// settled waits until every message is answered and every answer sent.
func (w *world) settled(t *testing.T) {
	t.Helper()
	eventually(t, "all is answered", func() bool { return w.unfinished() == 0 })
}

// unfinished counts the messages to be answered and the answers to be sent; -1
// while there is no database.
func (w *world) unfinished() (n int) {
	db, err := w.look()
	if err != nil {
		return -1
	}
	defer func() { _ = db.Close() }()
	if db.QueryRow("SELECT (SELECT count(*) FROM inbox WHERE state = 'new') + (SELECT count(*) FROM outbox WHERE state "+
		"IN ('ready', 'started'))").Scan(&n) != nil {
		return -1
	}
	return n
}

// onTerminal talks through a pipe: one line in, and everything until the next
// may be typed out.
func onTerminal(t *testing.T, w *world) func(string) string {
	var env []string
	for _, e := range w.env {
		if !strings.HasPrefix(e, "BOT_TELEGRAM") && !strings.HasPrefix(e, "BOT_ACCESS_OWNERS") {
			env = append(env, e)
		}
	}
	w.env = env
	in, typed := io.Pipe()
	var out safeBuffer
	done := make(chan error, 1)
	cfg := w.config(t)
	go func() {
		err := chatCmd{}.talk(context.Background(), cfg, process(&cli.Streams{In: in, Out: &out, Err: io.Discard}))
		_ = in.Close()
		done <- err
	}()
	t.Cleanup(func() {
		_ = typed.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	said := 0
	return func(text string) string {
		// The next line is read only when the answer is out, so a blank line
		// that is taken says that it is.
		for _, line := range []string{text + "\n", "\n"} {
			if _, err := io.WriteString(typed, line); err != nil {
				t.Fatal(err)
			}
		}
		all := out.String()
		got := all[said:]
		said = len(all)
		return strings.TrimSpace(got)
	}
}
