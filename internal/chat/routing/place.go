package routing

import (
	"parley/internal/chat"
)

// Places returns what m's place is called, the closest name first: its thread, its
// channel or the direct chat of its author, and its server.
func Places(m chat.Message) (names []string) {
	if m.Key.Thread != "" {
		names = append(names, named(m.Key))
	}
	if m.Direct {
		names = append(names, m.From.ID)
	}
	names = append(names, chat.PlaceID(m.Key))
	if m.Guild != "" {
		names = append(names, chat.ServerID(m.Key.Platform, m.Guild))
	}
	return names
}

// named is what a thread or a channel is called.
func named(k chat.Key) string {
	if k.Thread != "" {
		return chat.PlaceID(k) + "/" + k.Thread
	}
	return chat.PlaceID(k)
}

// places returns Places with what each was called before, and Everywhere.
func (r *Roster) places(m chat.Message) (list [][]string) {
	channel := m.Key
	channel.Thread = ""
	for _, name := range append(Places(m), Everywhere) {
		names := []string{name}
		for _, k := range []chat.Key{m.Key, channel} {
			if name == named(k) {
				for _, old := range r.formerly(k) {
					names = append(names, named(old))
				}
				break
			}
		}
		list = append(list, names)
	}
	return list
}
