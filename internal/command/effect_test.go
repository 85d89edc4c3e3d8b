package command_test

import (
	"context"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
)

// reading are commands that only read, as they are typed. A command that stands in none of
// these lists is younger than they are: its own test says when it is answered.
const reading = `/help
/status
/page
/why
/why 2
/trace
/trace last
/agent
/agent show
/agent list
/stats
/stats 30
/export
/pair
/pair list
/config
/config show
/config channel
/config who
/config tools
/model
/model show
/prompt
/tools
/tools list
/tools servers
/session
/session info
/session list
/session show abc
/facts
/facts list
/facts search
/facts learned
/facts list 2
/facts history 3
/facts export
/facts file
/tasks
/tasks list
/remind
/remind list
/handoff list
/log
/log day yesterday
/log search bread
/language
/notes
/notes search bread
/notes recent
/notes status
/notes show a.md
/notes related a.md
/code
/code definition f
/code references f
/code search f
/guideline
/guideline list
/guideline show tone
/guideline test hello
/hook
/hook list
/hook dead
/journey
/journey list
/journey status
/journey draw onboarding
/person
/person show telegram:42
/rehearse
/nonsense`

// changing are commands that change something.
const changing = `/agent reset, /agent use, /claim, /config allow, /config deny, /config leave, /config set, /config channel all,
/config tools none, /debug, /facts add, /facts brought, /facts change, /facts clear, /facts digest, /facts file accept, /facts forget, /facts important,
/facts keep, /facts undo, /forget-me, /guideline disable, /guideline enable, /hook add, /hook delete, /hook pause, /hook replay, /hook test, /handoff ask, /handoff back, /handoff take, /journey stop,
/log add, /notes move, /notes restore, /notes undo, /pair approve, /pair drop, /pair let, /pair revoke, /person set, /person tag,
/person untag, /prompt reload, /rehearse this, /remind add, /remind bread tomorrow, /remind cancel, /remind done, /remind snooze,
/remind zone, /session delete, /session end, /session reset, /session resume, /start, /stop, /tasks add, /tasks delete, /tasks done,
/tasks edit, /tools allow, /tools approve, /tools ask, /tools disable, /tools enable, /tools logout`

// takingLong are commands that ask a model or look something up.
const takingLong = `/ask what
/session more
/summarize
/model set other
/librarian
/tools login
/journey start onboarding`

// TestWhatOnlyReads: each command that only reads is answered at once, and each
// of the others waits for its turn.
func TestWhatOnlyReads(t *testing.T) {
	g, err := gate.NewGate(gate.GateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	groups := command.Groups{Notes: command.Notes{Tidy: func(context.Context, chat.Message, string) (chat.Answer,
		error) {
		return chat.Answer{}, nil
	}}}
	groups.Facts.File = func(context.Context, string) (string, error) { return "", nil }
	table := append(g.Commands(command.Config{}.Verbs()...), groups.Table()...)
	c, err := gate.NewCommands(table, gate.CommandOptions{Confirm: new(gate.Confirmations)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]chat.Pace{}
	for _, line := range strings.Split(reading, "\n") {
		want[line] = chat.Beside
	}
	for _, line := range strings.Split(takingLong, "\n") {
		want[line] = chat.InOrder
	}
	for _, line := range strings.Split(changing, ",") {
		want[strings.TrimSpace(line)] = chat.Quick
	}
	want["/handoff"] = chat.Quick // by itself it asks for a person
	look := func(line string) {
		pace, known := want[line]
		for other, p := range want {
			if !known && strings.HasPrefix(other, line+" ") {
				pace, known = p, true // with what it needs
			}
		}
		for _, m := range []chat.Message{{Kind: chat.KindCommand, Text: line}, {Kind: chat.KindButton, Text: line}} {
			if got := c.Pace(m); known && got != pace {
				t.Errorf("%s (%s): pace %d, want %d", line, m.Kind, got, pace)
			}
		}
	}
	for _, cmd := range c.Table() {
		look("/" + cmd.Name)
		for _, v := range cmd.Verbs {
			look("/" + cmd.Name + " " + v.Name)
		}
	}
	for line := range want {
		look(line)
	}
	for _, m := range []chat.Message{{Text: "/status"}, {Kind: chat.KindCommand, Text: "/status", Forwarded: true},
		{Kind: chat.KindButton, Text: "yes:a:b"}} {
		if got := c.Pace(m); got != chat.InOrder {
			t.Errorf("%+v does not wait", m)
		}
	}
}
