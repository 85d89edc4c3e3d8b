package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/app/cli"
)

// Who sits at this machine is where it is, until they say otherwise.
func TestTheTerminalIsWhereTheMachineIs(t *testing.T) {
	for zone, want := range map[string]string{"Asia/Tokyo": "Asia/Tokyo", ":Asia/Tokyo": "Asia/Tokyo", "": " UTC\n",
		"UTC": " UTC\n", "Nowhere/Land": " UTC\n"} {
		t.Setenv("TZ", zone)
		w := newWorld(t)
		w.env = []string{"BOT_DATA_DIR=" + w.dir, "BOT_MODEL_NAME=builtin"}
		var out strings.Builder
		if err := (chatCmd{}).talk(context.Background(), w.config(t), process(&cli.Streams{In: strings.NewReader("what time is it?\n"),
			Out: &out, Err: io.Discard})); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "Nowhere") {
			t.Errorf("TZ=%s: %s", zone, &out)
		}
	}
}

// TestALineIsOfItsPersonsDay: a line of the journal goes to the daily note of the day that it is
// where its person is, and is found on that day, wherever that is and in the next process too.
// Of the two places one has another day than the machine at any time.
func TestALineIsOfItsPersonsDay(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			w, dir := newWorld(t), t.TempDir()
			w.env = append(w.env, "BOT_VAULT_DIR="+dir, "BOT_VAULT_READERS=owner", "BOT_VAULT_DAILY_NOTE=journal", "TZ=UTC")
			loc, err := time.LoadLocation(zone)
			must(t, err)
			child := w.start(t)
			w.say(t, 1, "/remind zone "+zone)
			began := time.Now()
			w.say(t, 1, "/log add the kettle whistles")
			note := ""
			eventually(t, "it is noted", func() bool {
				files, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*.md"))
				for _, f := range files {
					if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), "kettle") {
						note = filepath.Base(f)
					}
				}
				return note != ""
			})
			days := began.In(loc).Format(time.DateOnly) + time.Now().In(loc).Format(time.DateOnly)
			if !strings.Contains(days, strings.TrimSuffix(note, ".md")) {
				t.Errorf("it stands in %s, and there it is %s", note, days[:10])
			}
			w.settled(t)
			kill(child)
			w.start(t)
			if got := w.say(t, 1, "/log day today"); !strings.Contains(got, "kettle") && began.In(loc).Day() == time.Now().In(loc).Day() {
				t.Errorf("today: %q", got)
			}
		})
	}
}
