package discordtest

import (
	"encoding/json"
	"net/http"
	"unicode/utf8"
)

// openThread opens a thread for a message, as Discord does: it has the message's id.
// mu is held.
func (s *Server) openThread(ch, message string, body []byte) (any, *problem) {
	var in struct {
		Name string `json:"name"`
		Away int    `json:"auto_archive_duration"`
	}
	n := 0
	if json.Unmarshal(body, &in) == nil {
		n = utf8.RuneCountInString(in.Name)
	}
	guild, placed := s.places[ch]
	switch {
	case n < 1 || n > 100 || in.Away != 0 && in.Away != 60 && in.Away != 1440 && in.Away != 4320 && in.Away != 10080:
		return nil, &problem{status: 400, code: 50035, message: "Invalid Form Body"}
	case s.threads[ch] != "" || placed && guild == "":
		return nil, &problem{status: 400, code: 50024, message: "Cannot execute action on this channel type"}
	case s.forbidden[ch]:
		return nil, &problem{status: http.StatusForbidden, code: 50013, message: "Missing Permissions"}
	case s.threads[message] != "":
		return nil, &problem{status: 400, code: 160004, message: "A thread has already been created for this message"}
	}
	s.threads[message] = ch
	s.names[message] = in.Name
	return map[string]any{"id": message, "type": 11, "parent_id": ch, "guild_id": "77", "owner_id": App, "name": in.Name}, nil
}

// ThreadName returns the name of a thread that was opened, "" for none.
func (s *Server) ThreadName(id string) (name string) {
	s.with(func() { name = s.names[id] })
	return name
}

// Unthreaded lets nobody open threads in a channel.
func (s *Server) Unthreaded(channel string) { s.with(func() { s.forbidden[channel] = true }) }
