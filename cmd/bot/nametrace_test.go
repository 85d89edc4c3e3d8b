package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/adapters/telegram/telegramtest"
)

// TestNothingNamesWhoWasForgotten: after /forget-me no file of the data folder has the name of
// the person, with the bot running and killed; and no message on its way in or out says where
// they talked alone, but for those of the forgetting itself.
func TestNothingNamesWhoWasForgotten(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"not killed", "forgotten:1"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.env = append(w.env, "BOT_MEMORY_FACTS_FILE="+filepath.Join(w.dir, "facts.md")) // of the owner
			var env []string
			if point != "not killed" {
				env = append(env, "BOT_FAILPOINT="+point)
			}
			child := w.start(t, env...)
			as := func(u telegramtest.Update) telegramtest.Update {
				u.Message.From.FirstName, u.Message.From.LastName = "Zxquokka", "Zxnumbat"
				return u
			}
			w.saying(t, 5, 5, "hello")
			for i, said := range []string{"hello", "/facts add I play the cello", "/tasks add buy milk", "good night", "/forget-me"} {
				w.tg.Push(as(telegramtest.Text(1, 1, said)))
				w.sent(t, i+2)
			}
			w.tg.Push(as(telegramtest.Text(1, 1, "yes")))
			if point != "not killed" {
				dies(t, child)
				child = w.start(t)
			}
			w.sent(t, 7)
			found := func(when string) {
				must(t, filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					b, err := os.ReadFile(path)
					for _, name := range []string{"Zxquokka", "Zxnumbat"} {
						if bytes.Contains(b, []byte(name)) {
							t.Errorf("%s: %s has %s", when, filepath.Base(path), name)
						}
					}
					return err
				}))
			}
			found("running")
			kill(child)
			found("killed")
			child = w.start(t)
			w.saying(t, 5, 5, "hello")
			kill(child)
			found("started again")
			if in, out := w.count(t, "SELECT count(*) FROM inbox WHERE channel = '1'"),
				w.count(t, "SELECT count(*) FROM outbox WHERE channel = '1'"); in != 1 || out != 1 {
				t.Errorf("%d rows of the inbox and %d of the outbox say where", in, out)
			}
		})
	}
}
