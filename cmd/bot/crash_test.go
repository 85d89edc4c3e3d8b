package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
)

// ledger is what became of messages that each carry a token of their own: the
// model echoes it, so an answer names its question.
type ledger struct{ lost, doubled, misrouted, misordered int }

func (l *ledger) add(more ledger) {
	l.lost, l.doubled = l.lost+more.lost, l.doubled+more.doubled
	l.misrouted, l.misordered = l.misrouted+more.misrouted, l.misordered+more.misordered
}

// tally joins what was asked with what was said. want is the tokens by chat,
// in order.
func tally(want map[int64][]string, sent []telegramtest.SentMessage) (l ledger) {
	for chat, tokens := range want {
		seen := map[string]int{}
		last := -1
		for _, m := range sent {
			for i, token := range tokens {
				if !strings.Contains(m.Text, token) {
					continue
				}
				if m.Chat != chat {
					l.misrouted++
					continue
				}
				seen[token]++
				if seen[token] == 1 {
					if i < last {
						l.misordered++
					}
					last = i
				}
			}
		}
		for _, token := range tokens {
			if seen[token] == 0 {
				l.lost++
			}
			if seen[token] > 1 {
				l.doubled++
			}
		}
	}
	return l
}

// ask pushes n messages to each chat and returns their tokens.
func (w *world) ask(round, chats, each int) map[int64][]string {
	want := map[int64][]string{}
	for i := range each {
		for c := range chats {
			chat := int64(1000 + c)
			token := fmt.Sprintf("tok-%d-%d-%d.", round, c, i)
			want[chat] = append(want[chat], token)
			w.tg.Push(telegramtest.Text(chat, chat, token))
		}
	}
	return want
}

// settle waits until every token was answered and nothing is on its way any
// more, which could be a double.
func (w *world) settle(t *testing.T, want map[int64][]string) ledger {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if w.tg.Wait(ctx, func() bool { return tally(want, w.tg.Sent()).lost == 0 }) == nil {
		w.settled(t)
	}
	return tally(want, w.tg.Sent())
}

// TestKilledAtEveryPoint kills the process at each named point and starts it
// again: nothing is lost, and only a send whose answer was never seen may be
// doubled.
func TestKilledAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		point     string
		ambiguous bool
	}{
		{"after_inbox_commit", false}, {"after_model", false}, {"before_finish", false},
		{"after_finish", true}, {"before_send", true}, {"after_send", true},
	} {
		for _, nth := range []string{"1", "4"} {
			t.Run(tt.point+"/"+nth, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.llm.Quiet()
				child := w.start(t, "BOT_FAILPOINT="+tt.point+":"+nth)
				chats := 3
				if !tt.ambiguous {
					chats = 1 // no other conversation may be sending just then
				}
				want := w.ask(0, chats, 9/chats)
				w.dieOrRest(t, child, w.allTaken) // a point that is not met n times is a kill at rest
				w.start(t)
				l := w.settle(t, want)
				if l.lost+l.misrouted+l.misordered > 0 || (l.doubled > 0 && !tt.ambiguous) || l.doubled > 3 {
					t.Errorf("%+v", l)
				}
			})
		}
	}
}

// TestKilledBeforeTheWire: an answer that was stored and never written is delivered
// once, however often the process is killed before its first byte, and also where a
// lost answer is preferred to a double.
func TestKilledBeforeTheWire(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ setting, second string }{
		{"prefer_loss", "before_start"}, {"prefer_duplicate", "before_start"}, {"prefer_duplicate", "before_send"},
	} {
		t.Run(tt.setting+" "+tt.second, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.llm.Quiet()
			setting := "BOT_TELEGRAM_UNKNOWN_SEND=" + tt.setting
			child := w.start(t, "BOT_FAILPOINT=after_finish:1", setting)
			want := w.ask(0, 1, 3)
			dies(t, child)
			dies(t, w.start(t, "BOT_FAILPOINT="+tt.second+":1", setting))
			w.start(t, setting)
			if l := w.settle(t, want); l != (ledger{}) {
				t.Errorf("%+v", l)
			}
		})
	}
}

// TestKilledBetweenAnEditAndTheAnswer: a message that was changed before the
// kill is answered as changed, and one that was alone as it is.
func TestKilledBetweenAnEditAndTheAnswer(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"after_inbox_commit", "before_finish"} {
		w := newWorld(t)
		w.llm.Quiet()
		said := telegramtest.Text(1000, 1000, "tok-old.")
		said.Message.ID = 5
		w.tg.Push(said, telegramtest.Edit(1000, 1000, 5, "tok-new."), telegramtest.Text(1000, 1000, "tok-next."))
		child := w.start(t, "BOT_FAILPOINT="+point+":1")
		dies(t, child)
		w.start(t)
		l := w.settle(t, map[int64][]string{1000: {"tok-new.", "tok-next."}})
		if old := tally(map[int64][]string{1000: {"tok-old."}}, w.tg.Sent()); l != (ledger{}) || old.lost != 1 {
			t.Errorf("killed at %s: %+v, the old text was answered: %v", point, l, old.lost == 0)
		}
	}
}

// TestKilledAtRandom kills at random moments under load. PARLEY_KILLS sets how
// often; make faults asks for many.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	kills, _ := strconv.Atoi(os.Getenv("PARLEY_KILLS"))
	if kills == 0 {
		kills = 6
	}
	w := newWorld(t)
	w.llm.Quiet()
	all := ledger{}
	for round := range kills {
		child := w.start(t)
		before := len(w.tg.Sent())
		want := w.ask(round, 10, 3)
		moment := before + rand.IntN(30)
		eventually(t, "the moment to die", func() bool { return len(w.tg.Sent()) >= moment })
		kill(child)
		child = w.start(t)
		all.add(w.settle(t, want))
		kill(child)
	}
	t.Logf("%d kills under load: %+v (doubled are sends whose answer was never seen)", kills, all)
	if all.lost+all.misrouted+all.misordered > 0 || all.doubled > 10*kills {
		t.Errorf("%+v", all)
	}
}

// TestKilledAfterSendTenTimes is the re-send storm that must not be.
func TestKilledAfterSendTenTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 10 {
		if i == 0 {
			w.tg.Push(telegramtest.Text(7, 7, "once"))
		}
		polls := len(w.tg.Calls("getUpdates"))
		w.dieOrRest(t, w.start(t, "BOT_FAILPOINT=after_send:1"), func() bool { return len(w.tg.Calls("getUpdates")) > polls && w.allTaken() })
	}
	if n := len(w.tg.Sent()); n > 2 {
		t.Errorf("%d messages for one question", n)
	}
}

// dieOrRest waits until a process has killed itself, or has nothing left to do
// while rest holds; then it is killed.
func (w *world) dieOrRest(t *testing.T, cmd *exec.Cmd, rest func() bool) {
	t.Helper()
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	defer func() { _ = cmd.Process.Kill(); <-dead }()
	eventually(t, "it dies or rests", func() bool {
		select {
		case <-dead:
			return true
		default:
			return rest() && w.unfinished() == 0
		}
	})
}

// allTaken reports whether Telegram has nothing to give any more to whoever polls.
func (w *world) allTaken() bool { return w.tg.Polling() && w.tg.Waiting() == 0 }
