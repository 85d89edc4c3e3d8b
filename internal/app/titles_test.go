package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"parley/internal/chat"
)

// TestTitlesAreStored: a new title is stored, shortened and cleaned; a direct chat has none, and a
// failing store delays no message.
func TestTitlesAreStored(t *testing.T) {
	stored, writes := map[string]string{}, 0
	var broken error
	b := &titles{log: slog.New(slog.DiscardHandler), set: func(_ context.Context, id, title string) error {
		writes++
		if broken == nil {
			stored[id] = title
		}
		return broken
	}}
	handled := 0
	h := b.noting(chat.HandlerFunc(func(context.Context, chat.Message, chat.Reply) (chat.Answer, error) {
		handled++
		return chat.Answer{}, nil
	}))
	group := chat.Message{Key: chat.Key{Platform: "p", Channel: "1", Thread: "2"}, Title: "The\u202e  Garden"}
	server := chat.Message{Key: chat.Key{Platform: "p", Channel: "3"}, Guild: "9", Title: "#seeds", GuildTitle: "Shop"}
	added := chat.Message{Key: chat.Key{Platform: "p", Channel: "4"}, Guild: "9", Kind: chat.KindAdded, Title: "Shop", GuildTitle: "Shop"}
	direct := chat.Message{Key: chat.Key{Platform: "p", Channel: "7"}, Direct: true, Title: "Ann"}
	broken = errors.New("full")
	list := []chat.Message{group, group, server, added, direct, {Key: chat.Key{Platform: "p", Channel: "8"}}}
	for i, m := range list {
		if _, err := h.Handle(t.Context(), m, nil); err != nil {
			t.Error(err)
		}
		if i == 0 {
			broken = nil
		}
	}
	if handled != len(list) || writes != 4 || len(stored) != 3 || stored["p:chat:1"] != "The Garden" ||
		stored["p:chat:3"] != "#seeds" || stored["p:guild:9"] != "Shop" {
		t.Errorf("%d handled, %d writes: %v", handled, writes, stored)
	}
}
