package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"parley/internal/app/platform"
	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
)

// unread are rows of who may speak that cannot be read.
type unread struct{ gate.Rows }

func (unread) Granted(context.Context, string) (string, error) {
	return "", errors.New("disk I/O error")
}

// TestDebugFailsNoAnswer: where it cannot be read who asks, an answer under /debug is as it is
// without it.
func TestDebugFailsNoAnswer(t *testing.T) {
	g, err := gate.NewGate(gate.GateOptions{Mode: "open", IDs: platform.Identities(), Rows: unread{}})
	must(t, err)
	f, m := &front{base: &base{log: slog.New(slog.DiscardHandler)}, people: &people{gate: g}}, chat.Message{
		Key: chat.Key{Platform: "telegram", Channel: "-100"}, From: chat.User{ID: "telegram:8"}}
	if _, err := g.Role(t.Context(), m); err == nil {
		t.Fatal("it can be read: the test shows nothing")
	}
	f.debug.Store(m.Key, true)
	next := chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
		return chat.Answer{Text: "Fine.", Record: &memory.Turn{}}, nil
	})
	got, err := f.debugging(next).Handle(t.Context(), m, nil)
	if err != nil || got.Text != "Fine." {
		t.Errorf("%q, %v", got.Text, err)
	}
}
