package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
)

// directMark begins the Channel of a direct chat known only by its person: Discord names
// the channel when it is opened.
const directMark = "@"

// Whispers implements chat.Confidant: while an interaction lives, its answer can
// be ephemeral.
func (a *Adapter) Whispers(m chat.Message) bool {
	_, ok := a.way(m.Origin)
	return ok
}

// DirectKey implements chat.Confidant.
func (a *Adapter) DirectKey(u chat.User) (chat.Key, bool) {
	platform, id := chat.CutID(u.ID)
	if platform != Platform || !Identity.Person(id) {
		return chat.Key{}, false
	}
	return chat.Key{Platform: Platform, Channel: directMark + id}, true
}

// Door implements chat.Confidant: our profile has a line to write in.
func (a *Adapter) Door() string {
	self := a.myID()
	if self == "" {
		return ""
	}
	return "https://discord.com/users/" + self
}

// way decodes an Origin; false if it has expired.
func (a *Adapter) way(s string) (o origin, ok bool) {
	if s == "" || json.Unmarshal([]byte(s), &o) != nil {
		return o, false
	}
	return o, a.now().Sub(o.At) < tokenLife
}

// pressed returns the Origin of a press.
func pressed(s string) string {
	var o origin
	_ = json.Unmarshal([]byte(s), &o) // what user wrote
	o.Pressed = true
	b, _ := json.Marshal(o) // plain data
	return string(b)
}

// whisper shows a part to its person alone: where they asked or, when the
// interaction has expired, in the direct chat. It never posts to the channel.
func (a *Adapter) whisper(ctx context.Context, p chat.Part) (string, error) {
	if o, ok := a.way(p.Origin); ok {
		id, err := a.whisperTo(ctx, o, p)
		var e *restError
		if !errors.As(err, &e) {
			return id, err
		}
	}
	k, ok := a.DirectKey(p.To)
	if !ok {
		return "", &chat.GoneError{Err: errors.New("discord: nobody to tell in private")}
	}
	p.Key, p.Private, p.Origin, p.ReplyTo, p.Preview = k, false, "", "", ""
	return a.Send(ctx, p)
}

// whisperTo answers an interaction. The deferred answer is visible to whom the
// deferral was, which cannot be changed: a public one is removed.
func (a *Adapter) whisperTo(ctx context.Context, o origin, p chat.Part) (string, error) {
	body := compose(p.Text, p.Buttons)
	var got posted
	if p.Index == 0 && !o.Pressed {
		var was struct {
			Flags int `json:"flags"`
		}
		first := o.path() + "/messages/" + original
		err := a.call(ctx, http.MethodGet, first, "", nil, &was)
		if err == nil && was.Flags&ephemeral != 0 {
			err = a.call(ctx, http.MethodPatch, first, "", attach(body, p.Files), &got)
			return got.ID.shown(), err
		}
		if err == nil {
			err = a.call(ctx, http.MethodDelete, first, "", nil, nil)
		}
		if err != nil && codeOf(err) != unknownMessage {
			return "", repeatable(err)
		}
	}
	body.Flags |= ephemeral
	err := a.call(ctx, http.MethodPost, o.path()+"?wait=true", "", attach(body, p.Files), &got)
	return got.ID.shown(), err
}

var _ chat.Deferrer = (*Adapter)(nil)

// Defers implements chat.Deferrer: a command shows that we think.
func (a *Adapter) Defers(m chat.Message) bool {
	o, ok := a.way(m.Origin)
	return ok && !o.Pressed && m.Kind == chat.KindCommand
}

// acknowledging is how long a deferral may still be on its way.
const acknowledging = 10 * time.Second

// undefer takes a deferral back to which nothing will be said.
func (a *Adapter) undefer(ctx context.Context, p chat.Part) error {
	o, ok := a.way(p.Origin)
	if !ok || o.Pressed {
		return nil
	}
	err := a.call(ctx, http.MethodDelete, o.path()+"/messages/"+original, "", nil, nil)
	var e *restError
	if errors.As(err, &e) && (e.Status != http.StatusNotFound || a.now().Sub(o.At) > acknowledging) {
		return nil // it expired, or somebody was quicker
	}
	return repeatable(err)
}

// unknownMessage is Discord's code for a message that is not there.
const unknownMessage = 10008

// closed reports whether a refusal concerns the whole conversation: no such channel or
// person, no access, or a closed direct chat.
func closed(e *restError) bool {
	switch e.Code {
	case 10003, 10013, 50001, 50007, 50278:
		return true
	}
	return false
}

// channelFor returns the channel to post in. It opens a direct chat that is known only by
// its person, once.
func (a *Adapter) channelFor(ctx context.Context, k chat.Key) (string, error) {
	person, direct := strings.CutPrefix(k.Channel, directMark)
	if !direct {
		return channelOf(k), nil
	}
	if known, ok := a.directs.Load(person); ok {
		return known.(string), nil
	}
	var got struct {
		ID plain `json:"id"`
	}
	err := a.call(ctx, http.MethodPost, "/users/@me/channels", "", map[string]string{"recipient_id": person}, &got)
	if err == nil {
		a.directs.Store(person, got.ID.shown())
	}
	return got.ID.shown(), repeatable(err)
}

// button returns a button under a message: one to press, or a link.
func button(b chat.Button) component {
	if b.URL != "" {
		return component{Type: 2, Style: 5, Label: text.Clip(b.Label, 80), URL: b.URL}
	}
	return component{Type: 2, Style: 2, Label: text.Clip(b.Label, 80), CustomID: b.Data}
}
