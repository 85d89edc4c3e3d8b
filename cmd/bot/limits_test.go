package main

import (
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// spend answers with a fixed price.
func (w *world) spend(tokens int) {
	w.llm.Respond(func(llmtest.Request) llmtest.Turn {
		return llmtest.Turn{Text: "paid", Usage: [2]int{tokens - 1, 1}}
	})
}

func TestDayLimitOfEverybody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_LIMITS_TOKENS_PER_DAY=5000")
	w.spend(3000)
	w.run(t)
	w.say(t, 7, "one")
	if got := w.say(t, 7, "/status"); !strings.Contains(got, "unlimited tokens for this channel") || strings.Contains(got, "2000") {
		t.Errorf("status: %s", got)
	}
	w.say(t, 8, "two passes the limit")
	if got := w.say(t, 9, "three"); !strings.Contains(got, "allowance is used up") {
		t.Errorf("past the limit: %q", got)
	}
	w.tg.Push(telegramtest.Text(9, 9, "four")) // told already
	if got := w.say(t, 10, "/ask five"); !strings.Contains(got, "allowance is used up") {
		t.Errorf("/ask past the limit: %q", got)
	}
	if n := len(w.llm.Requests()); n != 2 {
		t.Errorf("%d model calls", n)
	}
	must(t, w.stop())
	w.run(t) // the day goes on after a restart
	if got := w.say(t, 11, "six"); !strings.Contains(got, "allowance is used up") || len(w.llm.Requests()) != 2 {
		t.Errorf("after a restart: %q, %d model calls", got, len(w.llm.Requests()))
	}
}

func TestDayLimitIsPassedByOneCallAtMost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_LIMITS_TOKENS_PER_DAY=2000")
	w.spend(1500)
	w.run(t)
	for chat := range int64(20) {
		w.tg.Push(telegramtest.Text(100+chat, 100+chat, "at once"))
	}
	w.sent(t, 20)
	if n := len(w.llm.Requests()); n > 2 {
		t.Errorf("%d calls of 1500 tokens, with 2000 a day", n)
	}
}

func TestPastLimitOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "BOT_LIMITS_USER_TOKENS_PER_DAY=100", "BOT_LIMITS_PAST_LIMIT=offline")
	w.spend(3000)
	w.run(t)
	for _, text := range []string{"one", "two"} {
		w.tg.Push(telegramtest.Text(7, 7, text))
	}
	if got := w.sent(t, 2)[1]; !strings.HasPrefix(got, "Today's allowance is used up, so I can't ask my language model") {
		t.Errorf("got %q", got)
	}
	if got := w.saying(t, 7, 7, "what time is it?"); !strings.Contains(got, "20") || strings.Contains(got, "allowance") {
		t.Errorf("got %q", got)
	}
	if n := len(w.llm.Requests()); n != 1 {
		t.Errorf("%d model calls", n)
	}
}
