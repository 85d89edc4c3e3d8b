package command_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
)

// TestTable: every group's commands can be registered and typed, and the table
// of the zero Groups can be printed.
func TestTable(t *testing.T) {
	on := func() bool { return true }
	groups := command.Groups{Web: command.Web{On: on}, Tokens: command.Tokens{On: on}}
	table := append(groups.Table(), gate.Command{Name: "config", Help: "settings", Verbs: command.Config{}.Verbs()})
	c, err := gate.NewCommands(table, gate.CommandOptions{Confirm: new(gate.Confirmations)})
	if err != nil {
		t.Fatal(err)
	}
	help := c.Help(t.Context(), gate.Owner, "all")
	for _, cmd := range table {
		if !strings.Contains(help, "`/"+cmd.Name) {
			t.Errorf("/help lacks /%s", cmd.Name)
		}
	}
}

// TestHelpNamesFiveThingsFirst: of what a person may do here, and the rest on request.
func TestHelpNamesFiveThingsFirst(t *testing.T) {
	table := append(command.Groups{}.Table(), gate.Command{Name: "claim", Who: gate.Anyone, Help: "become the owner",
		Run: func(context.Context, gate.Request) (chat.Answer, error) { return chat.Answer{}, nil }})
	c, err := gate.NewCommands(table, gate.CommandOptions{Confirm: new(gate.Confirmations)})
	if err != nil {
		t.Fatal(err)
	}
	for role, want := range map[gate.Role]string{gate.Member: "remind tasks facts session why",
		gate.Owner: "page remind tasks facts session"} {
		var got []string
		for _, line := range strings.Split(c.Help(t.Context(), role, ""), "\n") {
			if name, ok := strings.CutPrefix(line, "`/"); ok && strings.Contains(line, "` – ") {
				name, _, _ = strings.Cut(name, "`")
				got = append(got, name)
			}
		}
		slices.Sort(got)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: %v", role, got)
		}
		if strings.Contains(c.Help(t.Context(), role, "all"), "/claim") {
			t.Errorf("%s is told to claim what is theirs", role)
		}
	}
}

// TestStartAndPage: a group needs no more of the bot than its fields.
func TestStartAndPage(t *testing.T) {
	g := command.Groups{General: command.General{Name: "Ada", Help: func(context.Context, gate.Role) string { return "HELP" }}}
	for _, cmd := range g.Table() {
		if cmd.Name != "start" {
			continue
		}
		a, err := cmd.Run(t.Context(), gate.Request{Message: chat.Message{}, Role: gate.Member})
		if err != nil || !strings.Contains(a.Text, "I am Ada") || !strings.Contains(a.Text, "HELP") {
			t.Errorf("/start: %q, %v", a.Text, err)
		}
	}
}
