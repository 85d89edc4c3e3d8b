package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// saying sends text and returns the one answer to it.
func (w *world) saying(t *testing.T, chat, user int64, text string) string {
	t.Helper()
	n := len(w.tg.Sent())
	w.tg.Push(telegramtest.Text(chat, user, text))
	return w.sent(t, n+1)[n]
}

// offered returns the tools of the latest request to the model.
func (w *world) offered() (names []string) {
	reqs := w.llm.Requests()
	var list []struct{ Function struct{ Name string } }
	_ = json.Unmarshal(reqs[len(reqs)-1].Tools, &list) // none are no tools
	for _, tool := range list {
		names = append(names, tool.Function.Name)
	}
	return names
}

// TestConfigSet: a setting changes from the chat within its
// range, at once and for good.
func TestConfigSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	for _, s := range []struct{ text, want string }{
		{"/config set session.ttl 59", "I changed nothing: session.ttl: is 59s; expected 60s to 24h"},
		{"/config set session.ttl 2m", "expected less than session.ttl"}, // idle_timeout is 5m
		{"/config set session.ttl soon", "expected a duration"},
		{"/config set log.level loud", "debug, info, warn, error"},
		{"/config set limits.user_per_minute -1", "expected 0 to 100000"},
		{"/config set model.api_key x", "What I can change: session.idle_timeout"},
		{"/config set access.mode open", "What I can change"},
		{"/config set sesion.ttl 2h", "What I can change"},
		{"/config show", "ttl: 1h"},
		{"/config set session.ttl 2h", "session.ttl is 2h from now on; it was 1h."},
		{"/config set log.level debug", "is debug"},
		{"/config set limits.channel_tokens_per_day 1", "is 1 from"},
		{"/config show", "Set with /config set: session.ttl is 2h; without that it would be 1h."},
	} {
		if got := w.saying(t, 1, 1, s.text); !strings.Contains(got, s.want) {
			t.Errorf("%s: %s", s.text, got)
		}
	}
	if got := w.saying(t, 7, 7, "/config set session.ttl 3h"); !strings.Contains(got, "for my owner") {
		t.Errorf("a member: %s", got)
	}
	w.llm.Queue(llmtest.Turn{Text: "one", Usage: [2]int{5, 5}})
	w.saying(t, 7, 7, "hi")
	if got := w.saying(t, 7, 7, "again"); !strings.Contains(got, "allowance is used up") {
		t.Errorf("the limit is not in force: %s", got)
	}
	must(t, w.stop())
	w.run(t)
	for _, s := range []struct{ text, want string }{
		{"/config show", "session.ttl is 2h"},
		{"/config set session.ttl default", "is 1h from now on; it was 2h."},
		{"/config show", "limits.channel_tokens_per_day is 1"},
	} {
		got := w.saying(t, 1, 1, s.text)
		if !strings.Contains(got, s.want) {
			t.Errorf("after a restart, %s: %s", s.text, got)
		}
		if strings.Contains(got, "session.ttl is 2h") && s.text == "/config show" && s.want != "session.ttl is 2h" {
			t.Errorf("still set: %s", got)
		}
	}
	must(t, w.stop())
	w.env = append(w.env, "BOT_LOG_LEVEL=error") // the chat's wins
	w.run(t)
	if got := w.saying(t, 1, 1, "/config show"); !strings.Contains(got, "log.level is debug; without that it would be error") {
		t.Errorf("beside the environment: %s", got)
	}
}

// TestConfigSetThatNoLongerFits: what was set from the chat and what the file
// says now cannot both hold.
func TestConfigSetThatNoLongerFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.file = filepath.Join(t.TempDir(), "bot.yaml")
	must(t, os.WriteFile(w.file, nil, 0o600))
	w.run(t)
	w.saying(t, 1, 1, "/config set session.idle_timeout 10m")
	w.saying(t, 1, 1, "/config set limits.user_tokens_per_day 7")
	const short = "session: {idle_timeout: 30s, ttl: 60s}\n"
	w.hangUp(t, short, "nothing was changed")
	if got := w.saying(t, 1, 1, "/config show"); !strings.Contains(got, "session.idle_timeout is 10m; without that it would be 5m") {
		t.Errorf("after a refused reload: %s", got)
	}
	w.hangUp(t, "session: {ttl: 2h}\n", "settings were read again")
	if got := w.saying(t, 1, 1, "/config show"); !strings.Contains(got, "ttl: 2h") || !strings.Contains(got, "idle_timeout: 10m") {
		t.Errorf("after a reload: %s", got)
	}
	must(t, w.stop())
	must(t, os.WriteFile(w.file, []byte(short), 0o600))
	w.run(t)
	got := w.saying(t, 1, 1, "/config show")
	if strings.Contains(got, "idle_timeout is 10m") || !strings.Contains(got, "limits.user_tokens_per_day is 7") ||
		!strings.Contains(w.log.String(), "is left out") {
		t.Errorf("after a start: %s", got)
	}
}

// TestToolsOfAChannel: an admin decides what is used in a channel; elsewhere
// everything stays as it is.
func TestToolsOfAChannel(t *testing.T) {
	w := newWorld(t)
	w.run(t)
	const group = -1000000000005
	w.tg.SetAdmin(group, 50)
	for _, user := range []int64{1, 7, 50} {
		w.saying(t, user, user, "hello") // private answers go to the direct chat
	}
	say := func(user int64, text string) string {
		if !strings.HasPrefix(text, "/") {
			text = "@parley_bot " + text
		}
		return w.saying(t, group, user, text)
	}
	ask := func(user int64, text string) string { // what is theirs alone to read
		t.Helper()
		n := len(w.tg.Sent())
		w.tg.Push(telegramtest.Text(group, user, text))
		w.sent(t, n+2)
		for _, m := range w.tg.Sent()[n:] {
			if m.Chat == user {
				return m.Text
			}
		}
		t.Fatalf("%s: %+v", text, w.tg.Sent()[n:])
		return ""
	}
	for _, s := range []struct {
		user       int64
		text, want string
	}{
		{7, "/config tools none", "/config is for my owner"},
		{50, "/config set session.ttl 2h", "for my owner"},
		{50, "/config tools", "all my tools here"}, // answered where it was asked
		{50, "/config tools add_task, nothing", `named "nothing"`},
		{50, "/config tools add_task, list_tasks", "The only tools I use here are add_task, list_tasks."},
	} {
		if got := say(s.user, s.text); !strings.Contains(got, s.want) {
			t.Errorf("%d %s: %s", s.user, s.text, got)
		}
	}
	for _, s := range []struct {
		user       int64
		text, want string
	}{
		{1, "/config show", "The only tools I use here are add_task, list_tasks."},
	} {
		if got := ask(s.user, s.text); !strings.Contains(got, s.want) {
			t.Errorf("%d %s: %s", s.user, s.text, got)
		}
	}
	say(7, "hello")
	if got := w.offered(); !slices.Equal(got, []string{"add_task", "list_tasks"}) {
		t.Errorf("offered in the channel: %v", got)
	}
	fetch := llmtest.Call{ID: "1", Name: "web_fetch", Args: `{"url":"http://example.com"}`}
	w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{fetch}}, llmtest.Turn{Text: "well"})
	say(7, "fetch it")
	if reqs := w.llm.Requests(); !strings.Contains(reqs[len(reqs)-1].Last("tool"), "TOOL_NOT_FOUND") {
		t.Errorf("a tool that is not used here ran: %s", reqs[len(reqs)-1].Raw)
	}
	w.saying(t, 7, 7, "hello")
	if got := w.offered(); len(got) < 5 {
		t.Errorf("offered elsewhere: %v", got)
	}
	say(1, "/tools disable add_task")
	say(7, "hello again")
	if got := w.offered(); !slices.Equal(got, []string{"list_tasks"}) {
		t.Errorf("a channel brought back what is off: %v", got)
	}
	if got := say(50, "/config tools none"); !strings.Contains(got, "no tools") {
		t.Errorf("none: %s", got)
	}
	say(7, "and now")
	if got := w.offered(); len(got) != 0 {
		t.Errorf("offered after none: %v", got)
	}
	if got := say(50, "/config tools default"); !strings.Contains(got, "all my tools") {
		t.Errorf("default: %s", got)
	}
}
