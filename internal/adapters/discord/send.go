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

	"parley/internal/chat"
	"parley/internal/text"
)

// Numbers of platforms.md A2.
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
	return chat.Split(text, func(piece string) bool { return len(piece) <= maxContent || units(piece) <= maxContent })
}

func units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// payload is a message as it is posted. Nobody is ever pinged: allowed_mentions
// is on every post and every edit, because an edit without it parses anew.
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
	Components []component `json:"components,omitempty"`
}

// choice is a line of a menu.
type choice struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// posted is what Discord says of a message.
type posted struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Author  struct {
		ID string `json:"id"`
	} `json:"author"`
}

func compose(text string, buttons [][]chat.Button) payload {
	p := payload{Content: text, Mentions: allowed{Parse: []string{}}, Flags: suppressEmbeds}
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

// menu is a list too long for buttons.
func menu(buttons [][]chat.Button) component {
	c := component{Type: selectMenu, CustomID: "menu"}
	for _, b := range slices.Concat(buttons...) {
		if len(c.Options) < maxChoices {
			c.Options = append(c.Options, choice{clip(b.Label, maxChoice), b.Data})
		}
	}
	return c
}

func clip(s string, n int) string {
	return text.Clip(s, n)
}

// origin is the way home of an interaction.
type origin struct {
	App   string    `json:"app"`
	Token string    `json:"token"`
	At    time.Time `json:"at"`
	// Pressed says that the original is not an answer but the message with the
	// buttons.
	Pressed bool `json:"pressed,omitempty"`
}

// home reads an Origin that is still good and waits for an answer.
func (a *Adapter) home(s string) (o origin, ok bool) {
	o, ok = a.way(s)
	return o, ok && !o.Pressed
}

// Typing implements chat.Outlet. An interaction shows by itself that an answer
// is being made.
func (a *Adapter) Typing(ctx context.Context, m chat.Message) error {
	channel := channelOf(m.Key)
	if o, ok := a.way(m.Origin); m.Origin != "" && !(ok && o.Pressed) {
		return nil
	}
	if d := a.hushed(channel); d > 0 {
		return &chat.WaitError{After: d, Err: errors.New("discord: rate limited")}
	}
	return a.call(ctx, http.MethodPost, "/channels/"+channel+"/typing", channel, nil, nil)
}

// Preview implements chat.Outlet.
func (a *Adapter) Preview(ctx context.Context, m chat.Message, id, text string) (string, time.Duration, error) {
	channel := channelOf(m.Key)
	if d := a.hushed(channel); d > 0 {
		return id, d, nil
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
	p.Reference = replyTo(m.ID)
	var got posted
	err := a.call(ctx, http.MethodPost, "/channels/"+channel+"/messages", channel, p, &got)
	return got.ID, previewEvery, err
}

func (o origin) path() string { return "/webhooks/" + o.App + "/" + o.Token }

func replyTo(id string) *reference {
	if id == "" || strings.Trim(id, "0123456789") != "" {
		return nil
	}
	return &reference{MessageID: id}
}

// Send implements chat.Outlet.
func (a *Adapter) Send(ctx context.Context, p chat.Part) (string, error) {
	if p.Private {
		return a.whisper(ctx, p)
	}
	channel, err := a.channelFor(ctx, p.Key)
	if err != nil {
		return "", final(err)
	}
	if d := a.hushed(channel); d > 0 {
		return "", &chat.WaitError{After: d, Err: errors.New("discord: rate limited")}
	}
	if o, ok := a.home(p.Origin); ok {
		id, err := a.sendHome(ctx, o, p)
		var e *restError
		if !errors.As(err, &e) {
			return id, err
		}
		// The interaction is gone (10015, 10062): the channel will do.
	}
	id, err := a.post(ctx, channel, p)
	var e *restError
	if errors.As(err, &e) && e.Code == 50083 { // the thread was archived meanwhile
		if err = a.call(ctx, http.MethodPatch, "/channels/"+channel, channel, map[string]bool{"archived": false}, nil); err == nil {
			id, err = a.post(ctx, channel, p)
		}
	}
	return id, final(err)
}

// final says that a definite no will stay one. A refused token may be replaced.
func final(err error) error {
	var e *restError
	if errors.As(err, &e) && e.Status != http.StatusUnauthorized {
		return &chat.GoneError{Err: err, Closed: closed(e)}
	}
	return err
}

// sendHome answers an interaction: the first part into the deferred answer,
// which may be repeated; others as follow-ups.
func (a *Adapter) sendHome(ctx context.Context, o origin, p chat.Part) (string, error) {
	body := compose(p.Text, p.Buttons)
	var got posted
	if p.Index == 0 {
		err := a.call(ctx, http.MethodPatch, o.path()+"/messages/"+original, "", attach(body, p.Files), &got)
		return got.ID, err
	}
	err := a.call(ctx, http.MethodPost, o.path()+"?wait=true", "", attach(body, p.Files), &got)
	return got.ID, err
}

// post writes a message, or turns a preview into it.
func (a *Adapter) post(ctx context.Context, channel string, p chat.Part) (string, error) {
	body := compose(p.Text, p.Buttons)
	path := "/channels/" + channel + "/messages"
	var got posted
	if p.Preview != "" && p.Preview != original {
		err := a.call(ctx, http.MethodPatch, path+"/"+p.Preview, channel, attach(body, p.Files), &got)
		var e *restError
		if !errors.As(err, &e) || e.Code != 10008 {
			return p.Preview, repeatable(err)
		}
		// Somebody deleted it: say it anew.
	}
	if p.Unknown > 0 && a.o.Now().Sub(p.At) > nonceWindow {
		if id, err := a.find(ctx, channel, p.Text); err != nil || id != "" {
			return id, err
		}
	}
	body.Nonce, body.Enforce, body.Reference = p.Nonce, true, replyTo(p.ReplyTo)
	if err := a.call(ctx, http.MethodPost, path, channel, attach(body, p.Files), &got); err != nil {
		return "", err
	}
	if got.Content != body.Content && got.ID != "" && len(p.Files) == 0 && strings.TrimSpace(got.Content) != strings.TrimSpace(body.Content) {
		body.Nonce, body.Enforce, body.Reference = "", false, nil
		return got.ID, repeatable(a.call(ctx, http.MethodPatch, path+"/"+got.ID, channel, body, nil))
	}
	return got.ID, nil
}

// repeatable makes an edit without an answer an ordinary failure: repeating it
// changes nothing.
func repeatable(err error) error {
	if errors.Is(err, chat.ErrUnknownOutcome) {
		return fmt.Errorf("discord: edit: %v", err)
	}
	return err
}

// find looks for a message of ours in the newest history, for when the nonce
// has been forgotten.
func (a *Adapter) find(ctx context.Context, channel, content string) (string, error) {
	var list []posted
	if err := a.call(ctx, http.MethodGet, "/channels/"+channel+"/messages?limit=50", channel, nil, &list); err != nil {
		return "", repeatable(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range list {
		if m.Author.ID == a.self && strings.TrimSpace(m.Content) == strings.TrimSpace(content) {
			return m.ID, nil
		}
	}
	return "", nil
}

// Idempotent tells the Hub that repeating a part shows it once: within the
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
