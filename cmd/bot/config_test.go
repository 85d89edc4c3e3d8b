package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
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
