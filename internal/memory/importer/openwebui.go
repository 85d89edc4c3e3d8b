package importer

import (
	"bufio"
	"encoding/json"
	"fmt"
)

// openWebUI reads the chats that Open WebUI exports: trees, in a shell that older versions
// left out.
func (r *reading) openWebUI(_ member, in *bufio.Reader) error {
	p := newPieces(in, "Open WebUI export")
	return p.allOf(in, func() error {
		t := &tree{}
		var listed []node
		if err := p.object(func(name string) error {
			if name == "chat" {
				return p.object(func(name string) error { return r.openWebUIField(p, t, &listed, name) })
			}
			return r.openWebUIField(p, t, &listed, name)
		}); err != nil {
			return err
		}
		if len(t.nodes) == 0 { // older chats have no tree
			before := ""
			t.bytes = 0
			for i, n := range listed {
				id := fmt.Sprint("#", i)
				n.parent = before
				t.add(id, n)
				before, t.current = id, id
			}
		}
		return r.tell(t)
	})
}

// openWebUIField reads a field of a chat, or of its shell.
func (r *reading) openWebUIField(p *pieces, t *tree, listed *[]node, name string) error {
	switch name {
	case "id":
		var id lax
		err := p.known(r, &id)
		if id != "" && t.id == "" { // that of the shell comes first, and is the chat's
			t.id = string(id)
		}
		return err
	case "title":
		return p.known(r, (*lax)(&t.title))
	case "created_at", "timestamp":
		var at seconds
		err := p.known(r, &at)
		if t.began.IsZero() {
			t.began = at.time()
		}
		return err
	case "history":
		return p.object(func(name string) error {
			switch name {
			case "currentId":
				return p.known(r, (*lax)(&t.current))
			case "messages":
				return p.object(func(id string) error {
					n, err := r.openWebUIMessage(p)
					t.add(id, n)
					return err
				})
			}
			return p.skip()
		})
	case "messages":
		return p.list(func() error {
			if t.long || len(t.nodes) > 0 {
				return p.skip()
			}
			n, err := r.openWebUIMessage(p)
			if t.bytes += len(n.text) + oneMessage; t.bytes > mostWords {
				t.long, *listed = true, nil
				return err
			}
			*listed = append(*listed, n)
			return err
		})
	}
	return p.skip()
}

// openWebUIMessage reads a message.
func (r *reading) openWebUIMessage(p *pieces) (node, error) {
	var m struct {
		ID      lax             `json:"id"`
		Parent  lax             `json:"parentId"`
		Role    lax             `json:"role"`
		Content json.RawMessage `json:"content"`
		At      seconds         `json:"timestamp"`
		Files   []any           `json:"files"`
	}
	fits, err := p.value(&m)
	if err != nil {
		return node{}, err
	}
	p.last = string(m.ID)
	n := node{parent: string(m.Parent), empty: true}
	switch {
	case !fits:
		r.leave(KindForm)
		return n, nil
	case m.Role == roleSystem:
		r.leave(KindSystem)
		return n, nil
	case m.Role == roleTool:
		r.leave(KindTool)
		return n, nil
	case m.Role != roleUser && m.Role != roleAssistant:
		r.leaveNamed(kindRole, string(m.Role))
		return n, nil
	}
	r.leaveSome(KindFile, int64(len(m.Files)))
	n.empty = false
	n.words = words{id: string(m.ID), text: r.content(m.Content), at: m.At.time(), bot: m.Role == roleAssistant}
	return n, nil
}

// content returns the words of a message whose content is a text or a list of parts.
func (r *reading) content(raw json.RawMessage) string {
	var said string
	var parts []block
	switch {
	case len(raw) == 0 || json.Unmarshal(raw, &said) == nil:
	case json.Unmarshal(raw, &parts) == nil:
		said = r.blocks(parts)
	default:
		r.leave(KindForm)
	}
	return said
}
