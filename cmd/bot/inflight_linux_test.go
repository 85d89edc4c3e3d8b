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

// telegramTakes is how long it takes for each answer.
const telegramTakes = 200 * time.Millisecond

func newInFlight(t *testing.T) *inFlight {
	t.Helper()
	waittest.Alone(t)
	f := &inFlight{world: newWorld(t), want: map[int64][]string{}}
	f.llm.Quiet()
	f.tg.Fail(telegramtest.Fault{Method: "sendMessage", Delay: telegramTakes})
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
		if time.Since(c.At) < telegramTakes {
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

// TestFaultFullDiskIsSeenAtOnce: whoever asks for health on a full disk hears so, before
// anybody's message meets it.
func TestFaultFullDiskIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	base, empty := w.runsFull(t)
	if status, _, problems := probe(t, base+"/healthz"); status != 503 || !strings.Contains(problems["database"], "make room") {
		t.Errorf("%d, %q", status, problems)
	}
	empty()
	eventually(t, "not red any more", func() bool { status, _, _ := probe(t, base+"/healthz"); return status == 200 })
}

// TestFaultNothingIsRefusedThatCouldWait: while nothing can be stored, on a full disk or
// without a server, health says so, and more is written in one chat than may wait there
// otherwise. The platform keeps it, and all of it is answered.
func TestFaultNothingIsRefusedThatCouldWait(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"file", "server"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.llm.Quiet()
			var away, back func()
			if engine == "file" {
				w.onSmallDisk(t, "8m")
				away = func() { back = fillUp(t, w.dir) }
			} else {
				w.served(t)
				wire, url := postgrestest.NewProxy(t, w.url)
				w.env = append(w.env, "BOT_DATABASE_URL="+url)
				away, back = func() { wire.Down(true) }, func() { wire.Down(false) }
			}
			base := w.withPort(t)
			w.startAndPoll(t)
			w.saying(t, 7, 7, "one")
			away()
			long := strings.Repeat("more ", 700)
			want := map[int64][]string{7: nil}
			for i := range 20 {
				w.tg.Push(telegramtest.Text(int64(100+i), int64(100+i), long))
			}
			eventually(t, "red", func() bool { status, _, _ := probe(t, base+"/healthz"); return status == 503 })
			for i := range 20 {
				token := fmt.Sprintf("tok-7-%d.", i)
				want[7] = append(want[7], token)
				w.tg.Push(telegramtest.Text(7, 7, token+" "+long))
			}
			waittest.Take(t.Context(), time.Second)
			if n := w.tg.Waiting(); n < 20 {
				t.Errorf("the platform keeps %d", n)
			}
			back()
			w.sent(t, 41)
			w.settled(t)
			if got := tally(want, w.tg.Sent()); got != (ledger{}) || len(w.tg.Sent()) != 41 {
				t.Errorf("%+v, %d answers", got, len(w.tg.Sent()))
			}
			eventually(t, "not red any more", func() bool { status, _, _ := probe(t, base+"/healthz"); return status == 200 })
		})
	}
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
