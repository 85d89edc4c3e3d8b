package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

func TestTelegramConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.llm.Queue(llmtest.Turn{Text: "Hello Ann!"}, llmtest.Turn{Text: "Your file is plan.txt."})
	w.tg.Push(telegramtest.Text(7, 7, "hi, my file is plan.txt"))
	if got := w.sent(t, 1)[0]; got != "Hello Ann!" {
		t.Errorf("got %q", got)
	}
	w.tg.Push(telegramtest.Text(7, 7, "what file did I mention?"))
	if got := w.sent(t, 2)[1]; got != "Your file is plan.txt." {
		t.Errorf("got %q", got)
	}
	second := w.llm.Requests()[1]
	if second.Messages[0].Role != "system" || !strings.Contains(string(second.Raw), "my file is plan.txt") ||
		!strings.Contains(string(second.Raw), "Hello Ann!") {
		t.Errorf("the second request lacks the first exchange: %s", second.Raw)
	}
	if second.Temperature == nil || *second.Temperature != 0 || second.MaxTokens != 1024 {
		t.Errorf("temperature %v, max_tokens %d", second.Temperature, second.MaxTokens)
	}
}

func TestTelegramOrderAndNoDoubles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	const chats, each = 20, 5
	for i := range each {
		for c := range chats {
			w.tg.Push(telegramtest.Text(int64(100+c), int64(100+c), strings.Repeat("x", i+1)))
		}
	}
	w.sent(t, chats*each)
	w.settled(t)
	next := map[int64]int{}
	for _, m := range w.tg.Sent() {
		next[m.Chat]++
		if len(m.Text) != next[m.Chat] {
			t.Errorf("chat %d: answer %d is %q", m.Chat, next[m.Chat], m.Text)
		}
	}
	if n := len(w.tg.Sent()); n != chats*each {
		t.Errorf("%d answers", n)
	}
}

func TestTelegramStopCancelsTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.llm.Queue(llmtest.Turn{Text: "never", Delay: time.Minute})
	w.tg.Push(telegramtest.Text(7, 7, "think long"))
	eventually(t, "the model is asked", func() bool { return len(w.llm.Requests()) > 0 })
	w.tg.Push(telegramtest.Text(7, 7, "/stop"))
	if got := w.sent(t, 1)[0]; got != "Stopped." {
		t.Errorf("got %q", got)
	}
}

func TestTelegramModelFailsThenWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	bad := llmtest.Turn{Status: 500, Body: `{"error":{"message":"boom"}}`}
	w.llm.Queue(bad, bad, bad)
	w.tg.Push(telegramtest.Text(7, 7, "one"))
	if got := w.sent(t, 1)[0]; !strings.Contains(got, "can't reach my language model") || strings.Contains(got, "boom") {
		t.Errorf("got %q", got)
	}
	if n := len(w.llm.Requests()); n != 3 {
		t.Errorf("%d attempts", n)
	}
	w.tg.Push(telegramtest.Text(7, 7, "two"))
	// What stays unanswered is said again with the next words: templates take no
	// two messages of one role in a row.
	if got := w.sent(t, 2)[1]; got != "one\n\ntwo" {
		t.Errorf("got %q", got)
	}
}

// TestTelegramMenus: everybody sees behind the slash what is theirs.
func TestTelegramMenus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tg.AddChat(1)
	has := func(scope, name string) bool {
		return slices.ContainsFunc(w.tg.Menu(scope), func(c telegramtest.Command) bool { return c.Command == name })
	}
	for range 2 { // the second start finds everything as it should be
		w.run(t)
		eventually(t, "the owner's menu, the last language's too", func() bool { return has("1", "forget_me") && has("1/zh", "forget_me") })
		w.saying(t, 1, 1, "/status")
		must(t, w.stop())
	}
	for name, want := range map[string]string{
		"help": "default all_group_chats all_chat_administrators 1", "claim": "", // there is an owner
		"session": "default all_group_chats all_chat_administrators 1",
		"trace":   "all_chat_administrators 1", "config": "all_chat_administrators 1", "pair": "1", "page": "1",
	} {
		var got []string
		for _, scope := range []string{"default", "all_group_chats", "all_chat_administrators", "1"} {
			if has(scope, name) {
				got = append(got, scope)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("/%s is shown in %v, not in %s", name, got, want)
		}
	}
	if menu := w.tg.Menu("default/de"); len(menu) == 0 || menu[0].Description != "Was du hier tun kannst" {
		t.Errorf("in German: %v", menu)
	}
	if n := len(w.tg.Calls("setMyCommands")); n != 4*6 { // in each language
		t.Errorf("%d menus were set in two starts", n)
	}
}
