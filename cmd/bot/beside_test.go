package main

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestReadingDoesNotWait: while an answer is being made in a group, whoever asks
// for what only reads gets it at once, and what changes something waits.
func TestReadingDoesNotWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	think := make(chan struct{})
	w.llm.Queue(llmtest.Turn{Text: "the long answer", Held: think})
	w.tg.Push(telegramtest.Text(-100, 7, "@parley_bot think long"))
	eventually(t, "the model is asked", func() bool { return len(w.llm.Requests()) == 1 })
	w.tg.Push(telegramtest.Text(-100, 8, "/session reset"), telegramtest.Text(-100, 8, "/status"))
	w.sent(t, 1)
	close(think)
	if got := w.sent(t, 3); !strings.Contains(got[0], "model") || got[1] != "the long answer" {
		t.Errorf("said %q", got)
	}
}

// TestTypingWhereEverythingIsAnswered: in a channel where everything is answered
// a message that names nobody shows typing, too; elsewhere what is overheard does
// not.
func TestTypingWhereEverythingIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_MODE=open", "BOT_ACCESS_OWNERS=telegram:1")
	w.run(t)
	w.tg.Push(telegramtest.Text(-200, 8, "nobody asked"))
	w.tg.Push(telegramtest.Text(-100, 1, "/config channel all"))
	eventually(t, "all is answered", func() bool { return len(w.tg.Sent()) > 0 })
	w.llm.Queue(llmtest.Turn{Text: "it is noon", Delay: 600 * time.Millisecond})
	w.tg.Push(telegramtest.Text(-100, 8, "what time is it?"))
	eventually(t, "answered", func() bool {
		sent := w.tg.Sent()
		return sent[len(sent)-1].Text == "it is noon"
	})
	if len(w.tg.Actions()) == 0 {
		t.Error("no typing")
	}
	for _, a := range w.tg.Actions() {
		if a.Chat != -100 {
			t.Errorf("typing in %d", a.Chat)
		}
	}
}

// TestFailingModelHoldsNobodyUp: who waits for a model that fails reads that it is tried
// again, commands answer meanwhile, and one message makes six requests at most.
func TestFailingModelHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_ACCESS_MODE=open", "BOT_ACCESS_OWNERS=telegram:1")
	w.run(t)
	asked, beside := atomic.Int32{}, make(chan struct{})
	w.llm.Respond(func(llmtest.Request) llmtest.Turn {
		if asked.Add(1) > 1 {
			<-beside // what is said meanwhile does not wait for it
		}
		return broken("503")
	})
	w.tg.Push(telegramtest.Text(7, 7, "tell me a story about a fox"))
	eventually(t, "it fails", func() bool { return len(w.llm.Requests()) >= 1 })
	eventually(t, "the person reads what is tried", func() bool {
		return slices.ContainsFunc(w.tg.Drafts(), func(d telegramtest.Draft) bool {
			return strings.Contains(d.Text, "trying again for a moment")
		})
	})
	w.tg.Push(telegramtest.Text(7, 7, "/status"))
	w.sent(t, 1)
	close(beside)
	got := w.sent(t, 2)
	const down = "can't reach my language model"
	if strings.Contains(got[0], down) || !strings.Contains(got[1], down) {
		t.Errorf("said %q", got)
	}
	if n := len(w.llm.Requests()); n > 6 {
		t.Errorf("%d requests for one message", n)
	}
}
