package chat_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/text/waittest"
)

// shaky is a platform that takes nothing between two moments, and from one channel
// never.
type shaky struct {
	chattest.Adapter
	from, to time.Time
	closed   string
	mu       sync.Mutex // guards what follows
	tries    map[string][]time.Time
	sent     map[string]time.Time
}

func (a *shaky) Send(_ context.Context, p chat.Part) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, c := time.Now(), p.Key.Channel
	a.tries[c] = append(a.tries[c], now)
	if c == a.closed || !now.Before(a.from) && now.Before(a.to) {
		return "", errors.New("status 502")
	}
	a.sent[c] = now
	return "1", nil
}

// through plays chats that each say something at the beginning of an outage, and
// others that do afterwards. It returns when ctx of the hub was given up.
func (a *shaky) through(t *testing.T, chats int, outage time.Duration) {
	a.from, a.to = time.Now(), time.Now().Add(outage)
	a.tries, a.sent = map[string][]time.Time{}, map[string]time.Time{}
	j := &papers{}
	h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{a},
		Handler: chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
			return chat.Answer{Text: "hi"}, nil
		})})
	say := func(c int) {
		m := said("1", "hi")
		m.Key.Channel = fmt.Sprint(c)
		if err := h.Deliver(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{m}}); err != nil {
			t.Fatal(err)
		}
	}
	for c := range chats {
		say(c)
	}
	waittest.Pass(outage + 5*time.Second)
	for c := range 100 {
		say(1000 + c)
		waittest.Pass(100 * time.Millisecond)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.Drain(ctx)
}

// TestOutageIsOver: what failed is tried again within a quarter of a second, what
// was held up by an outage is delivered within a second and a half of its end, and
// meanwhile the platform is asked little.
func TestOutageIsOver(t *testing.T) {
	for _, outage := range []time.Duration{time.Second, 20 * time.Second, 10 * time.Minute} {
		t.Run(outage.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const chats = 50
				a := &shaky{}
				a.through(t, chats, outage)
				tries := 0
				for c, at := range a.tries {
					if len(at) < 2 {
						continue // after it
					}
					tries += len(at)
					if wait := at[1].Sub(at[0]); wait > 250*time.Millisecond {
						t.Errorf("chat %s: the first retry after %v", c, wait)
					}
					if late := a.sent[c].Sub(a.to); late > 1500*time.Millisecond {
						t.Errorf("chat %s: delivered %v after the end", c, late)
					}
				}
				most := chats*(10+int(outage/(30*time.Second))) + int(outage/time.Second)
				if len(a.sent) != chats+100 || tries > most {
					t.Errorf("%d delivered; %d attempts, at most %d", len(a.sent), tries, most)
				}
			})
		})
	}
}

// TestOneTrouble: a conversation that alone does not get through is not tried again
// with each message of the others.
func TestOneTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &shaky{closed: "0"}
		a.through(t, 50, 0)
		if n := len(a.tries["0"]); n < 5 || n > 20 || len(a.sent) != 149 {
			t.Errorf("tried %d times in 15 seconds; %d others delivered", n, len(a.sent))
		}
	})
}
