package importer

import (
	"bufio"
	"cmp"
	"errors"
	"strings"
)

// claude reads Claude's conversations.json.
func (r *reading) claude(_ member, in *bufio.Reader) error {
	p := newPieces(in, "Claude export")
	return p.allOf(in, func() error {
		t := &talk{}
		var began seconds
		return p.object(func(name string) error {
			switch name {
			case "uuid":
				return p.known(r, (*lax)(&t.id))
			case "name":
				return p.known(r, (*lax)(&t.title))
			case "created_at":
				err := p.known(r, &began)
				t.began = began.time()
				return err
			case "chat_messages":
				if t.id == "" {
					return p.wrong(errors.New(`"uuid" of a conversation must stand before its messages`))
				}
				return p.list(func() error { return r.claudeMessage(p, t) })
			}
			return p.skip()
		})
	})
}

// block is a part of a message, in exports of several assistants.
type block struct {
	Type lax `json:"type"`
	Text lax `json:"text"`
}

// claudeMessage reads a message.
func (r *reading) claudeMessage(p *pieces, t *talk) error {
	var m struct {
		ID      lax     `json:"uuid"`
		Text    lax     `json:"text"`
		Content []block `json:"content"`
		Sender  lax     `json:"sender"`
		At      seconds `json:"created_at"`
		Files   []any   `json:"files"`
		Attach  []any   `json:"attachments"`
	}
	fits, err := p.value(&m)
	if err != nil {
		return err
	}
	p.last = string(m.ID)
	bot := m.Sender == roleAssistant
	switch {
	case !fits:
		r.leave(KindForm)
		return nil
	case !bot && m.Sender != "human" && m.Sender != roleUser:
		r.leaveNamed(kindRole, string(m.Sender))
		return nil
	}
	r.leaveSome(KindFile, int64(len(m.Files)+len(m.Attach)))
	said := cmp.Or(r.blocks(m.Content), string(m.Text))
	return r.say(t, words{id: string(m.ID), text: said, at: m.At.time(), bot: bot})
}

// blocks returns the words of a message and counts its other parts.
func (r *reading) blocks(list []block) string {
	var all []string
	for _, b := range list {
		switch b.Type {
		case "text", "input_text", "output_text":
			if b.Text != "" {
				all = append(all, string(b.Text))
			}
		case "thinking", "redacted_thinking", "reasoning":
			r.leave(KindThought)
		case "tool_use", "tool_result", "toolCall", "toolResult", "tool_call":
			r.leave(KindTool)
		case "image", "document", "image_url", "file", "audio":
			r.leave(KindFile)
		default:
			r.leaveNamed(kindContent, string(b.Type))
		}
	}
	return strings.Join(all, "\n")
}
