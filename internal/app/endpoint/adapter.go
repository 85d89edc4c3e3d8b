package endpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// The endpoint is a platform, so that what programs say takes the way of every message.
var (
	_ chat.Adapter   = (*Endpoint)(nil)
	_ chat.TurnTaker = (*Endpoint)(nil)
	_ chat.Repeater  = (*Endpoint)(nil)
	_ chat.Fetcher   = (*Endpoint)(nil)
)

// growth is how often a growing answer is passed on.
const growth = 60 * time.Millisecond

// Platform implements chat.Adapter.
func (*Endpoint) Platform() string { return chat.Programs }

// Health implements chat.Adapter.
func (*Endpoint) Health() error { return nil }

// Run implements chat.Adapter: requests come by themselves.
func (*Endpoint) Run(ctx context.Context, _ chat.Intake) error {
	<-ctx.Done()
	return nil
}

// Split returns text whole: an answer has no longest message.
func (*Endpoint) Split(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// Typing does nothing: a client sees that its request is open.
func (*Endpoint) Typing(context.Context, chat.Message) error { return nil }

// Preview passes a growing answer on to who waits for it.
func (e *Endpoint) Preview(_ context.Context, m chat.Message, _, text string) (string, time.Duration, error) {
	if t := e.turns.of(m.ID); t != nil {
		t.change(func() { t.growing = text })
	}
	return "", growth, nil
}

// Send keeps a part of an answer until a client takes it. What answers no request, such as
// a reminder, goes to its person's direct chat.
func (e *Endpoint) Send(ctx context.Context, p chat.Part) (id string, err error) {
	if p.Origin == "" {
		return "elsewhere-" + p.Nonce, e.o.Elsewhere(ctx, p)
	}
	kept := chat.Part{Index: p.Index, Text: p.Text, Files: p.Files, Buttons: p.Buttons}
	if err := e.o.Store.Tokens.Answer(ctx, p.Origin, kept); err != nil {
		return "", err
	}
	if t := e.turns.of(p.Origin); t != nil {
		t.change(func() {
			if !slices.ContainsFunc(t.parts, func(had chat.Part) bool { return had.Index == p.Index }) {
				t.parts = append(t.parts, kept)
			}
		})
	}
	return fmt.Sprint(p.Origin, "-", p.Index), nil
}

// Idempotent implements chat.Repeater: a part is kept once.
func (*Endpoint) Idempotent(chat.Part) bool { return true }

// Done implements chat.TurnTaker.
func (e *Endpoint) Done(m chat.Message) {
	if t := e.turns.of(m.ID); t != nil {
		t.change(func() { t.over = true })
	}
}

// Fetch implements chat.Fetcher. A Ref is of ours: the person, and the file's id.
func (e *Endpoint) Fetch(ctx context.Context, f chat.File, limit int64) ([]byte, error) {
	at := strings.LastIndexByte(f.Ref, ' ')
	if at < 0 {
		return nil, chat.ErrFileGone
	}
	data, ok, err := e.o.Store.Access.WebFile(ctx, f.Ref[:at], f.Ref[at+1:])
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, chat.ErrFileGone
	case int64(len(data)) > limit:
		return nil, chat.ErrFileTooLarge
	}
	return data, nil
}

// Wrap shows programs nothing but the answer itself, and says where an answer comes that
// people give.
func (*Endpoint) Wrap(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Key.Platform != chat.Programs {
			return pass(ctx, m, w)
		}
		a, err := pass(ctx, m, mute{w})
		if err == nil && a.Text == "" && len(a.Files) == 0 && chat.Ending(m, false, a.Record).Outcome == chat.PassedOn {
			a.Text = catalog.Text(ctx, "I passed that on to the people here. Their answer comes to our direct chat.")
		}
		return a, err
	})
}

// mute is a Reply without a status, which a client would take for words of the answer.
type mute struct{ chat.Reply }

var _ chat.Worker = mute{}

// Status implements chat.Reply.
func (mute) Status(string) {}

// Await implements chat.Awaiter.
func (m mute) Await() { chat.Await(m.Reply) }

// Work implements chat.Worker.
func (m mute) Work(tool string, begins bool) {
	if w, ok := m.Reply.(chat.Worker); ok {
		w.Work(tool, begins)
	}
}
