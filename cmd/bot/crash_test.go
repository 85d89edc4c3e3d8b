package main

import (
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

// settle waits until every token was answered, or nothing moves any more.
func (w *world) settle(want map[int64][]string) ledger {
	deadline := time.Now().Add(15 * time.Second)
	for time.Now().Before(deadline) {
		if l := tally(want, w.tg.Sent()); l.lost == 0 {
			time.Sleep(50 * time.Millisecond) // for a double that is under way
			return tally(want, w.tg.Sent())
		}
		time.Sleep(10 * time.Millisecond)
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
				waitDeath(child, 2*time.Second) // a point that is not met n times is a kill at rest
				w.start(t)
				l := w.settle(want)
				if l.lost+l.misrouted+l.misordered > 0 || (l.doubled > 0 && !tt.ambiguous) || l.doubled > 3 {
					t.Errorf("%+v", l)
				}
			})
		}
	}
}

// TestKilledBeforeTheWire: an answer that was stored and not yet on its way is
// not given up where a lost answer is preferred to a double.
func TestKilledBeforeTheWire(t *testing.T) {
	t.Parallel()
	for _, nth := range []string{"1", "3"} {
		w := newWorld(t)
		w.llm.Quiet()
		child := w.start(t, "BOT_FAILPOINT=after_finish:"+nth, "BOT_TELEGRAM_UNKNOWN_SEND=prefer_loss")
		want := w.ask(0, 1, 6)
		waitDeath(child, 20*time.Second)
		w.start(t, "BOT_TELEGRAM_UNKNOWN_SEND=prefer_loss")
		if l := w.settle(want); l != (ledger{}) {
			t.Errorf("%+v", l)
		}
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
		waitDeath(child, 20*time.Second)
		w.start(t)
		l := w.settle(map[int64][]string{1000: {"tok-new.", "tok-next."}})
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
		want := w.ask(round, 10, 3)
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond)
		kill(child)
		child = w.start(t)
		l := w.settle(want)
		all.lost += l.lost
		all.doubled += l.doubled
		all.misrouted += l.misrouted
		all.misordered += l.misordered
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
		child := w.start(t, "BOT_FAILPOINT=after_send:1")
		if i == 0 {
			w.tg.Push(telegramtest.Text(7, 7, "once"))
		}
		waitDeath(child, 700*time.Millisecond)
	}
	if n := len(w.tg.Sent()); n > 2 {
		t.Errorf("%d messages for one question", n)
	}
}

// waitDeath waits until a process has killed itself, and kills it otherwise.
func waitDeath(cmd *exec.Cmd, patience time.Duration) {
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
}
