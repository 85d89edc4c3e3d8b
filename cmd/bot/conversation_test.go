package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/app/cli"
	"parley/internal/llm/llmtest"
)

// line is one message of a conversation and what follows from it.
type line struct {
	say    string
	model  []llmtest.Turn
	answer []string // what it contains
	told   []string // what the model reads
}

// calls is a model that calls a tool.
func calls(id, tool, args string) llmtest.Turn {
	return llmtest.Turn{Calls: []llmtest.Call{{ID: id, Name: tool, Args: args}}}
}

func says(text string) llmtest.Turn { return llmtest.Turn{Text: text} }

// conversation goes through everything in which a front end or the wire to the model has
// a part: retries, halves, confirmations, other models. The rehearsals check the rest.
func conversation() []line {
	return []line{
		{say: "my file is plan.txt", model: []llmtest.Turn{says("Noted.")}, answer: []string{"Noted."}},
		{say: "add a task to call mom", model: []llmtest.Turn{{Calls: []llmtest.Call{
			{ID: "a", Name: "add_task", Args: `{"description":"call mom"}`}, {ID: "b", Name: "list_tasks", Args: "{}"}}},
			says("It is on your list.")}, answer: []string{"It is on your list."}, told: []string{"plan.txt", "Task #1 added: call mom"}},
		{say: "add five", model: []llmtest.Turn{calls("c", "add_task", `{"description":`), calls("d", "rm_rf", "{}"), says("I could not.")},
			answer: []string{"I could not."}, told: []string{"VALIDATION_ERROR", "TOOL_NOT_FOUND"}},
		{say: "delete it", model: []llmtest.Turn{calls("e", "delete_task", `{"id":1}`)}, answer: []string{`Delete the task "call mom"?`}},
		{say: "yes", model: []llmtest.Turn{says("It is gone.")}, answer: []string{"It is gone."}, told: []string{"Deleted: #1 call mom"}},
		{say: "twice then well", model: []llmtest.Turn{broken("500"), broken("503"), says("Third time lucky.")},
			answer: []string{"Third time lucky."}},
		{say: "down", model: []llmtest.Turn{broken("503"), broken("503"), broken("503")}, answer: []string{"can't reach my language model"}},
		{say: "busy for a second", model: []llmtest.Turn{broken("429:1"), says("It was only a second.")}, answer: []string{"only a second"}},
		{say: "too many", model: []llmtest.Turn{broken("429:30")}, answer: []string{"too many requests"}},
		{say: "write a book", model: []llmtest.Turn{broken("length")}, answer: []string{"The first half of", "(cut short)"}},
		{say: "say nothing at all", model: []llmtest.Turn{broken("empty"), broken("empty")}, answer: []string{"did not get a usable answer"}},
		{say: "a long past", model: []llmtest.Turn{broken("overflow"), says("Shortened, and well.")}, answer: []string{"Shortened, and well."}},
		{say: "/model set second", answer: []string{"From now on second answers."}},
		{say: "and now?", model: []llmtest.Turn{says("Here I am.")}, answer: []string{"Here I am."},
			told: []string{`"model":"second"`, "Shortened, and well."}},
		{say: "/summarize", answer: []string{"They talked."}},
		{say: "/session end", answer: []string{"Goodbye!"}},
		{say: "what were we doing?", model: []llmtest.Turn{says("Talking.")}, answer: []string{"Talking."},
			told: []string{"The previous session, in short", "They talked."}},
	}
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

// TestConversations holds the same conversation on every front end.
func TestConversations(t *testing.T) {
	t.Parallel()
	for name, front := range fronts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.converse(t, front(t, w))
		})
	}
}

// internals never appear in an answer: names of tools, ids of rows, keys, stacks.
var internals = regexp.MustCompile(
	`\b(save|add|list|complete|update|delete|forget|set|cancel|recall|log|current|web|find)_[a-z]+\b|[0-9a-f]{8}-[0-9a-f]{4}-|goroutine |` +
		regexp.QuoteMeta(telegramtest.DefaultToken) + "|" + discordtest.Token)

// converse holds the conversation; say says something there and returns the answer.
func (w *world) converse(t *testing.T, say func(string) string) {
	t.Helper()
	w.llm.Models("test", "second")
	for _, s := range conversation() {
		w.llm.Queue(s.model...)
		before := len(w.words())
		got := say(s.say)
		asked := w.words()[before:]
		for _, want := range s.answer {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in %q", s.say, want, got)
			}
		}
		for _, want := range s.told {
			if !slices.ContainsFunc(asked, func(r llmtest.Request) bool { return strings.Contains(string(r.Raw), want) }) {
				t.Errorf("%q: the model was not told %q", s.say, want)
			}
		}
		if len(asked) != len(s.model) {
			t.Errorf("%q: %d model calls, not %d", s.say, len(asked), len(s.model))
		}
		if internals.MatchString(got) {
			t.Errorf("%q: the answer shows internals: %q", s.say, got)
		}
	}
}

// copyNotes returns a folder of notes that a test may change.
func copyNotes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/notes")))
	return dir
}

// fronts start a bot and return how to say something to it there.
var fronts = map[string]func(*testing.T, *world) func(string) string{"telegram": onTelegram, "discord": onDiscordDM, "terminal": onTerminal}

func onTelegram(t *testing.T, w *world) func(string) string {
	w.run(t)
	return w.sayer(t, func(text string) { w.tg.Push(telegramtest.Text(1, 1, text)) }, func() (texts []string) {
		for _, m := range w.tg.Sent() {
			texts = append(texts, m.Text)
		}
		return texts
	})
}

func onDiscordDM(t *testing.T, w *world) func(string) string {
	w.env = append(w.env, "BOT_ACCESS_OWNERS=telegram:1,discord:42")
	w.onDiscord().serve(t)
	return w.sayer(t, func(text string) { w.dc.Message("", "10", "42", text) }, func() (texts []string) {
		for _, m := range w.dc.Sent() {
			texts = append(texts, m.Content)
		}
		return texts
	})
}

// sayer returns what says something, waits until all of it is answered, and returns the
// answer. sent is everything the bot has said.
func (w *world) sayer(t *testing.T, say func(string), sent func() []string) func(string) string {
	return func(text string) string {
		t.Helper()
		before := len(sent())
		say(text)
		eventually(t, text+" is answered", func() bool { return len(sent()) > before && w.unfinished() == 0 })
		return strings.Join(sent()[before:], "\n")
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
