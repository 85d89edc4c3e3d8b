package chat_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
	"parley/internal/text/waittest"
)

// gone is a journal that cannot store for a while that something was sent.
type gone struct {
	*papers
	until time.Time
	known time.Time // when it was stored
}

func (g *gone) Mark(ctx context.Context, p chat.Part, s chat.PartState, id string, until time.Time) error {
	if s == chat.PartSent && time.Now().Before(g.until) {
		return errors.New("away")
	}
	if s == chat.PartSent {
		g.known = time.Now()
	}
	return g.papers.Mark(ctx, p, s, id, until)
}

// TestSentIsStoredFirst: what was sent while the database was away, however long, is stored
// within half a second once it is back: sooner than any other process takes it for unsent.
func TestSentIsStoredFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &gone{papers: &papers{}, until: time.Now().Add(47 * time.Second)}
		h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{&chattest.Adapter{}},
			Handler: chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
				return chat.Answer{Text: "hi"}, nil
			})})
		if err := h.Deliver(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{said("1", "hi")}}); err != nil {
			t.Fatal(err)
		}
		waittest.Pass(time.Minute)
		if late := j.known.Sub(j.until); j.known.IsZero() || late > 500*time.Millisecond {
			t.Errorf("stored %v after the database was back", late)
		}
		h.Drain(t.Context())
	})
}

// TestWhatThePlatformKeptIsAnswered: after an outage more messages of a conversation come at
// once than may wait there otherwise. None is refused; of those that are written at once some are.
func TestWhatThePlatformKeptIsAnswered(t *testing.T) {
	for age, sheds := range map[time.Duration]bool{0: true, time.Minute: false} {
		t.Run(age.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var refused atomic.Int64
				j := &papers{}
				h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{&chattest.Adapter{}},
					Observe: func(e chat.Event) {
						if e.Name == "shed" {
							refused.Add(1)
						}
					},
					Handler: chat.HandlerFunc(func(ctx context.Context, _ chat.Message, _ chat.Reply) (chat.Answer, error) {
						chat.Sleep(ctx, time.Second)
						return chat.Answer{Text: "hi"}, nil
					})})
				b := chat.Batch{Platform: "p"}
				for i := range 30 {
					m := said(fmt.Sprint(i), "hi")
					m.At = time.Now().Add(-age)
					b.Messages = append(b.Messages, m)
				}
				if err := h.Deliver(t.Context(), b); err != nil {
					t.Fatal(err)
				}
				waittest.Pass(time.Minute)
				if got := refused.Load(); (got > 0) != sheds {
					t.Errorf("%d refused", got)
				}
				h.Drain(t.Context())
			})
		})
	}
}
