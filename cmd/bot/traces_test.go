package main

import (
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/text/waittest"
)

// The owner reads what a model was asked word for word, copies the conversation as a
// rehearsal that plays, and nothing of it is left after /forget-me.
func TestExactRequestsFromChatToPage(t *testing.T) {
	w := newWorld(t)
	base := w.withPort(t)
	w.run(t)
	w.llm.Queue(llmtest.Turn{Calls: []llmtest.Call{{Name: "add_task", Args: `{"description":"buy zxmilk"}`}}},
		llmtest.Turn{Text: "It is on your list."})
	w.saying(t, 1, 1, "put zxmilk on my list")
	told := w.saying(t, 1, 1, "/trace")
	turn := regexp.MustCompile(`2 model calls are kept for the owner: ` + regexp.QuoteMeta(base) +
		`(/turns/[0-9a-f-]+)`).FindStringSubmatch(told)
	if turn == nil {
		t.Fatalf("/trace says %q", told)
	}
	w.tg.Push(telegramtest.Text(1, 1, "/page"))
	v := newVisitor(t, base)
	v.post("/login", url.Values{"code": {linkForm.FindStringSubmatch(w.sent(t, 3)[2])[1]}})
	calls := regexp.MustCompile(`\bcalls/\d+`).FindAllString(v.get(turn[1]), -1)
	if len(calls) != 2 {
		t.Fatalf("the page links to %q", calls)
	}
	requests := w.words()
	if got := v.get("/" + calls[0] + "/request"); len(requests) < 2 || !strings.Contains(got, "put zxmilk on my list") ||
		!strings.Contains(got, `"role":"system"`) {
		t.Errorf("the request is %s", got)
	}
	if got := v.get("/" + calls[1] + "/answer"); !strings.Contains(got, "It is on your list.") {
		t.Errorf("the answer is %s", got)
	}
	script := regexp.MustCompile(`(?s)<textarea[^>]*>(.*)</textarea>`).FindStringSubmatch(v.get(turn[1] + "/script"))
	if script == nil {
		t.Fatal("there is no script")
	}
	file := filepath.Join(t.TempDir(), "copied.txt")
	must(t, os.WriteFile(file, []byte(html.UnescapeString(script[1])), 0o600))
	if out, code := typed("", "rehearse", file); code != 0 || !strings.Contains(script[1], "! add_task") {
		t.Errorf("the copy plays with exit %d:\n%s\n%s", code, out, script[1])
	}
	w.saying(t, 1, 1, "/forget-me")
	w.tg.Push(telegramtest.Text(1, 1, "yes"))
	if !waittest.Within(time.Minute, func() bool { return !strings.Contains(v.get("/"+calls[0]+"/request"), "zxmilk") }) {
		t.Error("the request is still there")
	}
}

// With trace.keep 0 nothing is kept, and what was is deleted.
func TestNothingIsKept(t *testing.T) {
	w := newWorld(t, "BOT_TRACE_KEEP=0")
	file := filepath.Join(w.config(t).DataDir, "traces.db")
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.WriteFile(file, []byte("old"), 0o600))
	w.run(t)
	w.saying(t, 1, 1, "hello")
	if _, err := os.Stat(file); err == nil {
		t.Error("traces are still there")
	}
}
