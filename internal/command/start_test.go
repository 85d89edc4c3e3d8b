package command_test

import (
	"strings"
	"testing"
)

// TestStartHidesTheLink: what a link brings along is taken, and shown nowhere.
func TestStartHidesTheLink(t *testing.T) {
	if got := ask(t, audit{}, "/help start"); strings.Contains(got, "link") {
		t.Errorf("/help start: %s", got)
	}
	if got := ask(t, audit{}, "/help all"); !strings.Contains(got, "`/start`") {
		t.Errorf("/help: %s", got)
	}
}
