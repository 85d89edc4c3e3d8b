package main

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
)

// TestKilledWhileNumbering: a process that is killed before or after somebody's task is stored
// leaves no gap in their numbers and uses none twice, whatever others had before; once they are
// forgotten they begin anew, and buttons from before mean nothing that they have now.
func TestKilledWhileNumbering(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit:3", "before_finish:3", "after_finish:3"} {
		for _, served := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s served %v", point, served), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				if served {
					w.served(t)
				}
				child := w.start(t, "BOT_FAILPOINT="+point)
				w.answered(t, 2, 2, "/tasks add mow the lawn")
				w.answered(t, 2, 2, "/tasks add feed the cat")
				w.tg.Push(telegramtest.Text(7, 7, "/tasks add water the plants"))
				dies(t, child)
				w.start(t)
				eventually(t, "the task is told", func() bool { return len(w.in(7)) > 0 })
				w.settled(t)
				if said := w.in(7)[0].Text; said != "Task #1 added: water the plants" {
					t.Errorf("after the kill: %q", said)
				}
				if said := w.answered(t, 7, 7, "/tasks add pay the rent"); !strings.HasPrefix(said, "Task #2 ") {
					t.Errorf("the next: %q", said)
				}
				w.answered(t, 7, 7, "/facts add I live in Rome #important")
				w.answered(t, 7, 7, "/facts add I live in Paris")
				list := w.in(7)
				button := list[len(list)-1].Buttons[0][0]
				if button.Text != "Only #2" {
					t.Errorf("the button is called %q", button.Text)
				}
				w.answered(t, 7, 7, "/forget-me")
				if said := w.answered(t, 7, 7, "yes"); !strings.Contains(said, "Done: I have deleted everything about you") {
					t.Errorf("forgotten: %q", said)
				}
				for _, c := range [][2]string{{"/tasks add start anew", "Task #1 added"}, {"/facts add I like tea", "Remembered (#1)"},
					{"/facts add I own a boat", "Remembered (#2)"}} {
					if said := w.answered(t, 7, 7, c[0]); !strings.HasPrefix(said, c[1]) {
						t.Errorf("%s: %q", c[0], said)
					}
				}
				n := len(w.in(7))
				w.tg.Push(telegramtest.Press(7, 7, list[len(list)-1].ID, "press", button.Data))
				eventually(t, "an answer to the old button", func() bool { return len(w.in(7)) > n })
				if said := w.in(7)[n].Text; !strings.Contains(said, "There is no such fact") {
					t.Errorf("the old button: %q", said)
				}
				if said := w.answered(t, 2, 2, "/tasks add sweep"); !strings.HasPrefix(said, "Task #3 ") {
					t.Errorf("of somebody else: %q", said)
				}
			})
		}
	}
}
