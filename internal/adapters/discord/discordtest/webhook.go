package discordtest

import (
	"net/http"
	"strings"
)

// originalMark is the Nonce of the message that an interaction's answer goes
// into.
const originalMark = "@original"

// Readers tells who can read a message: "" is everybody in its channel,
// otherwise the id of the one person. Those of interactions stand in the
// channel where they were used.
func (s *Server) Readers(m Message) (channel, only string) {
	s.with(func() {
		channel = m.Channel
		use, ok := s.uses[m.Interaction]
		if ok {
			channel = use.Channel
			if m.Flags&ephemeralFlag != 0 {
				only = use.User
			}
		}
		if who, direct := strings.CutPrefix(channel, "dm"); direct {
			only = who
		}
	})
	return channel, only
}

const ephemeralFlag = 1 << 6

// webhook returns what can be done with an interaction's token. The deferred answer
// is visible to whom its deferral was, whatever later flags say, and the first
// follow-up of an answer that is still deferred becomes that answer. mu is held.
func (s *Server) webhook(r *http.Request, part []string, body []byte) (any, *problem) {
	token := part[2]
	ack, known := s.acks[strings.TrimPrefix(token, "tok")]
	var first *Message
	for _, m := range s.messages {
		if m.Interaction == token && m.Nonce == originalMark {
			first = m
		}
	}
	gone := &problem{status: 404, code: 10008, message: "Unknown Message"}
	deferred := known && ack.Type == 5 && first == nil
	switch {
	case r.Method == http.MethodGet && deferred:
		return map[string]any{"id": "0", "flags": ack.Data.Flags | 1<<7}, nil
	case r.Method == http.MethodGet && (first == nil || first.Deleted):
		return nil, gone
	case r.Method == http.MethodGet:
		return map[string]any{"id": first.ID, "content": first.Content, "flags": first.Flags}, nil
	case r.Method == http.MethodDelete && deferred:
		s.messages = append(s.messages, &Message{ID: s.id(), Channel: "interaction", Nonce: originalMark, Interaction: token, Deleted: true})
		return nil, nil
	case r.Method == http.MethodDelete && first != nil && !first.Deleted:
		first.Deleted = true
		return nil, nil
	case r.Method == http.MethodDelete, r.Method == http.MethodPatch && first != nil && first.Deleted:
		return nil, gone
	case r.Method == http.MethodPatch && first != nil:
		return s.edit(first, body)
	}
	view, p := s.post("interaction", body, token)
	if p == nil && (r.Method == http.MethodPatch || deferred) {
		m := s.messages[len(s.messages)-1]
		m.Nonce, m.Flags = originalMark, m.Flags&^ephemeralFlag|ack.Data.Flags&ephemeralFlag
	}
	return view, p
}
