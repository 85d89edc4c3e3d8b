package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm/llmtest"
	"parley/internal/memory/provenance"
)

// about answers requests for summaries with what they are about.
func about(r llmtest.Request) llmtest.Turn {
	raw, facts, said := string(r.Raw), "", "They talked"
	for _, boat := range []string{"Heron", "Kestrel"} {
		if strings.Contains(raw, "my boat is called "+boat) {
			said += " about the boat " + boat
			facts = `{"person":"user42","content":"Has a boat called ` + boat + `","quote":"my boat is called ` + boat + `","type":"fact"}`
		}
	}
	return llmtest.Turn{Text: `{"summary":"` + said + `.","title":"Talk","decisions":[],"keep":["` + said + `"],"outdated":[],` +
		`"facts":[` + facts + `]}`}
}

// lastAsked returns the newest request for an answer.
func (w *world) lastAsked() string {
	all := w.words()
	return string(all[len(all)-1].Raw)
}

// TestChangedAndTakenBack: after somebody changed or deleted a message on Discord, no model
// gets the old words: not from the transcript, not from a summary, not from a fact. The
// person is told of the fact, and can undo that. A kill in between changes nothing.
func TestChangedAndTakenBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, point     string
		deleted, served bool
	}{{"changed", "", false, false}, {"deleted", "", true, false}, {"killed, changed", "before_finish:4", false, false},
		{"killed, deleted", "before_finish:4", true, false}, {"killed, deleted, served", "before_finish:4", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).onDiscord()
			if c.served {
				w.served(t)
			}
			w.llm.Structured(about)
			child := w.start(t, "BOT_FAILPOINT="+c.point)
			w.connected(t)
			n := 0
			say := func(text string) (id string) {
				n++
				id = w.dc.Message("", "50", "42", text)
				w.discordSent(t, n)
				w.settled(t)
				return id
			}
			w.llm.Queue(says("Nice."))
			boat := say("my boat is called Heron")
			say("/session end")
			store := w.open(t)
			facts := func() (n int) {
				list, err := store.Facts.Facts(t.Context(), viewer("discord:42", "50"), 10, 0)
				must(t, err)
				for _, f := range list {
					if strings.Contains(f.Content, "Heron") {
						n++
					}
				}
				return n
			}
			eventually(t, "learned", func() bool { return facts() == 1 })
			w.llm.Queue(says("Fine."))
			say("how are you?")
			if !strings.Contains(w.lastAsked(), "Heron") {
				t.Fatal("nothing was carried: the test shows nothing")
			}
			if c.deleted {
				w.dc.Delete("", "50", boat)
			} else {
				w.dc.Edit(boat, "my boat is called Kestrel")
			}
			if c.point != "" {
				dies(t, child)
				child = w.start(t)
				w.connected(t)
			}
			eventually(t, "forgotten", func() bool { return facts() == 0 })
			again := c.point != "" && !c.served // else within a minute, and until then there is no summary
			if again {
				eventually(t, "summed up again", func() bool { return waits(t, w) == 0 })
			}
			w.llm.Queue(says("Let me see."))
			say("what was that?")
			if got := w.lastAsked(); strings.Contains(got, "Heron") || strings.Contains(got, "Kestrel") != (again && !c.deleted) {
				t.Errorf("the model gets %s", got)
			}
			sent := w.dc.Sent()
			last := sent[len(sent)-1]
			if !strings.Contains(last.Content, "Forgotten: “Has a boat called Heron”") {
				t.Errorf("told: %q", last.Content)
			}
			if again && !c.deleted { // what was learned from the new words is newer
				say("/facts undo")
			}
			say("/facts undo")
			if facts() != 1 {
				t.Error("it is not undone")
			}
			kill(child)
		})
	}
}

// TestUndoOfWhatIsTakenBack: a fact that went with its message, and of which its person has not
// been told yet, is named by /facts undo, with what brings it back; and that does.
func TestUndoOfWhatIsTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	child := w.start(t)
	w.connected(t)
	n := 0
	say := func(text string) (id, got string) {
		n++
		id = w.dc.Message("", "50", "42", text)
		w.discordSent(t, n)
		w.settled(t)
		sent := w.dc.Sent()
		return id, sent[len(sent)-1].Content
	}
	say("/facts add plays the cello")
	w.llm.Queue(callTool("save_fact", `{"content":"Has a boat called Heron"}`), says("Noted."))
	boat, _ := say("note that my boat is called Heron")
	holds := func() int {
		return w.count(t, "SELECT count(*) FROM key_facts WHERE content = 'Has a boat called Heron' AND valid_to = ''")
	}
	if holds() != 1 {
		t.Fatal("it was not noted")
	}
	w.dc.Delete("", "50", boat)
	eventually(t, "forgotten", func() bool { return holds() == 0 })
	kill(child)
	w.start(t)
	w.connected(t)
	_, got := say("/facts undo")
	back := regexp.MustCompile(`“Has a boat called Heron” is forgotten. (/facts undo \d+) brings it back`).FindStringSubmatch(got)
	if back == nil || holds() != 0 {
		t.Fatalf("undo says %q", got)
	}
	if _, got := say(back[1]); holds() != 1 {
		t.Errorf("%s says %q", back[1], got)
	}
	if _, got := say("/facts undo"); holds() != 0 || !strings.Contains(got, "Heron") {
		t.Errorf("what was seen last is not undone: %q", got)
	}
}

// TestTakenBackWhileAnswering: the answer to a message that is deleted while it is shown
// stops, and the message is not remembered.
func TestTakenBackWhileAnswering(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord()
	w.serve(t)
	long := strings.Repeat("All of it is shown as it comes. ", 40)
	w.llm.Queue(llmtest.Turn{Text: long, Chunks: 200, ChunkWait: 100 * time.Millisecond})
	id := w.dc.Message("", "50", "42", "my pin is 4711")
	w.discordSent(t, 1)
	w.dc.Delete("", "50", id)
	eventually(t, "it stops", func() bool { return w.unfinished() == 0 })
	if got := w.dc.Sent()[0].Content; len(got) > len(long)*9/10 {
		t.Errorf("it goes on: %q", got)
	}
	w.dc.Message("", "50", "42", "what do you know?")
	w.discordSent(t, 2)
	if got := w.lastAsked(); strings.Contains(got, "4711") {
		t.Errorf("the model gets %s", got)
	}
}

// waits counts the summaries that are owed.
func waits(t *testing.T, w *world) (n int) {
	t.Helper()
	db, err := w.look()
	must(t, err)
	defer func() { _ = db.Close() }()
	must(t, db.QueryRow("SELECT count(*) FROM sessions WHERE owed_at <> ''").Scan(&n))
	return n
}

func viewer(user, channel string) provenance.Viewer {
	platform, _, _ := strings.Cut(user, ":")
	return provenance.Viewer{User: user, Key: chat.Key{Platform: platform, Channel: channel}, Direct: true}
}
