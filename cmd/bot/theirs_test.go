package main

import (
	"strings"
	"testing"

	"parley/internal/llm/llmtest"
)

// TestWordsOfOthersStayTheirs: what somebody had put down of another's words comes back
// marked as the other's after a kill, a call after it that changes something asks, and
// when the other is forgotten nothing that was made of the words is left.
func TestWordsOfOthersStayTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tg.AddChat(2)
	child := w.start(t)
	w.answered(t, -100, 3, "@parley_bot the gate opens with zebra nineteen")
	for _, call := range []llmtest.Turn{callTool("set_reminder", `{"text":"the gate opens with zebra nineteen","when":"tomorrow at 8"}`),
		callTool("log_entry", `{"content":"the gate opens with zebra nineteen"}`), callTool("add_task",
			`{"description":"the gate opens with zebra nineteen"}`)} {
		w.llm.Queue(call, llmtest.Turn{Text: "I did."})
		if got := w.answered(t, -100, 2, "@parley_bot keep for me what User 3 said"); !strings.Contains(got, "I did") {
			w.answered(t, -100, 2, "@parley_bot yes")
		}
	}
	w.settled(t)
	kill(child)
	w.start(t)
	for _, name := range []string{"list_reminders", "list_log", "list_tasks"} {
		w.llm.Queue(callTool(name, `{}`), callTool("delete_task", `{"id":1}`))
		if got := w.answered(t, 2, 2, "what did I note?"); !strings.Contains(got, "elete the task") {
			t.Errorf("after %s it does not ask: %q", name, got)
		}
		list := w.words()
		last := list[len(list)-1].Messages
		if got := last[len(last)-1].Text(); !strings.Contains(got, "outside_data tool=\""+name) || !strings.Contains(got, "zebra") {
			t.Errorf("%s comes back as %q", name, got)
		}
		w.answered(t, 2, 2, "no")
	}
	w.answered(t, 3, 3, "/forget-me")
	w.answered(t, 3, 3, "yes")
	w.settled(t)
	eventually(t, "nothing is left of it", func() bool { return !w.keeps(t, "zebra") })
}

// keeps reports whether the conversations, or what people keep, have a word.
func (w *world) keeps(t *testing.T, word string) bool {
	t.Helper()
	for _, column := range []string{"messages.content", "messages.tool_calls", "tasks.description", "reminders.text",
		"log_entries.content", "tool_calls.result", "tool_calls.arguments"} {
		table, name, _ := strings.Cut(column, ".")
		if w.count(t, "SELECT count(*) FROM "+table+" WHERE "+name+" LIKE '%"+word+"%'") > 0 {
			return true
		}
	}
	return false
}
