package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// promised is what became of answers while something happened to the database.
type promised struct {
	ledger
	answers, happened int
	flying            int // answers on their way to Telegram, of all times that it happened
	lived             int // of the doubled, those that one process sent twice
	refused           int // messages that were told to come again
}

// inFlight asks in some chats, so often a second, until all has happened that happens, and
// counts what became of it. Telegram takes its time for each answer, so that some are
// always on their way. happens is told how many so far.
type inFlight struct {
	*world
	mu   sync.Mutex // guards the rest
	want map[int64][]string
	ends []time.Time // when processes were killed
}

const inFlightChats = 40

func newInFlight(t *testing.T) *inFlight {
	t.Helper()
	waittest.Alone(t)
	f := &inFlight{world: newWorld(t), want: map[int64][]string{}}
	f.llm.Quiet()
	f.tg.Fail(telegramtest.Fault{Method: "sendMessage", Delay: 200 * time.Millisecond})
	return f
}

// asks keeps asking until over is closed.
func (f *inFlight) asks(t *testing.T, second int, over <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-over:
			return
		case <-t.Context().Done():
			return
		case <-time.After(time.Second / time.Duration(second)):
		}
		chat := int64(1000 + i%inFlightChats)
		token := fmt.Sprintf("tok-%d-%d.", chat, i)
		f.mu.Lock()
		f.want[chat] = append(f.want[chat], token)
		f.mu.Unlock()
		f.tg.Push(telegramtest.Text(chat, chat, token))
	}
}

// while asks while something happens so often, and counts.
func (f *inFlight) while(t *testing.T, second, times int, happens func(i int)) promised {
	t.Helper()
	p := promised{happened: times}
	over := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() { f.asks(t, second, over) })
	for i := range times {
		waittest.Take(t.Context(), time.Second+time.Duration(rand.IntN(int(time.Second))))
		p.flying += f.onTheWay()
		happens(i)
	}
	waittest.Take(t.Context(), time.Second)
	close(over)
	asking.Wait()
	waittest.Within(2*time.Minute, func() bool { f.tally(&p); return p.lost == 0 })
	waittest.Take(t.Context(), 3*time.Second) // nor is a double under way
	f.tally(&p)
	t.Logf("%d times: %d answers, %d on their way when it happened; %d lost, %d out of order, %d refused, %d seen twice, %d of these from one process",
		p.happened, p.answers, p.flying, p.lost, p.misordered, p.refused, p.doubled, p.lived)
	if p.lost+p.misordered+p.misrouted+p.refused+p.lived > 0 {
		t.Error("a promise is broken")
	}
	return p
}

// onTheWay counts the answers that Telegram has been asked to show and has not taken.
func (f *inFlight) onTheWay() (n int) {
	for _, c := range f.tg.Calls("sendMessage") {
		if c.Status == 0 && !c.Lost && time.Since(c.At) < time.Second {
			n++
		}
	}
	return n
}

// tally counts what became of the answers so far.
func (f *inFlight) tally(p *promised) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p.ledger, p.answers, p.refused, p.lived = tally(f.want, f.tg.Sent()), 0, 0, 0
	for _, m := range f.tg.Sent() {
		if strings.Contains(m.Text, "still working on your earlier messages") {
			p.refused++
		}
	}
	at := map[string][]time.Time{}
	for _, c := range f.tg.Calls("sendMessage") {
		if token := c.Fields["text"]; c.Status == 200 || c.Lost {
			at[token] = append(at[token], c.At)
		}
	}
	for _, tokens := range f.want {
		p.answers += len(tokens)
		for _, token := range tokens {
			if times := at[token]; len(times) > 1 && f.life(times[0]) == f.life(times[1]) {
				p.lived++
			}
		}
	}
}

// life is in which process' time something was.
func (f *inFlight) life(at time.Time) (n int) {
	for _, end := range f.ends {
		if at.After(end) {
			n++
		}
	}
	return n
}

// TestClusterRestartedServer: the database's server is started again and again under a bot that
// lives. Nothing is lost, refused, or seen twice, also not of what was on its way.
func TestClusterRestartedServer(t *testing.T) {
	times := 2
	if whole {
		times = 20
	}
	for _, mode := range []string{"fast", "immediate"} {
		t.Run(mode, func(t *testing.T) {
			s := postgrestest.StartSolo(t)
			f := newInFlight(t)
			f.env = append(f.env, "BOT_DATABASE_URL="+s.URL)
			f.startAndPoll(t)
			f.while(t, 50, times, func(int) { s.Restart(t, mode) })
		})
	}
}

// TestClusterFullDisk: the disk of the database is full for some seconds, twice, under a bot
// that is killed meanwhile. What a process sent and could not store comes twice if that is
// killed then, and at no other time.
func TestClusterFullDisk(t *testing.T) {
	thorough(t)
	for engine, killed := range map[string]bool{"file": true, "file, not killed": false, "server": true, "server, not killed": false} {
		t.Run(engine, func(t *testing.T) {
			f := newInFlight(t)
			var dir string
			if strings.HasPrefix(engine, "server") {
				f.url, dir = postgrestest.OnSmallDisk(t, "60m")
				f.env = append(f.env, "BOT_DATABASE_URL="+f.url)
			} else {
				f.onSmallDisk(t, "16m")
				dir = f.dir
			}
			child := f.startAndPoll(t)
			f.while(t, 50, 2, func(int) {
				empty := fillUp(t, dir)
				waittest.Take(t.Context(), 3*time.Second)
				if killed {
					f.mu.Lock()
					f.ends = append(f.ends, time.Now())
					f.mu.Unlock()
					kill(child)
					child = f.start(t)
					waittest.Take(t.Context(), 2*time.Second)
				}
				empty()
				waittest.Take(t.Context(), 4*time.Second)
			})
		})
	}
}
