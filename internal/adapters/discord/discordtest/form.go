package discordtest

import (
	"encoding/json"
	"unicode/utf8"
)

// Form is a modal that was shown.
type Form struct {
	Title    string `json:"title"`
	CustomID string `json:"custom_id"`
	Rows     []struct {
		Type       int     `json:"type"`
		Components []Field `json:"components"`
	} `json:"components"`
}

// Field is a text input of a form.
type Field struct {
	Type      int    `json:"type"`
	CustomID  string `json:"custom_id"`
	Style     int    `json:"style"`
	Label     string `json:"label"`
	Required  bool   `json:"required"`
	MaxLength int    `json:"max_length"`
}

// refusesForm says why Discord would refuse a modal, "" if it takes it. mu is held.
func (s *Server) refusesForm(id string, r Response) string {
	f := r.Data.Form
	between := func(s string, most int) bool {
		n := utf8.RuneCountInString(s)
		return n >= 1 && n <= most
	}
	switch {
	case r.Type != 9:
		return ""
	case s.sent[id]:
		return "Interaction of a modal cannot be answered with a modal."
	case !between(f.Title, 45) || !between(f.CustomID, 100):
		return "data.title and data.custom_id must be between 1 and 45, and 100, in length."
	case len(f.Rows) < 1 || len(f.Rows) > 5:
		return "data.components must be between 1 and 5 in length."
	}
	seen := map[string]bool{}
	for _, row := range f.Rows {
		if row.Type != 1 || len(row.Components) != 1 {
			return "a row has one field"
		}
		c := row.Components[0]
		if c.Type != 4 || c.Style < 1 || c.Style > 2 || !between(c.Label, 45) || !between(c.CustomID, 100) || seen[c.CustomID] ||
			c.MaxLength < 0 || c.MaxLength > 4000 {
			return "text input"
		}
		seen[c.CustomID] = true
	}
	return ""
}

// Fill sends the form that was shown for an interaction, with a text for its one
// field. It returns the new interaction's id; what Discord does not let people send
// it does not send.
func (s *Server) Fill(u Use, interaction, text string) (id string, sent bool) {
	r, ok := s.Responded(interaction)
	if !ok || r.Type != 9 {
		return "", false
	}
	field := r.Data.Rows[0].Components[0]
	if n := utf8.RuneCountInString(text); n == 0 && field.Required || field.MaxLength > 0 && n > field.MaxLength {
		return "", false
	}
	s.with(func() { id = s.id(); s.sent[id] = true })
	e := map[string]any{"id": id, "application_id": App, "type": 5, "token": "tok" + id, "channel_id": u.Channel, "version": 1,
		"data": map[string]any{"custom_id": r.Data.CustomID, "components": []any{map[string]any{"type": 1, "components": []any{
			map[string]any{"type": 4, "custom_id": field.CustomID, "value": text}}}}}}
	s.by(e, u.Guild, u.User, u.Permissions)
	s.Dispatch("INTERACTION_CREATE", e)
	return id, true
}

// Act uses an action of the menu of a message, which author wrote. It returns the
// interaction's id.
func (s *Server) Act(u Use, message, author, text string) (id string) {
	s.with(func() { id = s.id() })
	about, _ := json.Marshal(s.event("", u.Channel, author, text, message)) // plain data
	e := map[string]any{"id": id, "application_id": App, "type": 2, "token": "tok" + id, "channel_id": u.Channel, "version": 1,
		"data": map[string]any{"id": "1", "name": u.Command, "type": 3, "target_id": message,
			"resolved": map[string]any{"messages": map[string]any{message: json.RawMessage(about)}}}}
	s.by(e, u.Guild, u.User, u.Permissions)
	s.Dispatch("INTERACTION_CREATE", e)
	return id
}
