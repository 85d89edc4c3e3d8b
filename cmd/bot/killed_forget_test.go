package main

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
)

// TestKilledWhileForgetting: somebody who said yes to /forget-me, in words or by the button,
// is told that it is done, once, whenever the process is killed meanwhile: everything is
// deleted by then, the question too, and the model hears nothing of the yes.
func TestKilledWhileForgetting(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"forgetting:1", "forgotten:1", "before_finish:3", "after_finish:3"} {
		for _, c := range []struct{ pressed, served bool }{{false, false}, {true, false}, {false, true}} {
			if c.served && point != "forgotten:1" && point != "before_finish:3" {
				continue
			}
			t.Run(fmt.Sprintf("%s pressed %v served %v", point, c.pressed, c.served), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				if c.served {
					w.served(t)
				}
				child := w.start(t, "BOT_FAILPOINT="+point)
				w.saying(t, 7, 7, "my zxparrot is called Coco")
				w.saying(t, 7, 7, "/forget-me")
				asked := w.tg.Sent()[1]
				calls := len(w.llm.Requests())
				if c.pressed {
					w.tg.Push(telegramtest.Press(7, 7, asked.ID, "press", asked.Buttons[0][0].Data))
				} else {
					w.tg.Push(telegramtest.Text(7, 7, "yes"))
				}
				dies(t, child)
				child = w.start(t)
				w.sent(t, 3)
				w.settled(t)
				kill(child)
				done := 0
				for _, m := range w.tg.Sent()[2:] {
					if strings.Contains(m.Text, "Done: I have deleted everything about you") {
						done++
					} else {
						t.Errorf("it says %q", m.Text)
					}
				}
				if n := len(w.llm.Requests()) - calls; done < 1 || done > 2 || n > 0 { // Telegram may show an answer twice
					t.Errorf("told %d times, with %d calls of the model", done, n)
				}
				s := w.open(t)
				for _, table := range []string{"messages", "questions", "participants"} {
					if n, err := s.Rows(t.Context(), table); n > 0 || err != nil {
						t.Errorf("%s has %d rows, %v", table, n, err)
					}
				}
			})
		}
	}
}
