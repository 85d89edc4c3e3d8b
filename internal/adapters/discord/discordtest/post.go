package discordtest

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// wireMessage is what a post or an edit may hold.
type wireMessage struct {
	Content  string `json:"content"`
	Nonce    string `json:"nonce"`
	Enforce  bool   `json:"enforce_nonce"`
	Flags    int    `json:"flags"`
	Mentions *struct {
		Parse       *[]string `json:"parse"`
		Users       []string  `json:"users"`
		RepliedUser bool      `json:"replied_user"`
	} `json:"allowed_mentions"`
	Reference *struct {
		MessageID string `json:"message_id"`
	} `json:"message_reference"`
	Components []struct {
		Components []struct {
			CustomID string   `json:"custom_id"`
			URL      string   `json:"url"`
			Options  []option `json:"options"`
		} `json:"components"`
	} `json:"components"`
}

// check refuses what Discord refuses, and what Parley must never send: a post
// or an edit that could ping.
func check(body []byte) (in wireMessage, p *problem) {
	i := strings.Index(string(body), `{"content"`)
	if i > 0 { // multipart: payload_json comes first
		body = []byte(strings.SplitN(string(body[i:]), "\n", 2)[0])
	}
	bad := func(message string) (wireMessage, *problem) {
		return in, &problem{status: 400, code: 50035, message: message}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return bad("invalid JSON")
	}
	switch {
	case in.Content == "" && len(in.Components) == 0 && i <= 0:
		return in, &problem{status: 400, code: 50006, message: "Cannot send an empty message"}
	case utf8.RuneCountInString(in.Content) > 2000:
		return bad("Must be 2000 or fewer in length.")
	case len(in.Nonce) > 25:
		return bad("nonce too long")
	case !fits(in):
		return bad("components")
	case in.Mentions != nil && !mentioned(in.Content, in.Mentions.Users):
		return bad("allowed_mentions names somebody who is not mentioned")
	case in.Mentions == nil || in.Mentions.Parse == nil || len(*in.Mentions.Parse) > 0 || in.Mentions.RepliedUser:
		return bad("allowed_mentions would ping")
	}
	return in, nil
}

// mentioned reports whether a text mentions all of these people.
func mentioned(text string, users []string) bool {
	return !slices.ContainsFunc(users, func(id string) bool { return !strings.Contains(text, "<@"+id+">") })
}

func (s *Server) post(ch string, body []byte, token string) (any, *problem) {
	in, p := check(body)
	if p != nil {
		return nil, p
	}
	// a thread has the id of a message of the channel
	if in.Reference != nil && (s.gone["message:"+in.Reference.MessageID] != 0 || in.Reference.MessageID == ch) {
		return nil, &problem{status: 400, code: 50035, message: "Invalid Form Body", field: "message_reference"}
	}
	if in.Enforce && in.Nonce != "" {
		if m := s.nonces[ch+"/"+in.Nonce]; m != nil {
			return view(m), nil
		}
	}
	m := &Message{ID: s.id(), Channel: ch, Author: App, Content: in.Content, Nonce: in.Nonce, Flags: in.Flags,
		Interaction: token, Files: uploads(body)}
	if in.Mentions != nil {
		m.Pinged = in.Mentions.Users
	}
	if in.Reference != nil {
		m.ReplyTo = in.Reference.MessageID
	}
	m.takes(in)
	s.messages = append(s.messages, m)
	if in.Nonce != "" {
		s.nonces[ch+"/"+in.Nonce] = m
	}
	return view(m), nil
}

func (s *Server) edit(m *Message, body []byte) (any, *problem) {
	in, p := check(body)
	if p != nil {
		return nil, p
	}
	m.Content = in.Content
	if in.Components != nil { // what an edit leaves out stays
		m.Buttons, m.Links, m.Menu = nil, nil, nil
		m.takes(in)
	}
	m.Edits++
	return view(m), nil
}

// takes gives a message the buttons and the menu of what was sent.
func (m *Message) takes(in wireMessage) {
	for _, row := range in.Components {
		for _, b := range row.Components {
			if b.URL != "" {
				m.Links = append(m.Links, b.URL)
			} else if len(b.Options) == 0 {
				m.Buttons = append(m.Buttons, b.CustomID)
			}
			for _, o := range b.Options {
				m.Menu = append(m.Menu, o.Value)
			}
		}
	}
}

func view(m *Message) map[string]any {
	return map[string]any{"id": m.ID, "channel_id": m.Channel, "content": m.Content, "author": map[string]any{"id": m.Author,
		"bot": m.Author == App},
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano), "type": 0}
}

// history returns a channel's messages after an id, the next ones to it, newest
// first, as Discord sends them; without an id it is the newest. mu is held.
func (s *Server) history(ch, after string, limit int) []map[string]any {
	list := []map[string]any{}
	for _, m := range s.messages {
		if m.Channel == ch && (after == "" || len(m.ID) > len(after) || len(m.ID) == len(after) && m.ID > after) {
			list = append(list, view(m))
		}
	}
	if after == "" {
		list = list[max(0, len(list)-limit):]
	}
	list = list[:min(len(list), limit)]
	slices.Reverse(list)
	return list
}
