package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
)

// TestEndsAreTold: the end of a conversation is in the owner's daily note and in their digest
// as a model summed it up, each once, whenever the process is killed between the summary and
// them, and once more when another one ends.
func TestEndsAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		point  string
		served bool
	}{{"", false}, {"before daily note:1", false}, {"after daily note:1", false}, {"after daily note:1", true}, {"before digest:1", false},
		{"after digest:1", false}} {
		name := cmp.Or(c.point, "not killed")
		if c.served {
			name += " served"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notes := t.TempDir()
			w := newWorld(t, "BOT_VAULT_DIR="+notes, "BOT_VAULT_READERS=owner", "BOT_VAULT_DAILY_NOTE=sessions", "BOT_MEMORY_DIGEST=session",
				"BOT_ACCESS_OWNERS=telegram:7")
			if c.served {
				w.served(t)
			}
			w.llm.Structured(func(r llmtest.Request) llmtest.Turn {
				facts, title := "", "Silence"
				if !strings.Contains(string(r.Raw), "nothing new") {
					title = "Hum"
					facts = `{"person":"User 7","content":"Owns a boiler from 1998","quote":"my boiler is from 1998","type":"fact"}`
				}
				return llmtest.Turn{Text: `{"summary":"It hums in B flat.","title":"` + title + `","decisions":[],"keep":[],"outdated":[],"facts":[` + facts + `]}`}
			})
			noted := func(n int) bool {
				files, err := filepath.Glob(filepath.Join(notes, "agent-notes", "daily", "*.md"))
				must(t, err)
				all := ""
				for _, f := range files {
					b, err := os.ReadFile(f)
					must(t, err)
					all += string(b)
				}
				if strings.Count(all, "hums in B flat") > n {
					t.Fatalf("the note says %q", all)
				}
				return strings.Count(all, "hums in B flat") == n
			}
			child := w.start(t, "BOT_FAILPOINT="+c.point)
			w.saying(t, 7, 7, "my boiler is from 1998")
			w.saying(t, 7, 7, "/session end")
			if c.point != "" {
				dies(t, child)
				child = w.start(t)
			}
			digest := w.sent(t, 3)[2]
			if !strings.Contains(digest, "Owns a boiler from 1998") {
				t.Errorf("the digest: %q", digest)
			}
			eventually(t, "noted", func() bool { return noted(1) })
			w.saying(t, 7, 7, "nothing new")
			w.saying(t, 7, 7, "/session end")
			eventually(t, "noted again", func() bool { return noted(2) })
			w.settled(t)
			kill(child)
			if n := len(w.tg.Sent()); n != 5 {
				t.Errorf("%d messages: %q", n, w.sent(t, n))
			}
		})
	}
}

// TestForgottenIsNotNoted: how a conversation ended is in the owner's daily note or forgotten
// with it, whichever comes first, when the process is killed between the two: nothing is noted
// of it later, and what is noted is named to whoever has it forgotten.
func TestForgottenIsNotNoted(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"before daily note:1", "after daily note:1", "forgetting", "forgotten"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			notes := t.TempDir()
			w := newWorld(t, "BOT_VAULT_DIR="+notes, "BOT_VAULT_READERS=owner", "BOT_VAULT_DAILY_NOTE=sessions",
				"BOT_ACCESS_OWNERS=telegram:7")
			w.llm.Structured(func(r llmtest.Request) llmtest.Turn {
				summary := "It is quiet."
				if strings.Contains(string(r.Raw), "boiler") {
					summary = "It hums in B flat."
				}
				return llmtest.Turn{Text: `{"summary":"` + summary + `","title":"Hum","decisions":[],"keep":[],"outdated":[],"facts":[]}`}
			})
			noted := func() (n int) {
				files, err := filepath.Glob(filepath.Join(notes, "agent-notes", "daily", "*.md"))
				must(t, err)
				for _, f := range files {
					b, err := os.ReadFile(f)
					must(t, err)
					n += strings.Count(string(b), "hums in B flat")
				}
				return n
			}
			child := w.start(t, "BOT_FAILPOINT="+point)
			w.saying(t, 7, 7, "my boiler is from 1998")
			w.saying(t, 7, 7, "/session end")
			if strings.Contains(point, "note") {
				dies(t, child)
				child = w.start(t)
			}
			asks := w.saying(t, 7, 7, "/forget-me")
			w.tg.Push(telegramtest.Text(7, 7, "yes"))
			if !strings.Contains(point, "note") {
				dies(t, child)
				child = w.start(t)
			}
			eventually(t, "it is forgotten", func() bool {
				last := w.in(7)
				return strings.Contains(last[len(last)-1].Text, "deleted")
			})
			w.settled(t)
			before, last := noted(), w.in(7)
			text := last[len(last)-1].Text
			if named := strings.Contains(text, "daily notes remain"); before > 1 || before == 1 && !named {
				t.Errorf("noted %d times, and told: %q (asked %q)", before, text, asks)
			}
			kill(child)
			child = w.start(t)
			w.saying(t, 7, 7, "hello")
			w.saying(t, 7, 7, "/session end")
			w.settled(t)
			kill(child)
			if n := noted(); n != before {
				t.Errorf("noted %d times, when it was forgotten %d", n, before)
			}
		})
	}
}
