package main

import (
	"context"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestKilledBetweenTheYesAndItsResult: what was agreed to is done once, the plan
// is finished by the next process, and it is answered once.
func TestKilledBetweenTheYesAndItsResult(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_tool:3", "after_yes:1"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.llm.Queue(callTool("add_task", `{"description":"old"}`), llmtest.Turn{Text: "It is on it."}, callTool("delete_task", `{"id":1}`))
			w.tg.Push(telegramtest.Text(7, 7, "put old on my list"))
			w.told(t, 7, "It is on it.")
			w.tg.Push(telegramtest.Text(7, 7, "delete it, then add new"))
			w.told(t, 7, `Delete the task "old"?`)
			w.llm.Queue(callTool("add_task", `{"description":"new"}`), llmtest.Turn{Text: "Both are done."})
			w.tg.Push(telegramtest.Text(7, 7, "yes, do it"))
			dies(t, child)
			child = w.start(t)
			w.told(t, 7, "Both are done.")
			w.settled(t)
			kill(child)
			n := strings.Count(w.texts(7), "Both are done.")
			tasks, err := w.open(t).Rows(context.Background(), "tasks")
			if n != 1 || tasks != 1 || err != nil {
				t.Errorf("answered %d times, %d tasks, %v", n, tasks, err)
			}
		})
	}
}

// TestKilledWhileAsking: a call that was about to be asked about when the
// process died is asked about by the next one, once, and not done before.
func TestKilledWhileAsking(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	child := w.start(t, "BOT_FAILPOINT=after_tool:2")
	w.llm.Queue(callTool("add_task", `{"description":"old"}`), llmtest.Turn{Text: "It is on it."}, callTool("delete_task", `{"id":1}`))
	w.tg.Push(telegramtest.Text(7, 7, "put old on my list"))
	w.told(t, 7, "It is on it.")
	w.tg.Push(telegramtest.Text(7, 7, "delete it"))
	dies(t, child)
	child = w.start(t)
	w.told(t, 7, `Delete the task "old"?`)
	w.llm.Queue(llmtest.Turn{Text: "It is gone."})
	w.tg.Push(telegramtest.Text(7, 7, "yes"))
	w.told(t, 7, "It is gone.")
	w.settled(t)
	kill(child)
	tasks, err := w.open(t).Rows(context.Background(), "tasks")
	if n := strings.Count(w.texts(7), "It is gone."); n != 1 || tasks != 0 || err != nil {
		t.Errorf("answered %d times, %d tasks, %v", n, tasks, err)
	}
}
