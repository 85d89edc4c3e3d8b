package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/matrix/matrixtest"
	"parley/internal/llm/llmtest"
)

// matrixAnna is who talks to the bot in her direct chat on Matrix.
const matrixAnna = "@anna:example.org"

// annaOnMatrix is a homeserver with Anna's direct chat.
type annaOnMatrix struct {
	*matrixtest.Server
	w    *world
	room string
}

func withAnna(t *testing.T, w *world) annaOnMatrix {
	t.Helper()
	s := w.onMatrix(t)
	return annaOnMatrix{s, w, s.Direct(matrixAnna)}
}

func (a annaOnMatrix) says(text string) { a.Say(a.room, matrixAnna, text, nil) }

// reads waits until the bot has said words to Anna, and returns that message.
func (a annaOnMatrix) reads(t *testing.T, words string) (found matrixtest.Message) {
	t.Helper()
	if !a.Wait(patience, func() bool {
		all := a.Sent()
		i := slices.IndexFunc(all, func(m matrixtest.Message) bool { return m.Room == a.room && strings.Contains(m.Text, words) })
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	}) {
		t.Fatalf("Anna never read %q: %q", words, a.Texts())
	}
	return found
}

// begins starts a bot that dies at point, "" for one that lives, and waits until it follows.
func (a annaOnMatrix) begins(t *testing.T, point string) *exec.Cmd {
	t.Helper()
	before := len(a.Calls("GET", "since="))
	var env []string
	if point != "" {
		env = append(env, "BOT_FAILPOINT="+point)
	}
	child := a.w.start(t, env...)
	eventually(t, "the bot follows", func() bool { return len(a.Calls("GET", "since=")) > before })
	return child
}

// TestMatrixAsksFirst: what needs a yes is agreed to by a reaction, by number and in words, and
// done once, though the process dies before and behind the yes and the server forgets what
// was sent.
func TestMatrixAsksFirst(t *testing.T) {
	t.Parallel()
	for _, yes := range []string{"reaction", "1", "yes"} {
		for _, point := range []string{"after_inbox_commit", "after_yes", "before_finish", "before_send"} {
			t.Run(yes+" "+point, func(t *testing.T) {
				t.Parallel()
				a := withAnna(t, newWorld(t))
				child := a.begins(t, "")
				a.says("!tasks add milk") // the first words after a start
				a.reads(t, "milk")
				a.says("/tasks add bread")
				a.reads(t, "bread")
				a.w.llm.Queue(callTool("delete_task", `{"id":1}`))
				a.says("please delete the milk")
				question := a.reads(t, `Delete the task "milk"?`)
				a.w.settled(t)
				kill(child)
				a.w.llm.Respond(func(llmtest.Request) llmtest.Turn { return llmtest.Turn{Text: "It is gone."} })
				child = a.begins(t, point)
				if yes == "reaction" {
					a.React(a.room, matrixAnna, question.ID, "1️⃣")
				} else {
					a.says(yes)
				}
				dies(t, child)
				a.ForgetTransactions()
				child = a.begins(t, "")
				a.reads(t, "It is gone.")
				a.w.settled(t)
				kill(child)
				if n := strings.Count(strings.Join(a.Texts(), "\n"), "It is gone."); n != 1 {
					t.Errorf("said %d times: %q", n, a.Texts())
				}
				if n := a.w.count(t, "SELECT count(*) FROM tasks"); n != 1 {
					t.Errorf("%d tasks", n)
				}
			})
		}
	}
}

// TestMatrixForgets: whoever has themselves forgotten reads once that it is done, and no word of
// theirs is left, though the process dies meanwhile.
func TestMatrixForgets(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"forgetting", "forgotten", "before_send", "after_send"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			a := withAnna(t, newWorld(t))
			a.w.echo()
			child := a.begins(t, "")
			a.says("I am allergic to shrimps")
			a.reads(t, "shrimps")
			a.says("!forget-me")
			a.reads(t, "yes")
			a.w.settled(t)
			kill(child)
			child = a.begins(t, point)
			a.says("yes")
			dies(t, child)
			a.ForgetTransactions()
			child = a.begins(t, "")
			const done = "deleted everything about you"
			a.reads(t, done)
			a.w.settled(t)
			kill(child)
			if n := strings.Count(strings.Join(a.Texts(), "\n"), done); n != 1 {
				t.Errorf("told %d times: %q", n, a.Texts())
			}
			if n := a.w.count(t, "SELECT (SELECT count(*) FROM messages WHERE content LIKE '%shrimps%') + "+
				"(SELECT count(*) FROM inbox WHERE body LIKE '%shrimps%') + (SELECT count(*) FROM outbox WHERE body LIKE '%shrimps%')"); n != 0 {
				t.Errorf("%d rows are left", n)
			}
		})
	}
}

// TestMatrixHandedOver: what Anna writes while people answer comes to their desk on Discord, and
// what they say to her, each once and in order, across kills on both ways.
func TestMatrixHandedOver(t *testing.T) {
	t.Parallel()
	a := withAnna(t, manned(t, "discord:50"))
	a.w.echo()
	child := a.begins(t, "")
	a.w.connected(t)
	a.says("/handoff")
	a.reads(t, "asked a person")
	a.w.dc.Press("77", "50", "9", a.w.posted(t, "50", matrixAnna).ID, "/handoff take 1")
	a.reads(t, "is here now")
	a.w.settled(t)
	kill(child)
	child = a.begins(t, "after_inbox_commit")
	a.says("is anybody there?")
	dies(t, child)
	child = a.begins(t, "before_send:2")
	a.w.connected(t)
	a.w.posted(t, "50", "is anybody there?")
	a.w.dc.Message("77", "50", "9", "I am here.")
	dies(t, child)
	a.ForgetTransactions()
	child = a.begins(t, "")
	a.w.connected(t)
	a.reads(t, "I am here.")
	a.w.settled(t)
	kill(child)
	if n := strings.Count(strings.Join(a.Texts(), "\n"), "I am here."); n != 1 {
		t.Errorf("told %d times: %q", n, a.Texts())
	}
	posted := 0
	for _, m := range a.w.dc.Sent() {
		posted += strings.Count(m.Content, "is anybody there?")
	}
	if posted != 1 {
		t.Errorf("the desk read it %d times", posted)
	}
}
