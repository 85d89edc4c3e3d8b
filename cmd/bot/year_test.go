package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
)

// somebody is who speaks on each front end of fronts, and where.
var somebody = map[string][2]string{"telegram": {"1", "1"}, "discord": {"10", "42"}, "terminal": {"local", "local"}}

// TestAYearAgoIsRecalled: in a chat of a year, "what did you tell me" finds what the assistant
// answered, on every front end.
func TestAYearAgoIsRecalled(t *testing.T) {
	t.Parallel()
	for name, front := range fronts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			old := filepath.Join(t.TempDir(), "old.jsonl")
			must(t, os.WriteFile(old, yearOf(t, name, somebody[name][0], somebody[name][1]), 0o600))
			args := []string{"--data", w.dir, "sessions", "import", old}
			if w.url != "" {
				t.Setenv("BOT_DATABASE_URL", w.url)
			}
			if out, code := typed("", args...); code != 0 {
				t.Fatalf("exit %d: %s", code, out)
			}
			say := front(t, w)
			w.llm.Queue(callTool("recall_conversation", `{"query":"what did you tell me about mortgages in spring?"}`),
				llmtest.Turn{Text: "Ten years fixed."})
			before := len(w.words())
			say("what did you tell me about mortgages in spring?")
			asked := w.words()[before:]
			given := asked[len(asked)-1].Messages
			got := given[len(given)-1].Text()
			if !strings.Contains(got, "fixed for ten years") {
				t.Errorf("recalled %q", got)
			}
		})
	}
}

// yearOf is a year of somebody's chat with an assistant, in lines for an import.
func yearOf(t *testing.T, platform, channel, user string) []byte {
	t.Helper()
	var b strings.Builder
	n := 0
	at := time.Date(2025, 11, 1, 8, 0, 0, 0, time.UTC)
	line := func(role, text string) {
		who, name := user, "Ann"
		if role == "assistant" {
			who, name = "assistant", "Parley"
		}
		n++
		raw, err := json.Marshal(map[string]any{"platform": platform, "channel": channel, "user": who, "name": name, "role": role,
			"text": text, "at": at.Add(time.Duration(n) * time.Minute).Format(time.RFC3339), "id": fmt.Sprint("old", n)})
		must(t, err)
		b.Write(append(raw, '\n'))
	}
	things := []string{"the garden", "a bicycle", "the dog", "dinner", "a train to Basel", "the piano", "a birthday", "the boiler"}
	for day := range 365 {
		thing := things[day%len(things)]
		line("user", fmt.Sprintf("What shall I do about %s today, day %d?", thing, day))
		line("assistant", fmt.Sprintf("About %s I would take it slowly and write down what happens on day %d.", thing, day))
		switch day {
		case 60:
			line("user", "my aunt says mortgages are a trap")
		case 160: // in April
			line("user", "Which mortgage should we take?")
			line("assistant", "Take the mortgage with a rate fixed for ten years: at today's spread it costs 0.2 % more and you sleep better.")
		}
		at = at.Add(24 * time.Hour)
	}
	return []byte(b.String())
}
