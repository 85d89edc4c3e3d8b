package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
