package command_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/command/gate"
	"parley/internal/memory"
)

// person is the rows of somebody who is forgotten, in a file.
type person struct {
	command.PersonRows
	err error
}

func (p person) ForgetPerson(context.Context, string, int64) error { return p.err }

// TestForgettingPromisesNothingMore: while another program reads the file's log, as one
// does that copies it, words that were deleted are still in it, and nobody says otherwise.
func TestForgettingPromisesNothingMore(t *testing.T) {
	for want, err := range map[string]error{
		"no trace of it is left": nil,
		"may keep traces":        fmt.Errorf("forget person: %w", memory.ErrTraces),
	} {
		elsewhere := 0
		p := command.Person{Rows: person{err: err}, Elsewhere: func(context.Context, string) error { elsewhere++; return nil }}
		table := command.Groups{Person: p}.Table()
		i := slices.IndexFunc(table, func(c gate.Command) bool { return c.Name == "forget-me" })
		answer, err := table[i].Run(t.Context(), gate.Request{Message: chat.Message{From: chat.User{ID: "telegram:1"}}})
		if err != nil || !strings.Contains(answer.Text, want) || elsewhere != 1 {
			t.Errorf("%q, %v, %d", answer.Text, err, elsewhere)
		}
	}
}
