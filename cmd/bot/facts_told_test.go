package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/chat"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text/waittest"
)

// The owner is told once, in their direct chat, that the facts file is refused, or is none,
// and decides there. A start looks at the file, which saves one wait for the
// next look; the looks are ten seconds apart, and two have to agree.
func TestOwnerDecidesAboutTheFactsFile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes several looks at the file")
	}
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "facts.md")
	w.env = append(w.env, "BOT_MEMORY_FACTS_FILE="+file, "BOT_MODEL_NAME=builtin")
	owner := provenance.Viewer{User: "telegram:1", Key: chat.Key{Platform: "telegram", Channel: "1"}, Direct: true}
	store := w.open(t)
	for i := range 30 {
		if _, err := store.Facts.SaveFact(t.Context(), owner, facts.NewFact{Content: fmt.Sprintf("number %d is %s", i,
			strings.Repeat(string(rune('a'+i%26)), 5+i/26))}); err != nil {
			t.Fatal(err)
		}
	}
	must(t, store.Close())
	w.run(t)
	until := func(what string, ok func() bool) {
		t.Helper()
		if !waittest.Within(90*time.Second, ok) {
			t.Fatalf("never: %s; %v", what, w.tg.Sent())
		}
	}
	lines := func() int {
		b, _ := os.ReadFile(file) // there is none at first
		return strings.Count(string(b), "\n- ")
	}
	said := func(part string) func() bool {
		return func() bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			list, _ := w.tg.WaitSent(ctx, 1)
			for _, m := range list {
				if strings.Contains(m.Text, part) {
					return true
				}
			}
			return false
		}
	}
	w.tg.Push(telegramtest.Text(1, 1, "hello"))
	until("the file", func() bool { return lines() == 30 })
	w.sent(t, 1)
	must(t, w.stop())
	b, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, nil, 0o600))
	w.run(t)
	until("the notice of an empty file", said("this is not a facts file"))
	must(t, os.WriteFile(file, b[:strings.Index(string(b), "%%\n")+3], 0o600))
	until("the notice", said("29 of 30"))
	w.tg.Push(telegramtest.Text(1, 1, "/status"))
	until("the status", said("facts file"))
	w.tg.Push(telegramtest.Text(1, 2, "/facts file accept"))
	until("a stranger's refusal", said("owner"))
	if lines() != 1 {
		t.Errorf("%d lines", lines())
	}
	w.tg.Push(telegramtest.Text(1, 1, "/facts file accept"))
	until("the yes", said("gone: 29"))
}
