package chat_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/text/waittest"
)

// crowd is a hub to which many write, each in a chat of their own.
type crowd struct {
	*chat.Hub
	t    *testing.T
	p    chat.Adapter
	sent func() []string
	n    int
}

func newCrowd(t *testing.T, p chat.Adapter, sent func() []string, handle chat.HandlerFunc) *crowd {
	j := &papers{}
	return &crowd{t: t, p: p, sent: sent, Hub: chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{p}, Handler: handle})}
}

// write has n people write, and waits until nothing happens any more.
func (c *crowd) write(n int) {
	c.t.Helper()
	var all []chat.Message
	for range n {
		c.n++
		m := said(fmt.Sprint(c.n), "hi")
		m.Key.Channel = fmt.Sprint(c.n)
		all = append(all, m)
	}
	c.deliver(all...)
}

func (c *crowd) deliver(all ...chat.Message) {
	c.t.Helper()
	if err := c.Deliver(context.Background(), chat.Batch{Platform: "p", Messages: all}); err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
}

// ends lets all go on that wait for free, and expects that so many messages have been sent then.
func (c *crowd) ends(free chan struct{}, sent int) {
	c.t.Helper()
	close(free)
	synctest.Wait()
	if n := len(c.sent()); n != sent {
		c.t.Errorf("%d were sent, not %d", n, sent)
	}
	c.Drain(c.t.Context())
}

// held is what n waiting messages hold, in bytes and goroutines.
func held(do func()) (bytes int64, goroutines int) {
	measure := func() (int64, int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()
	}
	b, g := measure()
	do()
	b2, g2 := measure()
	return b2 - b, g2 - g
}

// TestCrowdWaitsWithLittleInMemory: of two thousand who write at once a few are worked
// on; the others take no goroutine and little memory, and all are answered.
func TestCrowdWaitsWithLittleInMemory(t *testing.T) {
	if waittest.Racing {
		t.Skip("the race detector takes memory of its own, and crashes at times in a bubble with so many timers (Go 1.26.8)")
	}
	synctest.Test(t, func(t *testing.T) {
		const many = 2000
		var working atomic.Int32
		free := make(chan struct{})
		p := &chattest.Adapter{}
		c := newCrowd(t, p, p.Texts, func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
			working.Add(1)
			<-free
			return chat.Answer{Text: "done"}, nil
		})
		bytes, goroutines := held(func() { c.write(many) })
		if n := working.Load(); n != 16 {
			t.Errorf("%d are worked on", n)
		}
		if goroutines > 20 {
			t.Errorf("%d goroutines", goroutines)
		}
		if each := bytes / many; each > 3000 {
			t.Errorf("%d bytes for each who waits", each)
		}
		waittest.Pass(1100 * time.Millisecond) // whoever takes longer waits for something else
		if n := working.Load(); n != 32 {
			t.Errorf("%d are worked on after a while", n)
		}
		waittest.Pass(time.Minute)
		if n := working.Load(); n != 128 {
			t.Errorf("%d hang", n)
		}
		c.ends(free, many)
	})
}

// TestWhoAsksAModelLetsOthersIn: while many wait for a model, it is asked by all that
// may be, commands are answered, and who says stop in front is not answered later.
func TestWhoAsksAModelLetsOthersIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asking sync.Map // channels
		free := make(chan struct{})
		p := &chattest.Adapter{}
		c := newCrowd(t, p, p.Texts, func(ctx context.Context, m chat.Message, _ chat.Reply) (chat.Answer, error) {
			if m.Kind == chat.KindCommand {
				return chat.Answer{Text: "at once"}, nil
			}
			back := chat.Aside(ctx)
			asking.Store(m.Key.Channel, true)
			<-free
			back()
			return chat.Answer{Text: "done"}, nil
		})
		c.write(300)
		asks, waits := 0, ""
		for i := range 300 {
			if _, ok := asking.Load(fmt.Sprint(i + 1)); ok {
				asks++
			} else {
				waits = fmt.Sprint(i + 1)
			}
		}
		if asks != 128 {
			t.Errorf("%d ask the model", asks)
		}
		command := said("c", "/status")
		command.Kind, command.Key.Channel = chat.KindCommand, "another"
		c.deliver(command)
		if got := c.sent(); len(got) != 1 || got[0] != "at once" {
			t.Errorf("the command: %q", got)
		}
		stop := said("s", "/stop")
		stop.Kind, stop.Key.Channel = chat.KindCommand, waits
		c.deliver(stop)
		if got := c.sent(); len(got) != 2 || got[1] != "Stopped." {
			t.Errorf("stop: %q", got)
		}
		c.ends(free, 301)
	})
}

// TestPromptModelIsAskedByFewer: while a model answers at once, half as many ask it at the
// same time, until it takes longer.
func TestPromptModelIsAskedByFewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asking atomic.Int32
		var slow atomic.Bool
		free := make(chan struct{})
		p := &chattest.Adapter{}
		c := newCrowd(t, p, p.Texts, func(ctx context.Context, _ chat.Message, _ chat.Reply) (chat.Answer, error) {
			defer chat.Aside(ctx)()
			if slow.Load() {
				asking.Add(1)
				<-free
			}
			return chat.Answer{Text: "done"}, nil
		})
		c.write(1)
		slow.Store(true)
		c.write(300)
		if n := asking.Load(); int(n) != min(32*runtime.GOMAXPROCS(0), 128) {
			t.Errorf("%d ask a model that has answered at once", n)
		}
		waittest.Pass(250 * time.Millisecond)
		if n := asking.Load(); n != 128 {
			t.Errorf("%d ask a model that takes longer", n)
		}
		c.ends(free, 301)
	})
}

// slowTypist is a platform that takes a second to show anything unfinished.
type slowTypist struct {
	chattest.Adapter
	mu        sync.Mutex // guards what follows
	now, most int
	from      time.Time
	last      time.Duration // when the last answer came
}

func (a *slowTypist) Typing(ctx context.Context, m chat.Message) error {
	a.mu.Lock()
	a.now++
	a.most = max(a.most, a.now)
	a.mu.Unlock()
	chat.Sleep(ctx, time.Second)
	a.mu.Lock()
	a.now--
	a.mu.Unlock()
	return a.Adapter.Typing(ctx, m)
}

func (a *slowTypist) Preview(ctx context.Context, m chat.Message, id, text string) (string, time.Duration, error) {
	if err := a.Typing(ctx, m); err != nil {
		return "", 0, err
	}
	return a.Adapter.Preview(ctx, m, id, text)
}

func (a *slowTypist) Send(ctx context.Context, p chat.Part) (string, error) {
	a.mu.Lock()
	a.last = time.Since(a.from)
	a.mu.Unlock()
	return a.Adapter.Send(ctx, p)
}

// TestAnswersDoNotWaitForTyping: of what shows that a hundred answers are on their way,
// a dozen is sent at a time, and no answer waits for what nobody needs any more.
func TestAnswersDoNotWaitForTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slowTypist{from: time.Now()}
		c := newCrowd(t, p, p.Texts, func(ctx context.Context, _ chat.Message, w chat.Reply) (chat.Answer, error) {
			defer chat.Aside(ctx)()
			w.Text("a beginning")
			chat.Sleep(ctx, 5*time.Second)
			return chat.Answer{Text: "done"}, nil
		})
		c.write(100)
		waittest.Pass(10 * time.Second)
		if p.most != 12 {
			t.Errorf("%d were shown at once", p.most)
		}
		if n := len(c.sent()); n != 100 || p.last > 6*time.Second {
			t.Errorf("%d answers, the last after %s", n, p.last)
		}
		c.Drain(t.Context())
	})
}
