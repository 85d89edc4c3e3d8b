package text_test

import (
	"errors"
	"fmt"
	"testing"

	"parley/internal/text"
)

func TestForPeople(t *testing.T) {
	missing := text.Tell("there is no such note")
	for _, tt := range []struct {
		err  error
		want string // "" is not for people
	}{
		{nil, ""},
		{errors.New("dial tcp 10.0.0.1: refused"), ""},
		{missing, "There is no such note."},
		{fmt.Errorf("read row: %w", missing), "There is no such note."},
		{fmt.Errorf("read row: %w", text.Tell("%w: no heading %q", missing, "Tea")), `There is no such note: no heading "Tea".`},
		{text.Tell("é was asked for.)"), "É was asked for.)"},
		{text.Instead(fmt.Errorf("read row: %w", missing), missing, "Try /notes."), "Try /notes."},
		{text.Instead(errors.New("broken"), missing, "Try /notes."), ""},
	} {
		got, ok := text.ForPeople(tt.err)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("ForPeople(%v) = %q, %v; want %q", tt.err, got, ok, tt.want)
		}
	}
}
