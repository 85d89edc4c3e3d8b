package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"parley/internal/adapters/discord/tables"
	"parley/internal/chat"
	"parley/internal/text"
)

// Discord's limits; docs/platforms.md lists them.
const (
	maxContent     = 2000             // UTF-16 units, on the safe side of Discord's characters
	nonceWindow    = 2 * time.Minute  // how long a nonce surely finds its message
	tokenLife      = 14 * time.Minute // of an interaction, less a margin
	previewEvery   = 1200 * time.Millisecond
	suppressEmbeds = 1 << 2
	ephemeral      = 1 << 6
)

// original is the id of the message an interaction's answer goes into.
const original = "@original"

// Split implements chat.Outlet.
func (a *Adapter) Split(text string) []string {
	return chat.Split(text, func(piece string) bool {
		piece = tables.Aligned(piece)
		return len(piece) <= maxContent || units(piece) <= maxContent
	})
}

func units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// payload is a message as it is posted. It pings only the person whom a part calls: every
// post and edit has allowed_mentions, because an edit without it parses mentions again.
type payload struct {
	Content    string      `json:"content"`
	Nonce      string      `json:"nonce,omitempty"`
	Enforce    bool        `json:"enforce_nonce,omitempty"`
	Mentions   allowed     `json:"allowed_mentions"`
	Reference  *reference  `json:"message_reference,omitempty"`
	Components []component `json:"components,omitempty"`
	Flags      int         `json:"flags,omitempty"`
}

type allowed struct {
	Parse       []string `json:"parse"`
	Users       []string `json:"users,omitempty"`
	RepliedUser bool     `json:"replied_user"`
}

type reference struct {
	MessageID string `json:"message_id"`
	MustExist bool   `json:"fail_if_not_exists"`
}

type component struct {
	Type       int         `json:"type"`
	Style      int         `json:"style,omitempty"`
	Label      string      `json:"label,omitempty"`
	CustomID   string      `json:"custom_id,omitempty"`
	URL        string      `json:"url,omitempty"`
	Options    []choice    `json:"options,omitempty"`
	Required   bool        `json:"required,omitempty"`
	MaxLength  int         `json:"max_length,omitempty"`
	Components []component `json:"components,omitempty"`
}

// choice is a line of a menu.
type choice struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// posted is a message as Discord returns it.
type posted struct {
	ID      plain `json:"id"`
	Content plain `json:"content"`
	Nonce   plain `json:"nonce"`
	Author  struct {
		ID plain `json:"id"`
	} `json:"author"`
	Reference struct {
		MessageID plain `json:"message_id"`
	} `json:"message_reference"`
}

// composed returns a part as a payload.
func composed(p chat.Part) payload {
	body := compose(p.Text, p.Buttons)
	if id, ok := calls(p); ok {
		body.Mentions.Users = []string{id}
	}
	return body
}

// calls returns the id of the person whom a part calls.
func calls(p chat.Part) (id string, ok bool) {
	where, id := chat.CutID(p.To.ID)
	return id, p.Ping && where == Platform && isID(plain(id))
}

// calling replaces the name of the person whom a part calls with a mention.
func calling(p chat.Part) chat.Part {
	id, ok := calls(p)
	mention := "<@" + id + ">"
	if called := strings.Replace(p.Text, p.To.Name, mention, 1); ok && p.To.Name != "" && units(called) <= maxContent {
		p.Text = called
	}
	return p
}

func compose(text string, buttons [][]chat.Button) payload {
	p := payload{Content: tables.Aligned(text), Mentions: allowed{Parse: []string{}}, Flags: suppressEmbeds}
	if len(buttons) > maxRows {
		p.Components = []component{{Type: actionRow, Components: []component{menu(buttons)}}}
		return p
	}
	for _, row := range buttons {
		c := component{Type: actionRow}
		for _, b := range row {
			c.Components = append(c.Components, button(b))
		}
		p.Components = append(p.Components, c)
	}
	return p
}

// Components of Discord, and how many rows of them a message takes.
const (
	actionRow  = 1
	selectMenu = 3
	maxRows    = 5
)

// menu returns buttons as a menu, where there are too many.
func menu(buttons [][]chat.Button) component {
	c := component{Type: selectMenu, CustomID: "menu"}
	for _, b := range slices.Concat(buttons...) {
		if len(c.Options) < maxChoices {
			c.Options = append(c.Options, choice{text.Clip(b.Label, maxChoice), b.Data})
		}
	}
	return c
}

// origin tells how to answer an interaction.
type origin struct {
	App   string    `json:"app"`
	Token string    `json:"token"`
	At    time.Time `json:"at"`
	// Pressed says that the original is not an answer but the message with the
	// buttons.
	Pressed bool `json:"pressed,omitempty"`
}

// home decodes an Origin; false if it has expired or waits for no answer.
func (a *Adapter) home(s string) (o origin, ok bool) {
	o, ok = a.way(s)
	return o, ok && !o.Pressed
}

// Typing implements chat.Outlet. An interaction shows by itself that an answer
// is being written.
func (a *Adapter) Typing(ctx context.Context, m chat.Message) error {
	channel := channelOf(m.Key)
	if o, ok := a.way(m.Origin); m.Origin != "" && !(ok && o.Pressed) {
		return nil
	}
	if err := a.connected(ctx, 0); err != nil {
		return err
	}
	return a.call(ctx, http.MethodPost, "/channels/"+channel+"/typing", channel, nil, nil)
}

// Preview implements chat.Outlet.
func (a *Adapter) Preview(ctx context.Context, m chat.Message, id, text string) (string, time.Duration, error) {
	channel := channelOf(m.Key)
	if d := a.quiet.Left(a.now(), channel, everywhere); d > 0 {
		return id, d, nil
	}
	if a.connected(ctx, 0) != nil {
		return id, previewEvery, nil
	}
	pieces := a.Split(text)
	if len(pieces) == 0 {
		return id, previewEvery, nil
	}
	p := compose(pieces[0], nil)
	if o, ok := a.home(m.Origin); ok {
		err := a.call(ctx, http.MethodPatch, o.path()+"/messages/"+original, channel, p, nil)
		return original, previewEvery, err
	}
	if o, ok := a.way(m.Origin); m.Origin != "" && !(ok && o.Pressed) {
		return id, previewEvery, nil
	}
	if id != "" {
		return id, previewEvery, a.call(ctx, http.MethodPatch, "/channels/"+channel+"/messages/"+id, channel, p, nil)
	}
	p.Nonce, p.Enforce = m.Nonce, true
	p.Reference = replyTo(m.Key, m.ID)
	got, err := a.create(ctx, channel, p, nil)
	return got.ID.shown(), previewEvery, err
}

// create posts a message. If the message it replies to is gone or unreadable, it replies to
// nothing.
func (a *Adapter) create(ctx context.Context, channel string, body payload, files []chat.File) (got posted, err error) {
	path := "/channels/" + channel + "/messages"
	err = a.call(ctx, http.MethodPost, path, channel, attach(body, files), &got)
	if body.Reference != nil && unrepliable(err) {
		body.Reference = nil
		err = a.call(ctx, http.MethodPost, path, channel, attach(body, files), &got)
	}
	if err == nil {
		a.nonces.Put(got.ID.shown(), body.Nonce)
	}
	return got, err
}

// unrepliable reports whether a refusal concerns only the reference.
func unrepliable(err error) bool {
	var no *restError
	if !errors.As(err, &no) {
		return false
	}
	_, named := no.Errors["message_reference"]
	return no.Code == 50035 && named || no.Code == 160002
}

// patience is how long a part waits for the connection within one attempt.
const patience = 2 * time.Second

// connected waits until we know who we are. Before that nothing is sent, because
// messages of an earlier process could not be told from those of others.
func (a *Adapter) connected(ctx context.Context, patience time.Duration) error {
	if !a.cred.Usable(ctx) {
		return errToken
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-a.known:
		return nil
	default:
	}
	select {
	case <-a.known:
		return nil
	case <-timer.C:
		return &chat.WaitError{After: time.Second, Err: errConnecting}
	case <-ctx.Done():
		return &chat.WaitError{After: time.Second, Err: ctx.Err()}
	}
}

func (o origin) path() string { return "/webhooks/" + o.App + "/" + o.Token }

// replyTo refers to a message of the conversation; nil for the one that its thread was
// opened for, which is in the channel.
func replyTo(k chat.Key, id string) *reference {
	if id == "" || id == k.Thread || strings.Trim(id, "0123456789") != "" {
		return nil
	}
	return &reference{MessageID: id}
}

// Send implements chat.Outlet.
func (a *Adapter) Send(ctx context.Context, p chat.Part) (string, error) {
	p = calling(p)
	if err := a.connected(ctx, patience); err != nil {
		return "", err
	}
	if p.Text == "" && len(p.Files) == 0 && p.Origin != "" {
		return "", a.undefer(ctx, p)
	}
	if p.Text == "" && len(p.Files) == 0 && p.Preview != "" {
		return "", a.remove(ctx, p.Key, p.Preview)
	}
	if p.Private {
		return a.whisper(ctx, p)
	}
	channel, err := a.channelFor(ctx, p.Key)
	if err != nil {
		return "", final(err)
	}
	if o, ok := a.home(p.Origin); ok {
		id, err := a.sendHome(ctx, o, p)
		var e *restError
		if !errors.As(err, &e) {
			return id, err
		}
		// The interaction has expired (50027, 10015, 10062): post in the channel.
	}
	id, err := a.post(ctx, channel, p)
	if codeOf(err) == 50083 { // the thread was archived meanwhile
		if err = a.call(ctx, http.MethodPatch, "/channels/"+channel, channel, map[string]bool{"archived": false}, nil); err == nil {
			id, err = a.post(ctx, channel, p)
		}
	}
	return id, refusedIn(err, p)
}

// final makes a refusal permanent, except that of a token, which may be replaced.
func final(err error) error {
	var e *restError
	if errors.As(err, &e) && e.Status != http.StatusUnauthorized {
		return &chat.GoneError{Err: err, Closed: closed(e)}
	}
	return err
}

// refusedIn is final for what is posted in a channel: without files, that something is not
// permitted or not found concerns the channel.
func refusedIn(err error, p chat.Part) error {
	err = final(err)
	var gone *chat.GoneError
	var e *restError
	if errors.As(err, &gone) && errors.As(err, &e) && len(p.Files) == 0 {
		gone.Closed = gone.Closed || e.Code == missingPermissions || e.Code == threadLocked ||
			e.Code == 0 && (e.Status == http.StatusForbidden || e.Status == http.StatusNotFound)
	}
	return err
}

// Discord's codes of refusals that concern a channel.
const (
	missingPermissions = 50013
	threadLocked       = 160005
)

// sendHome answers an interaction: the first part into the deferred answer,
// which may be repeated; others as follow-ups.
func (a *Adapter) sendHome(ctx context.Context, o origin, p chat.Part) (string, error) {
	body := composed(p)
	var got posted
	if p.Index == 0 {
		err := a.call(ctx, http.MethodPatch, o.path()+"/messages/"+original, "", attach(body, p.Files), &got)
		return got.ID.shown(), err
	}
	err := a.call(ctx, http.MethodPost, o.path()+"?wait=true", "", attach(body, p.Files), &got)
	return got.ID.shown(), err
}

// post sends a message, or turns a preview into it.
func (a *Adapter) post(ctx context.Context, channel string, p chat.Part) (string, error) {
	body := composed(p)
	path := "/channels/" + channel + "/messages"
	if p.Preview != "" && p.Preview != original {
		err := a.call(ctx, http.MethodPatch, path+"/"+p.Preview, channel, attach(body, p.Files), nil)
		if codeOf(err) != unknownMessage {
			return p.Preview, repeatable(err)
		}
		// Somebody deleted the preview: post again.
	}
	var got posted
	if p.Unknown > 0 && a.now().Sub(p.At) > nonceWindow {
		var err error
		if got, err = a.find(ctx, channel, p); err != nil {
			return "", err
		}
	}
	if got.ID == "" {
		var err error
		body.Nonce, body.Enforce, body.Reference = p.Nonce, true, replyTo(p.Key, p.ReplyTo)
		if got, err = a.create(ctx, channel, body, p.Files); err != nil {
			return "", err
		}
	}
	id := got.ID.shown()
	if id != "" && got.Content != unreadable && string(got.Content) != body.Content && len(p.Files) == 0 &&
		strings.TrimSpace(string(got.Content)) != strings.TrimSpace(body.Content) {
		body.Nonce, body.Enforce, body.Reference = "", false, nil
		return id, repeatable(a.call(ctx, http.MethodPatch, path+"/"+id, channel, body, nil))
	}
	return id, nil
}

// repeatable makes an edit without an answer an ordinary failure: it can be repeated.
func repeatable(err error) error {
	if errors.Is(err, chat.ErrUnknownOutcome) {
		return fmt.Errorf("discord: edit: %v", err)
	}
	return err
}

// Bounds of looking for a message of ours.
const (
	findPages = 5
	findSlack = 2 * time.Second // of the clocks
	maxNonces = 1000
)

// find looks for a part in the history after its nonce has expired. It ignores messages
// older than the part, however similar, and those known to be other parts.
func (a *Adapter) find(ctx context.Context, channel string, p chat.Part) (posted, error) {
	after := idAt(p.At.Add(a.ahead() - findSlack))
	for range findPages {
		var list []posted
		path := fmt.Sprintf("/channels/%s/messages?after=%s&limit=%d", channel, after, catchUpPage)
		if err := a.call(ctx, http.MethodGet, path, channel, nil, &list); err != nil {
			return posted{}, repeatable(err)
		}
		for _, m := range slices.Backward(list) { // newest first as they come
			if isID(m.ID) && newerID(string(m.ID), after) != after && a.isPart(m, p) {
				return m, nil
			}
		}
		if len(list) < catchUpPage {
			break
		}
		after = string(list[0].ID)
	}
	return posted{}, nil
}

// ahead returns how far Discord's clock is ahead of ours; 0 if that is negligible.
func (a *Adapter) ahead() time.Duration {
	if d := time.Duration(a.skew.Load()); d.Abs() > findSlack {
		return d
	}
	return 0
}

// isPart reports whether a message is a part that was posted before.
func (a *Adapter) isPart(m posted, p chat.Part) bool {
	nonce, accounted := a.nonces.Get(string(m.ID))
	switch {
	case string(m.Author.ID) != a.myID():
		return false
	case accounted:
		return nonce == p.Nonce
	case m.Nonce.shown() != "":
		return string(m.Nonce) == p.Nonce
	case isID(m.Reference.MessageID) && string(m.Reference.MessageID) != p.ReplyTo:
		return false // it answers something else
	}
	return strings.TrimSpace(m.Content.shown()) == strings.TrimSpace(p.Text)
}

// Idempotent implements chat.Repeater: a part is shown once, within the
// nonce's time by the nonce, later by the history. Follow-ups have neither.
func (a *Adapter) Idempotent(p chat.Part) bool {
	if o, ok := a.way(p.Origin); ok && (p.Private || !o.Pressed) {
		return p.Index == 0 && !o.Pressed
	}
	return true
}

// attach adds files to a body, as multipart where there are any.
func attach(body payload, files []chat.File) any {
	if len(files) == 0 {
		return body
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormField("payload_json") // a buffer takes everything
	_ = json.NewEncoder(part).Encode(body)
	for i, f := range files {
		part, _ := w.CreateFormFile(fmt.Sprintf("files[%d]", i), f.Name)
		_, _ = part.Write(f.Data)
	}
	_ = w.Close()
	return upload{body: b.Bytes(), contentType: w.FormDataContentType()}
}
