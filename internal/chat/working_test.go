package chat_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"parley/internal/chat"
	"parley/internal/chat/chattest"
)

// watcher is a platform that shows which tools are at work.
type watcher struct {
	chattest.Adapter
	seen []string
}

func (w *watcher) Watch(m chat.Message, tools []string) {
	w.seen = append(w.seen, fmt.Sprint(m.Text, tools))
}

// bare is a Reply that shows no tools.
type bare struct{ chat.Reply }

func (bare) Status(string) {}

func TestToolsAtWorkAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, j := &watcher{}, &papers{}
		h := chat.NewHub(chat.HubOptions{Inbox: j, Outbox: j, Adapters: []chat.Adapter{w},
			Handler: chat.HandlerFunc(func(_ context.Context, _ chat.Message, r chat.Reply) (chat.Answer, error) {
				one, two := chat.Work(r, "a"), chat.Work(r, "b")
				again := chat.Work(r, "a")
				one()
				two()
				again()
				chat.Work(bare{}, "a")() // shows nothing, and breaks nothing
				return chat.Answer{Text: "done"}, nil
			})})
		if err := h.Deliver(t.Context(), chat.Batch{Platform: chattest.Platform, Messages: []chat.Message{said("1", "hi")}}); err != nil {
			t.Fatal(err)
		}
		h.Drain(t.Context())
		if want := []string{"hi[a]", "hi[a b]", "hi[a b a]", "hi[b a]", "hi[a]", "hi[]"}; !slices.Equal(w.seen, want) {
			t.Errorf("seen are %q, want %q", w.seen, want)
		}
	})
}
