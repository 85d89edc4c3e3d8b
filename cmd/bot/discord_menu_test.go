package main

import (
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
	"parley/internal/llm/llmtest"
	"parley/internal/memory/provenance"
)

// TestDiscordMenus: what people can do with a message and fill in on Discord: remember
// it, be reminded of it, ask why; long texts in a form; numbers with what they stand
// for.
func TestDiscordMenus(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.run(t)
	if !w.dc.Wait(time.Minute, func() bool { return len(w.dc.Commands()) > 0 && w.dc.Connected() > 0 }) {
		t.Fatal("no commands were registered") // or Discord would refuse them
	}
	use := func(command string, options ...[2]string) discordtest.Use {
		return discordtest.Use{Channel: "10", User: "42", Command: command, Options: options}
	}
	answered := func(words string) discordtest.Message {
		t.Helper()
		var got discordtest.Message
		if !w.dc.Wait(time.Minute, func() bool {
			for _, m := range w.dc.Sent() {
				if strings.Contains(m.Content, words) {
					got = m
				}
			}
			return got.ID != ""
		}) {
			t.Fatalf("nothing says %q: %+v", words, w.dc.Sent())
		}
		return got
	}
	w.llm.Queue(llmtest.Turn{Text: "An answer about tea."})
	w.dc.Message("", "10", "42", "tell me")
	first := answered("about tea")
	w.dc.Act(use("Remember this"), "900", "43", "The code of the door\nis \"blue\".")
	answered("Remembered")
	w.dc.Act(use("Why?"), first.ID, discordtest.App, first.Content)
	answered("It took")
	id := w.dc.Act(use("Remind me"), "901", "43", "the meeting")
	w.responded(t, id)
	if _, sent := w.dc.Fill(use(""), id, "in 2 hours"); !sent {
		t.Fatal("no form was shown")
	}
	answered("the meeting")
	id = w.dc.Interaction(use("facts add"))
	w.responded(t, id)
	if _, sent := w.dc.Fill(use(""), id, "Two lines\nof \"my\" own."); !sent {
		t.Fatal("no form was shown")
	}
	answered("own")
	for _, typing := range []discordtest.Use{use("facts forget", [2]string{"number", "two"}), use("facts undo",
		[2]string{"number", "two"}), use("remind cancel", [2]string{"number", "meet"})} {
		numbered := typing.Command != "facts undo" // a change has a key alone
		if names := w.responded(t, w.dc.Typing(typing)).Names(); len(names) != 1 || strings.Contains(names[0], " – ") != numbered {
			t.Errorf("%s: offered %q", typing.Command, names)
		}
	}
	if names := w.responded(t, w.dc.Typing(use("remind zone", [2]string{"name", "zur"}))).Names(); len(names) == 0 ||
		names[0] != "Europe/Zurich" {
		t.Errorf("zones %q", names)
	}
	list, err := w.open(t).Facts.Facts(t.Context(), provenance.Viewer{User: "discord:42", Key: chat.Key{Platform: "discord", Channel: "10"},
		Direct: true}, 10, 0)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, f := range list {
		others := strings.Contains(f.Content, "door")
		if f.Origin.Outside("discord:42") != others || !others && f.Content != "Two lines of \"my\" own." {
			t.Errorf("%q has the origin %+v", f.Content, f.Origin)
		}
	}
}
