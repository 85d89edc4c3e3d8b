package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"parley/internal/chat"
	whole "parley/internal/text"
)

// maxContent is how large one message becomes, in bytes of JSON: an event has 64 KiB, an edit
// shows its text twice, and the server adds hashes and signatures.
const maxContent = 24 << 10

// Split implements chat.Outlet.
func (a *Adapter) Split(text string) []string {
	return chat.Split(text, func(piece string) bool {
		if len(piece) > maxContent {
			return false
		}
		data, err := json.Marshal(compose(piece, nil))
		return err == nil && len(data) <= maxContent
	})
}

// compose returns a text as a message. Its mentions are given, so that no text calls anybody.
func compose(text string, rows [][]chat.Button) *content {
	lines, q := choices(rows)
	if lines != "" {
		text = strings.TrimRight(text, "\n") + "\n" + lines
	}
	c := &content{Buttons: q.data}
	c.MsgType, c.Body, c.Mentions = event.MsgText, text, &event.Mentions{}
	if html := render(text); html != "" {
		c.Format, c.FormattedBody = event.FormatHTML, html
	}
	return c
}

// relate puts a message into its thread, as a reply where it is one.
func relate(c *content, thread, replyTo string) {
	if thread == "" && replyTo == "" {
		return
	}
	rel := &event.RelatesTo{}
	if replyTo != "" {
		rel.InReplyTo = &event.InReplyTo{EventID: id.EventID(replyTo)}
	}
	if thread != "" {
		rel.Type, rel.EventID = event.RelThread, id.EventID(thread)
		if replyTo == "" { // for clients without threads
			rel.InReplyTo, rel.IsFallingBack = &event.InReplyTo{EventID: id.EventID(thread)}, true
		}
	}
	c.RelatesTo = rel
}

// replaces returns the edit that turns a message into c.
func replaces(c *content, message string) *content {
	edit := *c
	edit.RelatesTo = nil
	shown := edit.MessageEventContent
	edit.NewContent = &shown
	edit.Body, edit.FormattedBody, edit.Format = "* "+whole.ClipBytes(c.Body, 4000), "", ""
	edit.RelatesTo = &event.RelatesTo{Type: event.RelReplace, EventID: id.EventID(message)}
	return &edit
}

// put sends one event. The server takes each txn once, and answers the same when it comes again.
func (a *Adapter) put(ctx context.Context, room, txn string, c *content) (string, error) {
	var got struct {
		ID string `json:"event_id"`
	}
	if left := a.quiet.Left(a.now(), room); left > 0 {
		return "", &chat.WaitError{After: left, Err: errLimited}
	}
	path := "/v3/rooms/" + esc(room) + "/send/" + event.EventMessage.Type + "/" + esc(txn)
	err := a.call(ctx, http.MethodPut, path, c, &got)
	if wait := waitOf(err); wait > 0 {
		a.quiet.Keep(room, wait, a.now())
	}
	if err == nil {
		a.seen.Put(room+" "+got.ID, &ev{sender: a.self(), content: *c})
	}
	return got.ID, err
}

// outcome turns a definite no into the class that chat.Outlet.Send promises.
func outcome(err error) error {
	var no *refusal
	switch {
	case !errors.As(err, &no) || no.Status == http.StatusUnauthorized:
		return err
	case no.Status == http.StatusForbidden, no.Status == http.StatusNotFound:
		return &chat.GoneError{Err: err, Closed: true}
	}
	return &chat.GoneError{Err: err}
}

// refused is outcome for a room: one that was upgraded has moved.
func (a *Adapter) refused(ctx context.Context, k chat.Key, room string, err error) error {
	if statusOf(err) == http.StatusForbidden && !strings.HasPrefix(k.Channel, "@") {
		if to := a.successor(ctx, room); to != "" {
			return &chat.MovedError{To: place(to, k.Thread), Err: err}
		}
	}
	return outcome(err)
}

var _ chat.Repeater = (*Adapter)(nil)

// Idempotent implements chat.Repeater: besides the server, which forgets in time, send looks
// for what is there already.
func (a *Adapter) Idempotent(chat.Part) bool { return true }

// fresh is how long after a start a part may have been sent by the process before.
const fresh = 5 * time.Minute

// Send implements chat.Outlet.
func (a *Adapter) Send(ctx context.Context, p chat.Part) (string, error) {
	if p.Private && !strings.HasPrefix(p.Key.Channel, "@") {
		k, ok := a.DirectKey(p.To)
		if !ok {
			return "", &chat.GoneError{Err: errors.New("matrix: nobody to tell in private")}
		}
		p.Key, p.Private, p.ReplyTo, p.Preview = k, false, "", ""
	}
	room, err := a.roomFor(ctx, p.Key)
	if err != nil {
		return "", err
	}
	id, err := a.post(ctx, room, p)
	if err != nil {
		return "", a.refused(ctx, p.Key, room, err)
	}
	a.still(ctx, room)
	return id, nil
}

// post sends a part to a room.
func (a *Adapter) post(ctx context.Context, room string, p chat.Part) (first string, err error) {
	if p.Text == "" && len(p.Files) == 0 {
		return "", a.redact(ctx, room, p.Preview)
	}
	if p.Preview == "" && (p.Unknown > 0 || a.now().Sub(a.born) < fresh) {
		done, growing, err := a.find(ctx, room, p)
		if err != nil {
			return "", err
		}
		if p.Preview = growing; done != "" {
			first, p.Text = done, ""
		}
	}
	if p.Text != "" {
		if first, err = a.say(ctx, room, p); err != nil {
			return "", err
		}
		p.ReplyTo = ""
	}
	for i, f := range p.Files {
		id, err := a.attach(ctx, room, p, i, f)
		if err != nil {
			return "", err // all of it can be sent again, and is shown once
		}
		if first == "" {
			first = id
		}
	}
	return first, nil
}

// say sends the text of a part, or turns its preview into it. Choices are a message of their
// own: what people react to must name them.
func (a *Adapter) say(ctx context.Context, room string, p chat.Part) (string, error) {
	c := compose(p.Text, p.Buttons)
	c.Part = p.Nonce
	if p.Ping {
		calling(c, p.To)
	}
	relate(c, p.Key.Thread, p.ReplyTo)
	_, q := choices(p.Buttons)
	if p.Preview != "" && len(q.data) == 0 {
		_, err := a.put(ctx, room, p.Nonce+"-e", replaces(c, p.Preview))
		if err == nil {
			a.asked.Put(p.Key, nil)
		}
		return p.Preview, err
	}
	id, err := a.put(ctx, room, p.Nonce, c)
	if err != nil {
		return "", err
	}
	if p.Preview != "" {
		if err := a.redact(ctx, room, p.Preview); err != nil {
			a.log.Debug("matrix: remove a preview", "error", err)
		}
	}
	if q.id = id; len(q.data) == 0 {
		a.asked.Put(p.Key, nil)
		return id, nil
	}
	a.asked.Put(p.Key, &q)
	a.offer(ctx, room, id, p.Nonce, q)
	return id, nil
}

// attach sends one file of a part.
func (a *Adapter) attach(ctx context.Context, room string, p chat.Part, n int, f chat.File) (string, error) {
	c, err := a.attachment(ctx, f)
	if err != nil {
		return "", err
	}
	relate(c, p.Key.Thread, p.ReplyTo)
	c.Part = p.Nonce
	return a.put(ctx, room, fmt.Sprint(p.Nonce, "-f", n), c)
}

// maxPages bounds how far find looks back, in pages of a hundred events.
const maxPages = 5

// find looks for what shows a part already: all of it, or a preview that nobody finished.
func (a *Adapter) find(ctx context.Context, room string, p chat.Part) (done, growing string, err error) {
	from := ""
	for range maxPages {
		var page struct {
			Events eventList `json:"chunk"`
			End    string    `json:"end"`
		}
		v := url.Values{"dir": {"b"}, "limit": {"100"}}
		if from != "" {
			v.Set("from", from)
		}
		if err := a.call(ctx, http.MethodGet, "/v3/rooms/"+esc(room)+"/messages?"+v.Encode(), nil, &page); err != nil {
			return "", "", err
		}
		for i := range page.Events {
			e := &page.Events[i]
			x := read(e)
			rel := x.content.RelatesTo
			switch {
			case e.Sender != a.self() || x.content.Part != p.Nonce || p.Nonce == "":
			case rel != nil && rel.Type == event.RelReplace && !x.content.Growing:
				return string(rel.EventID), "", nil
			case x.content.Growing && (rel == nil || rel.Type != event.RelReplace):
				growing = e.ID
			case !x.content.Growing && x.content.URL == "":
				return e.ID, "", nil
			}
			if time.UnixMilli(e.At).Before(p.At.Add(-5 * time.Minute)) {
				return "", growing, nil
			}
		}
		if from = page.End; from == "" || growing != "" {
			break
		}
	}
	return "", growing, nil
}

// Preview implements chat.Outlet: one message that is edited.
func (a *Adapter) Preview(ctx context.Context, m chat.Message, id, text string) (string, time.Duration, error) {
	every := a.o.Timing.Edit
	room, err := a.roomFor(ctx, m.Key)
	if err != nil {
		return id, every, err
	}
	pieces := a.Split(whole.ClipBytes(text, maxContent))
	if len(pieces) == 0 {
		return id, 0, nil
	}
	c := compose(pieces[0], nil)
	c.Part, c.Growing = m.Nonce, true
	if id != "" {
		_, err = a.put(ctx, room, fmt.Sprint(m.Nonce, "-p", a.now().UnixNano()), replaces(c, id))
		return id, every, outcome(err)
	}
	relate(c, m.Key.Thread, "")
	id, err = a.put(ctx, room, m.Nonce+"-p", c)
	return id, every, outcome(err)
}

// Typing implements chat.Outlet.
func (a *Adapter) Typing(ctx context.Context, m chat.Message) error {
	room, err := a.roomFor(ctx, m.Key)
	if err != nil {
		return err
	}
	a.typing.Put(room, true)
	return outcome(a.types(ctx, room, true))
}

// typingFor is how long people see it, unless it is shown again.
const typingFor = 8 * time.Second

func (a *Adapter) types(ctx context.Context, room string, yes bool) error {
	return a.call(ctx, http.MethodPut, "/v3/rooms/"+esc(room)+"/typing/"+esc(a.self()),
		map[string]any{"typing": yes, "timeout": typingFor.Milliseconds()}, nil)
}

// still ends what Typing shows, since an answer is there. Best effort.
func (a *Adapter) still(ctx context.Context, room string) {
	if !a.typing.Drop(room) {
		return
	}
	if err := a.types(ctx, room, false); err != nil {
		a.log.Debug("matrix: end typing", "error", err)
	}
}

// redact removes a message of ours. It can be repeated; what is gone is gone.
func (a *Adapter) redact(ctx context.Context, room, message string) error {
	if message == "" {
		return nil
	}
	path := "/v3/rooms/" + esc(room) + "/redact/" + esc(message) + "/r" + esc(strings.TrimPrefix(message, "$"))
	err := a.call(ctx, http.MethodPut, path, struct{}{}, nil)
	switch {
	case statusOf(err) == http.StatusNotFound:
		return nil
	case errors.Is(err, chat.ErrUnknownOutcome):
		return fmt.Errorf("matrix: redact: %v", err)
	}
	return err
}

var (
	_ chat.Amender    = (*Adapter)(nil)
	_ chat.Withdrawer = (*Adapter)(nil)
)

// Amend implements chat.Amender.
func (a *Adapter) Amend(ctx context.Context, k chat.Key, message, text string) error {
	pieces := a.Split(text)
	if len(pieces) == 0 {
		return nil
	}
	c := replaces(compose(pieces[0], nil), message)
	room, err := a.holds(ctx, k, message)
	if err != nil {
		return err
	}
	if _, err = a.put(ctx, room, fmt.Sprint("a", a.now().UnixNano()), c); errors.Is(err, chat.ErrUnknownOutcome) {
		err = fmt.Errorf("matrix: edit: %v", err)
	}
	if q, ok := a.asked.Get(k); ok && q != nil && q.id == message {
		a.asked.Put(k, nil)
	}
	return a.refused(ctx, k, room, err)
}

// Withdraw implements chat.Withdrawer.
func (a *Adapter) Withdraw(ctx context.Context, k chat.Key, message string) error {
	room, err := a.holds(ctx, k, message)
	if err == nil {
		err = a.redact(ctx, room, message)
	}
	if statusOf(err) == http.StatusForbidden {
		return nil
	}
	return err
}
