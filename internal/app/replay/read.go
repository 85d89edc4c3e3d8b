// Package replay plays recorded conversations against the guards of a playbook and
// tells which calls they would have stopped. It runs no tool, asks no model and
// changes nothing.
package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/internal/playbook/guard"
)

// Conversation is one that was recorded.
type Conversation struct {
	ID     string
	Steps  []Step
	Person guard.Person
	Place  guard.Place
}

// Step is one message of a conversation, as far as guards care.
type Step struct {
	At    time.Time // zero where the recording has no times
	Calls []Call
}

// Call is a call that was made, and what came back.
type Call struct {
	Tool   string
	Args   json.RawMessage
	Result string
	Failed bool // what came back is an error, or nothing did

	id string
}

// maxFile bounds a recording, in bytes.
const maxFile = 512 << 20

// Read reads recordings as message logs of OpenAI's chat API: a list of messages, or
// objects that hold one under "messages" or "traj", in one JSON value, in a list, under
// "simulations", or one a line.
func Read(r io.Reader) ([]Conversation, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("read recording: larger than %d MiB", maxFile>>20)
	}
	var list []Conversation
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
	for {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			line := 1 + bytes.Count(b[:min(d.InputOffset(), int64(len(b)))], []byte("\n"))
			return nil, fmt.Errorf("line %d: not JSON: %w", line, err)
		}
		found, err := conversations(raw)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	if len(list) == 0 {
		return nil, errors.New("there is no conversation in it: it wants messages as OpenAI's chat API has them")
	}
	for i := range list {
		if list[i].ID == "" {
			list[i].ID = fmt.Sprint(i + 1)
		}
	}
	return list, nil
}

// record is an object that holds a conversation, or several.
type record struct {
	Messages    []message         `json:"messages"`
	Traj        []message         `json:"traj"`
	Simulations []json.RawMessage `json:"simulations"`
	ID          any               `json:"id"`
	Task        any               `json:"task_id"`
	Trial       any               `json:"trial"`
}

func conversations(raw json.RawMessage) (list []Conversation, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return one(raw)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	var first struct{ Role *string }
	if len(items) > 0 && json.Unmarshal(items[0], &first) == nil && first.Role != nil {
		var messages []message
		if err := json.Unmarshal(raw, &messages); err != nil {
			return nil, fmt.Errorf("read recording: %w", err)
		}
		return []Conversation{{Steps: steps(messages)}}, nil
	}
	for _, item := range items {
		found, err := conversations(item)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

func one(raw json.RawMessage) (list []Conversation, err error) {
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	for _, s := range r.Simulations {
		found, err := one(s)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	if messages := append(r.Messages, r.Traj...); len(messages) > 0 {
		list = append(list, Conversation{ID: r.name(), Steps: steps(messages)})
	}
	return list, nil
}

// name is what the recording calls the conversation, "" for nothing.
func (r record) name() string {
	switch {
	case r.Task != nil && r.Trial != nil:
		return fmt.Sprintf("%v.%v", r.Task, r.Trial)
	case r.ID != nil:
		return fmt.Sprint(r.ID)
	case r.Task != nil:
		return fmt.Sprint(r.Task)
	}
	return ""
}

// message is one of a log. Arguments are a text of JSON or an object.
type message struct {
	Role       string  `json:"role"`
	Content    content `json:"content"`
	ToolCallID string  `json:"tool_call_id"`
	ID         string  `json:"id"`
	Error      bool    `json:"error"`
	Timestamp  string  `json:"timestamp"`
	ToolCalls  []struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Function  struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// content is text, or parts of which some are.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(b []byte) error {
	var text *string
	if json.Unmarshal(b, &text) == nil {
		if text != nil {
			*c = content(*text)
		}
		return nil
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += content(p.Text)
	}
	return nil
}

// steps brings calls and what came back together. Where results do not name their
// call, they come in its order.
func steps(messages []message) []Step {
	list := make([]Step, len(messages))
	var open []*Call
	byID := map[string]*Call{}
	for i, m := range messages {
		list[i].At, _ = time.Parse(time.RFC3339, m.Timestamp)
		list[i].Calls = make([]Call, len(m.ToolCalls))
		if len(m.ToolCalls) > 0 {
			open = nil
		}
		for k, c := range m.ToolCalls {
			name, args := c.Name, c.Arguments
			if c.Function.Name != "" {
				name, args = c.Function.Name, c.Function.Arguments
			}
			list[i].Calls[k] = Call{Tool: name, Args: object(args), Failed: true}
			open = append(open, &list[i].Calls[k])
			byID[c.ID] = &list[i].Calls[k]
		}
		if m.Role != "tool" {
			continue
		}
		call := byID[cmp.Or(m.ToolCallID, m.ID)]
		if call == nil && len(open) > 0 {
			call, open = open[0], open[1:]
		}
		if call != nil {
			call.Result = string(m.Content)
			call.Failed = m.Error || strings.HasPrefix(strings.ToLower(call.Result), "error")
		}
	}
	return list
}

// object returns arguments as an object; some logs have them as a text.
func object(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	if !json.Valid(raw) || len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}
