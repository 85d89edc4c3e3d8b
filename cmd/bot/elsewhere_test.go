package main

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// TestClusterHandsOn: what a person writes reaches the desk, also where the process that
// took it ends before it could tell the one that has the desk's place.
func TestClusterHandsOn(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	const desk = -500
	w := newWorld(t, "BOT_HANDOFF_DESK=telegram:-500")
	w.tg.AddChat(desk)
	f := newPosted(t, w, 2, []string{"BOT_FAILPOINT=after_finish:3"})
	f.turn.Store(1)
	w.answered(t, desk, 9, "@parley_bot good morning")
	f.turn.Store(0)
	w.answered(t, 42, 42, "/handoff I want a human")
	asked := w.told(t, desk, "I want a human")
	f.turn.Store(1)
	w.tg.Push(telegramtest.Press(desk, 9, asked.ID, "take", "/handoff take 1"))
	w.told(t, 42, "is here now")
	f.turn.Store(0)
	w.tg.Push(telegramtest.Text(42, 42, "in-0."))
	w.told(t, desk, "in-0.")
	w.tg.Push(telegramtest.Text(42, 42, "in-1."))
	f.dies(t, 0, 1)
	w.told(t, desk, "in-1.")
	w.tg.Push(telegramtest.Text(42, 42, "in-2."))
	w.told(t, desk, "in-2.")
	w.tg.Push(telegramtest.Text(desk, 9, "out-0."))
	w.told(t, 42, "out-0.")
	f.settled(t)
	var said string
	for _, m := range w.in(desk) {
		said += m.Text + "\n"
	}
	for i := range 3 {
		if n := strings.Count(said, fmt.Sprintf("in-%d.", i)); n != 1 {
			t.Errorf("in-%d. was passed on %d times", i, n)
		}
	}
}

// TestClusterHandoffOnThePage: the owner takes a conversation on one process's page, answers
// and gives it back, while another process, which has no page, has the conversation.
func TestClusterHandoffOnThePage(t *testing.T) {
	t.Parallel()
	thorough(t)
	w := newWorld(t, "BOT_HANDOFF_DESK=owners", "BOT_HANDOFF_WHO=owner")
	base := w.withPort(t)
	last := len(w.env) - 1
	listens := w.env[last]
	w.env = w.env[:last]
	f := newPosted(t, w, 2, []string{listens})
	v := newVisitor(t, base)
	f.gives(t, 1, 0) // whose the owner's conversation is from the start is chance
	v.logIn(f.says(t, 1, 0, "/page"))
	f.says(t, 1, 0, "good morning")
	f.turn.Store(1)
	w.onThePage(t, v)
}

// TestClusterPreview: what a process shows of an answer does not stay beside the answer that
// another one gives, where the first was stopped for longer than its lease lasts while
// Telegram was about to say how the preview is called.
func TestClusterPreview(t *testing.T) {
	t.Parallel()
	waittest.Alone(t)
	const group = -100
	w := newWorld(t)
	w.tg.AddChat(group)
	f := newPosted(t, w, 2)
	lift := w.tg.Fail(telegramtest.Fault{Method: "sendMessage", Chat: group, Times: 1, After: true, Delay: 3 * time.Second})
	defer lift()
	w.llm.Queue(llmtest.Turn{Text: strings.Repeat("growing ", 50), Chunks: 50, ChunkWait: 300 * time.Millisecond},
		llmtest.Turn{Text: "The answer."})
	w.tg.Push(telegramtest.Text(group, 5, "@parley_bot tell me"))
	eventually(t, "the preview is asked for", func() bool { return len(w.tg.Calls("sendMessage")) == 1 })
	must(t, f.nodes[0].Process.Signal(syscall.SIGSTOP))
	w.told(t, group, "The answer.")
	must(t, f.nodes[0].Process.Signal(syscall.SIGCONT))
	visible := func() (texts []string) {
		for _, m := range w.in(group) {
			if !m.Deleted {
				texts = append(texts, m.Text)
			}
		}
		return texts
	}
	if !waittest.Within(patience, func() bool { return slices.Equal(visible(), []string{"The answer."}) }) {
		t.Errorf("people see %q", visible())
	}
}

// pressed has somebody press a button that a process is told of, and returns what they are
// told at once.
func (f *posted) pressed(t *testing.T, to int, who int64, on telegramtest.SentMessage, data string) string {
	t.Helper()
	f.turn.Store(int32(to))
	f.presses++
	query := fmt.Sprint("query", f.presses)
	f.tg.Push(telegramtest.Press(on.Chat, who, on.ID, query, data))
	eventually(t, "the press is answered", func() bool { return f.tg.Answered(query) > 0 })
	return f.tg.Toast(query)
}

// TestClusterConfirmations: a yes counts once, from whoever was asked, whichever processes
// the question and the answers come to, and also where the one that asked has ended.
func TestClusterConfirmations(t *testing.T) {
	t.Parallel()
	thorough(t)
	const group = -100
	w := newWorld(t)
	w.tg.AddChat(group)
	f := newPosted(t, w, 3)
	ask := func(to int, what string) telegramtest.SentMessage {
		t.Helper()
		f.turn.Store(int32(to))
		n := len(w.in(group))
		w.llm.Queue(callTool("add_task", fmt.Sprintf(`{"description":%q}`, what)), llmtest.Turn{Text: "It is on it."})
		w.answered(t, group, 42, "@parley_bot put "+what+" on my list")
		f.settled(t)
		w.llm.Queue(callTool("delete_task", fmt.Sprintf(`{"id":%d}`, f.count(t, "SELECT max(id) FROM tasks"))))
		w.answered(t, group, 42, "@parley_bot delete it")
		asked := w.in(group)[n+1]
		if !strings.Contains(asked.Text, fmt.Sprintf("Delete the task %q?", what)) || len(asked.Buttons) == 0 {
			t.Fatalf("asked %+v", asked)
		}
		return asked
	}
	yes := func(m telegramtest.SentMessage) string { return m.Buttons[0][0].Data }
	milk := ask(0, "milk")
	f.gives(t, group, 1)
	if said := f.pressed(t, 2, 43, milk, yes(milk)); said == "" || f.count(t, "SELECT count(*) FROM tasks") != 1 {
		t.Errorf("somebody else presses: %q", said)
	}
	f.turn.Store(0)
	w.tg.Push(telegramtest.Text(group, 43, "yes"))
	w.llm.Queue(llmtest.Turn{Text: "The milk is gone."})
	f.pressed(t, 0, 42, milk, yes(milk))
	f.pressed(t, 2, 42, milk, yes(milk))
	w.told(t, group, "The milk is gone.")
	f.gives(t, group, 2)
	f.pressed(t, 1, 42, milk, yes(milk))
	f.settled(t)
	if n := f.count(t, "SELECT count(*) FROM tool_calls WHERE name = 'delete_task' AND status = 'success'"); n != 1 {
		t.Errorf("deleted %d times", n)
	}
	bread := ask(2, "bread")
	kill(f.nodes[2].Cmd)
	w.llm.Queue(llmtest.Turn{Text: "The bread is gone."})
	f.turn.Store(1)
	w.tg.Push(telegramtest.Text(group, 43, "yes"), telegramtest.Text(group, 42, "@parley_bot yes"))
	w.told(t, group, "The bread is gone.")
	f.pressed(t, 0, 42, bread, yes(bread))
	f.settled(t)
	if n := f.count(t, "SELECT count(*) FROM tool_calls WHERE name = 'delete_task' AND status = 'success'"); n != 2 ||
		f.count(t, "SELECT count(*) FROM tasks") != 0 {
		t.Errorf("deleted %d times", n)
	}
	if n := strings.Count(fmt.Sprint(w.in(group)), "is gone."); n != 2 {
		t.Errorf("said %d times that something is gone: %v", n, w.in(group))
	}
}
