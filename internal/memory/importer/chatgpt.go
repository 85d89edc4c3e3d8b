package importer

import (
	"bufio"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// chatGPT reads ChatGPT's conversations.json: conversations as trees, whose current branch is
// what its person sees.
func (r *reading) chatGPT(_ member, in *bufio.Reader) error {
	p := newPieces(in, "ChatGPT export")
	return p.allOf(in, func() error {
		t := &tree{}
		var began seconds
		err := p.object(func(name string) error {
			switch name {
			case "id", "conversation_id":
				return p.known(r, (*lax)(&t.id))
			case "title":
				return p.known(r, (*lax)(&t.title))
			case "create_time":
				return p.known(r, &began)
			case "current_node":
				return p.known(r, (*lax)(&t.current))
			case "mapping":
				return p.object(func(id string) error { return r.chatGPTNode(p, t, id) })
			}
			return p.skip()
		})
		if err != nil {
			return err
		}
		t.began = began.time()
		return r.tell(t)
	})
}

// chatGPTMessage is a message of a conversation.
type chatGPTMessage struct {
	ID     lax `json:"id"`
	Author struct {
		Role lax `json:"role"`
	} `json:"author"`
	At      seconds `json:"create_time"`
	Content struct {
		Type  lax               `json:"content_type"`
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	Recipient lax `json:"recipient"`
	Metadata  struct {
		Hidden bool `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
}

// chatGPTNode reads a node of the tree.
func (r *reading) chatGPTNode(p *pieces, t *tree, id string) error {
	var n struct {
		Parent  lax             `json:"parent"`
		Message *chatGPTMessage `json:"message"`
	}
	p.last = id
	fits, err := p.value(&n)
	if err != nil {
		return err
	}
	if !fits {
		r.leave(KindForm)
	}
	at := node{parent: string(n.Parent), empty: true}
	if m := n.Message; fits && m != nil {
		var said bool
		if at.text, said = r.chatGPTText(*m); said {
			at.empty, at.id, at.at, at.bot = false, string(m.ID), m.At.time(), m.Author.Role == roleAssistant
		}
	}
	t.add(id, at)
	return nil
}

// Roles in exports of assistants.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
	roleTool      = "tool"
)

// chatGPTText returns what a message says to people; said is false where it says nothing.
func (r *reading) chatGPTText(m chatGPTMessage) (said string, ok bool) {
	switch {
	case m.Author.Role == roleSystem || m.Metadata.Hidden:
		if len(m.Content.Parts) > 0 {
			r.leave(KindSystem)
		}
		return "", false
	case m.Author.Role == roleTool || m.Recipient != "" && m.Recipient != "all":
		r.leave(KindTool)
		return "", false
	case m.Author.Role != roleUser && m.Author.Role != roleAssistant:
		r.leaveNamed(kindRole, string(m.Author.Role))
		return "", false
	}
	switch m.Content.Type {
	case "text", "multimodal_text":
	case "thoughts", "reasoning_recap":
		r.leave(KindThought)
		return "", false
	case "user_editable_context", "model_editable_context":
		r.leave(KindSystem)
		return "", false
	default:
		r.leaveNamed(kindContent, string(m.Content.Type))
		return "", false
	}
	var all []string
	for _, raw := range m.Content.Parts {
		var words string
		var part struct {
			Type lax `json:"content_type"`
			Text lax `json:"text"`
		}
		switch {
		case json.Unmarshal(raw, &words) == nil:
		case json.Unmarshal(raw, &part) == nil && part.Type == "audio_transcription":
			words = string(part.Text)
		default:
			r.leave(KindFile)
		}
		if words != "" {
			all = append(all, words)
		}
	}
	return strings.Join(all, "\n"), true
}

// seconds is a Unix time with fractions, or a text with a time; 0 where it is neither.
type seconds float64

// UnmarshalJSON implements json.Unmarshaler.
func (s *seconds) UnmarshalJSON(b []byte) error {
	var n float64
	*s = 0
	if json.Unmarshal(b, &n) == nil {
		if math.Abs(n) < 1e14 { // in some exports they are milliseconds
			*s = seconds(n)
		}
		return nil
	}
	var text lax
	if _ = text.UnmarshalJSON(b); text != "" { // never fails
		if at, err := moment(string(text)); err == nil {
			*s = seconds(float64(at.UnixMilli()) / 1000)
		}
	}
	return nil
}

func (s seconds) time() time.Time {
	n := float64(s)
	switch {
	case n == 0:
		return time.Time{}
	case math.Abs(n) > 1e11:
		return time.UnixMilli(int64(n))
	}
	return time.UnixMilli(int64(n * 1000))
}

// known decodes a value; one of another form is counted.
func (p *pieces) known(r *reading, into any) error {
	fits, err := p.value(into)
	if !fits && err == nil {
		r.leave(KindForm)
	}
	return err
}

// allOf calls one for each value of a list, or for the one value that stands in its place.
func (p *pieces) allOf(in *bufio.Reader, one func() error) (err error) {
	if first(in) == '[' {
		err = p.list(one)
	} else {
		err = one()
	}
	if err == nil {
		err = p.end()
	}
	return err
}
