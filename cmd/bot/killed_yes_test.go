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
			said := func(want string) bool {
				for _, m := range w.tg.Sent() {
					if strings.Contains(m.Text, want) {
						return true
					}
				}
				return false
			}
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.llm.Queue(callTool("add_task", `{"description":"old"}`), llmtest.Turn{Text: "It is on it."}, callTool("delete_task", `{"id":1}`))
			w.tg.Push(telegramtest.Text(7, 7, "put old on my list"))
			eventually(t, "the task is there", func() bool { return said("It is on it.") })
			w.tg.Push(telegramtest.Text(7, 7, "delete it, then add new"))
			eventually(t, "it asks", func() bool { return said(`Delete the task "old"?`) })
			w.llm.Queue(callTool("add_task", `{"description":"new"}`), llmtest.Turn{Text: "Both are done."})
			w.tg.Push(telegramtest.Text(7, 7, "yes, do it"))
			dies(t, child)
			child = w.start(t)
			eventually(t, "the plan is finished", func() bool { return said("Both are done.") })
			w.settled(t)
			kill(child)
			n := 0
			for _, m := range w.tg.Sent() {
				n += strings.Count(m.Text, "Both are done.")
			}
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
	said := func(want string) (n int) {
		for _, m := range w.tg.Sent() {
			n += strings.Count(m.Text, want)
		}
		return n
	}
	w.llm.Queue(callTool("add_task", `{"description":"old"}`), llmtest.Turn{Text: "It is on it."}, callTool("delete_task", `{"id":1}`))
	w.tg.Push(telegramtest.Text(7, 7, "put old on my list"))
	eventually(t, "the task is there", func() bool { return said("It is on it.") > 0 })
	w.tg.Push(telegramtest.Text(7, 7, "delete it"))
	dies(t, child)
	child = w.start(t)
	eventually(t, "it asks", func() bool { return said(`Delete the task "old"?`) > 0 })
	w.llm.Queue(llmtest.Turn{Text: "It is gone."})
	w.tg.Push(telegramtest.Text(7, 7, "yes"))
	eventually(t, "it is done", func() bool { return said("It is gone.") > 0 })
	w.settled(t)
	kill(child)
	tasks, err := w.open(t).Rows(context.Background(), "tasks")
	if n := said("It is gone."); n != 1 || tasks != 0 || err != nil {
		t.Errorf("answered %d times, %d tasks, %v", n, tasks, err)
	}
}
