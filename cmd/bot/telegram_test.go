package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

func TestTelegramStopCancelsTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.llm.Queue(llmtest.Turn{Text: "never", Delay: time.Minute})
	w.tg.Push(telegramtest.Text(7, 7, "think long"))
	eventually(t, "the model is asked", func() bool { return len(w.llm.Requests()) > 0 })
	if got := w.saying(t, 7, 7, "/stop"); got != "Stopped." {
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
