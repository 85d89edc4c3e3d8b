package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"maunium.net/go/mautrix/event"

	"parley/internal/chat"
	"parley/internal/text"
)

// content is that of a message, with what we add to our own.
type content struct {
	event.MessageEventContent
	// Part is the nonce of the part that it shows; Growing is true while it is a preview.
	Part    string `json:"dev.parley.part,omitempty"`
	Growing bool   `json:"dev.parley.growing,omitempty"`
	// Buttons has the data of the numbered choices.
	Buttons []string `json:"dev.parley.buttons,omitempty"`
}

// ev is an event that was looked up.
type ev struct {
	sender  string
	content content
}

func read(e *wireEvent) *ev {
	x := &ev{sender: e.Sender}
	_ = json.Unmarshal(e.Content, &x.content) // what others wrote; what does not fit is left out
	return x
}

// thread returns the root of the thread that an event is in, "" for none.
func (x *ev) thread() string {
	if rel := x.content.RelatesTo; rel != nil && rel.Type == event.RelThread {
		return string(rel.EventID)
	}
	return ""
}

// lookUp returns an event of a room, nil if the server does not show it.
func (a *Adapter) lookUp(ctx context.Context, room, id string) (*ev, error) {
	if x, ok := a.seen.Get(room + " " + id); ok {
		return x, nil
	}
	var e wireEvent
	var err error
	for wait := 100 * time.Millisecond; ; wait *= 4 {
		err = a.call(ctx, http.MethodGet, "/v3/rooms/"+esc(room)+"/event/"+esc(id), nil, &e)
		if err == nil || statusOf(err) != 0 || wait > 2*time.Second || !chat.Sleep(ctx, max(wait, waitOf(err))) {
			break
		}
	}
	switch {
	case statusOf(err) != 0:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look up an event: %w", err)
	}
	x := read(&e)
	a.seen.Put(room+" "+id, x)
	return x, nil
}

// event adds what one event means to a batch. Its error means that nobody can tell now.
func (a *Adapter) event(ctx context.Context, room string, e *wireEvent, b *chat.Batch) error {
	if e.ID == "" || e.Type == "" || e.Sender == "" {
		b.Dead = append(b.Dead, chat.DeadLetter{ID: e.ID, Raw: e.raw, Reason: "an event of Matrix that cannot be read"})
		return nil
	}
	if e.StateKey != nil {
		a.rooms.note(room, e)
		a.stateChanged(ctx, room, e, b)
		return nil
	}
	m, err := a.message(ctx, room, e)
	if errors.Is(err, errOutOfReach) && ctx.Err() == nil { // one event holds up no other
		b.Dead = append(b.Dead, chat.DeadLetter{ID: e.ID, Raw: enclose(room, e.raw), Reason: "the server does not show what an event is about"})
		return nil
	}
	if m != nil && err == nil {
		m.Raw = enclose(room, e.raw)
		b.Messages = append(b.Messages, *m)
	}
	return err
}

// errOutOfReach: the server could not show an event that another one is about.
var errOutOfReach = errors.New("matrix: an event cannot be looked up")

// message turns an event into a message, nil for one of no use to us.
func (a *Adapter) message(ctx context.Context, room string, e *wireEvent) (*chat.Message, error) {
	if e.Sender == a.self() {
		if e.Type == event.EventMessage.Type {
			a.seen.Put(room+" "+e.ID, read(e))
		}
		return nil, nil
	}
	if len(e.Unsigned.Redacted) > 0 {
		return nil, nil
	}
	switch e.Type {
	case event.EventMessage.Type, event.EventSticker.Type:
		return a.said(ctx, room, e)
	case event.EventReaction.Type:
		return a.pressed(ctx, room, e)
	case event.EventRedaction.Type:
		return a.redacted(room, e), nil
	}
	return nil, nil
}

// base returns what all messages have.
func (a *Adapter) base(in, thread string, e *wireEvent) *chat.Message {
	m := &chat.Message{ID: e.ID, Key: place(in, thread), From: user(e.Sender, a.rooms.name(in, e.Sender)), At: a.when(e)}
	a.rooms.with(in, func(r *room) {
		if r == nil {
			return
		}
		r.hears(e.Sender)
		if m.Title = r.called(); r.peer() == e.Sender {
			m.Direct, m.Title = true, ""
		}
	})
	if m.Direct {
		m.Key = place(e.Sender, thread)
		a.spoke.Put(e.Sender, in)
	}
	return m
}

// when returns the time of an event. Its server's clock may be wrong, but not ahead of ours.
func (a *Adapter) when(e *wireEvent) time.Time {
	at := time.UnixMilli(e.At).UTC()
	if now := a.now().UTC(); at.After(now) || e.At <= 0 {
		return now
	}
	return at
}

// said turns a message into one of ours.
func (a *Adapter) said(ctx context.Context, room string, e *wireEvent) (*chat.Message, error) {
	x := read(e)
	c := &x.content
	if rel := c.RelatesTo; rel != nil && rel.Type == event.RelReplace {
		return a.edited(ctx, room, e, x)
	}
	if c.MsgType == event.MsgNotice || c.MsgType == "" && e.Type == event.EventMessage.Type {
		return nil, nil // of another bot, which must not talk with us for ever
	}
	a.seen.Put(room+" "+e.ID, x)
	m := a.base(room, x.thread(), e)
	a.words(m, e, x)
	if rel := c.RelatesTo; rel != nil && rel.InReplyTo != nil && !rel.IsFallingBack {
		if err := a.replies(ctx, room, m, string(rel.InReplyTo.EventID)); err != nil {
			return nil, err
		}
	}
	m.Addressed = m.Addressed || m.Direct || m.Named
	if name, isCommand := a.command(m.Text); isCommand && len(m.Files) == 0 {
		m.Kind, m.Text, m.Addressed = chat.KindCommand, name, true
	}
	return m, a.typed(ctx, room, m)
}

// words fills in what somebody wrote or sent.
func (a *Adapter) words(m *chat.Message, e *wireEvent, x *ev) {
	c := &x.content
	m.Text, m.Named = a.mentioned(c)
	if e.Type == event.EventSticker.Type {
		m.Text, m.Shared, m.Files = c.Body, true, []chat.File{file(c, chat.FormSticker)}
		return
	}
	switch c.MsgType {
	case event.MsgImage, event.MsgAudio, event.MsgVideo, event.MsgFile:
		m.Files = []chat.File{file(c, "")}
		if c.FileName == "" || c.FileName == c.Body { // the body is the file's name
			m.Text = ""
		}
	case event.MsgLocation:
		m.Text, m.Shared = strings.TrimSpace(c.Body+" "+c.GeoURI), true
	case event.MsgEmote:
		m.Text = m.From.Name + " " + m.Text
	}
}

// replies notes what a message answers.
func (a *Adapter) replies(ctx context.Context, room string, m *chat.Message, id string) error {
	m.ReplyTo = id
	to, err := a.lookUp(ctx, room, id)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if to == nil { // nobody can tell, and the message says enough
		return nil
	}
	m.Quote = text.Clip(to.content.Body, maxQuote)
	m.Relayed = to.sender != a.self() && to.sender != strings.TrimPrefix(m.From.ID, Platform+":")
	m.Addressed = to.sender == a.self()
	return nil
}

// maxQuote is how much of a message is quoted, in characters.
const maxQuote = 4000

// edited turns a change into one of the message that it changes, which only its author does.
func (a *Adapter) edited(ctx context.Context, room string, e *wireEvent, x *ev) (*chat.Message, error) {
	id := string(x.content.RelatesTo.EventID)
	was, err := a.lookUp(ctx, room, id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOutOfReach, err)
	}
	if was == nil || was.sender != e.Sender || x.content.NewContent == nil {
		return nil, nil
	}
	m := a.base(room, was.thread(), e)
	m.Kind, m.ReplyTo = chat.KindEdit, id
	m.Text, m.Named = a.mentioned(&content{MessageEventContent: *x.content.NewContent})
	m.Addressed = m.Direct || m.Named
	return m, nil
}

// redacted turns a redaction into a message that somebody took back. Who did it says nothing
// of whose it was.
func (a *Adapter) redacted(room string, e *wireEvent) *chat.Message {
	id := e.Redacts
	if id == "" {
		var c struct {
			Redacts string `json:"redacts"`
		}
		_ = json.Unmarshal(e.Content, &c) // the server checked it
		id = c.Redacts
	}
	was, known := a.seen.Get(room + " " + id)
	if id == "" || known && was.sender == a.self() {
		return nil
	}
	thread := ""
	if known {
		thread = was.thread()
		a.seen.Drop(room + " " + id)
	}
	m := a.base(room, thread, e)
	if known && a.rooms.peer(room) == was.sender {
		m.Key = place(was.sender, thread)
	}
	m.Kind, m.ReplyTo, m.From = chat.KindDeleted, id, chat.User{}
	return m
}

// enclosed is an event with its room, as it is put aside.
type enclosed struct {
	Room  string          `json:"room_id"`
	Event json.RawMessage `json:"event"`
}

func enclose(room string, raw []byte) []byte {
	b, _ := json.Marshal(enclosed{room, raw}) // it was JSON
	return b
}

// Renormalize implements chat.Renormalizer.
func (a *Adapter) Renormalize(raw []byte) ([]chat.Message, error) {
	if a.self() == "" {
		return nil, chat.ErrNotReady
	}
	var in enclosed
	var e wireEvent
	if json.Unmarshal(raw, &in) != nil || json.Unmarshal(in.Event, &e) != nil || e.ID == "" || in.Room == "" {
		return nil, errors.New("it is no event of a Matrix room")
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.o.Timing.Send)
	defer cancel()
	m, err := a.message(ctx, in.Room, &e)
	if m == nil || err != nil {
		return nil, err
	}
	return []chat.Message{*m}, nil
}

var _ chat.Renormalizer = (*Adapter)(nil)
