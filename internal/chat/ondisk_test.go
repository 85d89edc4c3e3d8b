package chat_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// slowDisk takes messages at once and has them on the disk later, or never.
type slowDisk struct {
	*papers
	err error
}

const diskTakes = 3 * time.Second

func (s *slowDisk) Accept(ctx context.Context, b chat.Batch) ([]chat.Message, error) {
	fresh, err := s.papers.Accept(ctx, b)
	waittest.Take(context.Background(), diskTakes)
	return fresh, errors.Join(err, s.err)
}

// TestThoughtBeforeItIsOnTheDisk: a message is worked on while it is being stored;
// nothing is seen and nothing is changed before it is on the disk, nor is the
// platform told. Where it never gets there, that stays so.
func TestThoughtBeforeItIsOnTheDisk(t *testing.T) {
	for name, broken := range map[string]error{"stored": nil, "the disk fails": errors.New("the disk is gone")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, j := &typist{began: time.Now()}, &papers{}
				var begun, may time.Duration
				var mayErr error
				h := chat.NewHub(chat.HubOptions{Inbox: &slowDisk{j, broken}, Outbox: j, Adapters: []chat.Adapter{a},
					Handler: chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
						begun = time.Since(a.began)
						w.Text("a beginning")
						mayErr = chat.OnDisk(ctx)
						may = time.Since(a.began)
						waittest.Take(context.Background(), 2*time.Second)
						return chat.Answer{Text: "done"}, nil
					})})
				err := h.Deliver(t.Context(), chat.Batch{Platform: "p", Messages: []chat.Message{said("1", "hi")}})
				if told := time.Since(a.began); told < diskTakes || !errors.Is(err, broken) {
					t.Errorf("the platform is told after %v: %v", told, err)
				}
				waittest.Pass(time.Minute)
				h.Drain(t.Context())
				if begun > 0 || may < diskTakes || !errors.Is(mayErr, broken) {
					t.Errorf("begun after %v, may act after %v: %v", begun, may, mayErr)
				}
				if len(a.at) > 0 != (broken == nil) || len(a.at) > 0 && a.at[0].Sub(a.began) < diskTakes {
					t.Errorf("typing at %v", since(a))
				}
			})
		})
	}
}

// TestOnDiskOfNothing: what belongs to no message waits for nothing.
func TestOnDiskOfNothing(t *testing.T) {
	if err := chat.OnDisk(t.Context()); err != nil {
		t.Error(err)
	}
}
