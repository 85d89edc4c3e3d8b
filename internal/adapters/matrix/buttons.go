package matrix

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"parley/internal/chat"
)

// question is a message of ours with choices: the data of each, by its number.
type question struct {
	id     string
	data   []string
	labels []string
}

// maxChoices is how many choices have a number that one emoji shows.
const maxChoices = 10

// maxOffered is up to how many choices we put the reactions there ourselves: each is an event,
// and servers limit those.
const maxOffered = 4

// keycap returns the emoji of a number from 1 to 10.
func keycap(n int) string {
	if n == 10 {
		return "🔟"
	}
	return strconv.Itoa(n) + "\ufe0f\u20e3"
}

// number returns which choice a reaction or a text names, 0 for none.
func number(s string) int {
	s = strings.TrimSpace(strings.NewReplacer("\ufe0f", "", "\u20e3", "", "🔟", "10").Replace(s))
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || len(s) > 2 || strconv.Itoa(n) != s {
		return 0
	}
	return n
}

// choices lists buttons as they are shown below a text, in Markdown, and what each is.
func choices(rows [][]chat.Button) (lines string, q question) {
	var b strings.Builder
	for _, one := range slices.Concat(rows...) {
		if one.URL != "" {
			fmt.Fprintf(&b, "\n- [%s](%s)", plainLabel(one.Label), one.URL)
			continue
		}
		q.data = append(q.data, one.Data)
		q.labels = append(q.labels, one.Label)
		mark := strconv.Itoa(len(q.data)) + "."
		if len(q.data) <= maxChoices {
			mark = keycap(len(q.data))
		}
		fmt.Fprintf(&b, "\n- %s %s", mark, plainLabel(one.Label))
	}
	return b.String(), q
}

// plainLabel escapes what Markdown would change.
func plainLabel(s string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "`", "\\`", "\n", " ").Replace(s)
}

// offer puts the numbers below a message, so that people only press them. Best effort: they can
// be typed.
func (a *Adapter) offer(ctx context.Context, room, message, nonce string, q question) {
	if len(q.data) > maxOffered {
		return
	}
	for n := range q.data {
		c := event.ReactionEventContent{RelatesTo: event.RelatesTo{Type: event.RelAnnotation, EventID: id.EventID(message), Key: keycap(n + 1)}}
		path := fmt.Sprintf("/v3/rooms/%s/send/%s/%s-%d", esc(room), event.EventReaction.Type, nonce, n+1)
		if err := a.call(ctx, http.MethodPut, path, c, nil); err != nil {
			a.log.Debug("matrix: offer a choice", "error", err)
			return
		}
	}
}

// pressed turns a reaction below choices of ours into a press, any other into nothing.
func (a *Adapter) pressed(ctx context.Context, room string, e *wireEvent) (*chat.Message, error) {
	rel := read(e).content.RelatesTo
	if rel == nil || rel.Type != event.RelAnnotation || number(rel.Key) == 0 {
		return nil, nil
	}
	on, err := a.lookUp(ctx, room, string(rel.EventID))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOutOfReach, err)
	}
	n := number(rel.Key)
	if on == nil || on.sender != a.self() || n > len(on.content.Buttons) {
		return nil, nil
	}
	m := a.base(room, on.thread(), e)
	press(m, string(rel.EventID), on.content.Buttons[n-1])
	return m, nil
}

func press(m *chat.Message, on, data string) {
	m.Kind, m.ReplyTo, m.Text, m.Addressed = chat.KindButton, on, data, true
	m.Quote, m.Relayed = "", false
}

// typed turns a number, or the words of a choice, into a press: as a reply to the choices, or
// where they are the last that we said.
func (a *Adapter) typed(ctx context.Context, room string, m *chat.Message) error {
	if m.Kind != chat.KindText || len(m.Files) > 0 || len(m.Text) > 100 || m.Text == "" {
		return nil
	}
	q, known := a.asked.Get(m.Key)
	switch {
	case m.ReplyTo != "":
		q = nil
		if on, ok := a.seen.Get(room + " " + m.ReplyTo); ok && on.sender == a.self() { // replies looked it up
			q = &question{id: m.ReplyTo, data: on.content.Buttons}
		}
	case !m.Addressed:
		return nil
	case !known && number(m.Text) > 0: // a process before this one asked
		var err error
		if q, err = a.lastAsked(ctx, room, m.Key.Thread); err != nil && ctx.Err() != nil {
			return err
		}
	}
	if q == nil {
		return nil
	}
	n := number(m.Text)
	if n == 0 {
		n = 1 + slices.IndexFunc(q.labels, func(label string) bool { return strings.EqualFold(label, m.Text) })
	}
	if n > 0 && n <= len(q.data) {
		press(m, q.id, q.data[n-1])
	}
	return nil
}

// lastAsked returns the choices of the last message of ours in a thread, nil if it has none.
func (a *Adapter) lastAsked(ctx context.Context, room, thread string) (*question, error) {
	var page struct {
		Events eventList `json:"chunk"`
	}
	if err := a.call(ctx, http.MethodGet, "/v3/rooms/"+esc(room)+"/messages?dir=b&limit=30", nil, &page); err != nil {
		return nil, fmt.Errorf("look for choices: %w", err)
	}
	for i := range page.Events {
		e := &page.Events[i]
		if e.Sender != a.self() || e.Type != event.EventMessage.Type {
			continue
		}
		if x := read(e); x.thread() == thread {
			return &question{id: e.ID, data: x.content.Buttons}, nil
		}
	}
	return nil, nil
}
