package roster

import (
	"parley/internal/chat"
)

// Places returns what m's place is called, the closest name first: its thread, its
// channel or the direct chat of its author, and its server.
func Places(m chat.Message) (names []string) {
	channel := chat.PlaceID(m.Key)
	if m.Key.Thread != "" {
		names = append(names, channel+"/"+m.Key.Thread)
	}
	if m.Direct {
		names = append(names, m.From.ID)
	}
	names = append(names, channel)
	if m.Guild != "" {
		names = append(names, chat.ServerID(m.Key.Platform, m.Guild))
	}
	return names
}
