package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/bwmarrin/discordgo"

	"parley/internal/chat"
)

// event takes every gateway event, in order, on the connection's read loop. It must
// not block, write to the gateway or panic.
func (c *connection) event(e *discordgo.Event) {
	a := c.a
	defer func() {
		if p := recover(); p != nil {
			a.o.Log.Error("discord: panic in an event", "type", e.Type, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	c.heard.Add(1)
	switch e.Type {
	case "READY":
		c.begin(e)
	case "RESUMED":
		a.progress.answered()
		c.settled()
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "INTERACTION_CREATE":
		a.arrive(c.ctx, e)
	default:
		a.learnFrom(c.ctx, e)
	}
	a.progress.alive(e.Sequence, a.now())
	a.wake()
}

// wake makes the store note how far the session has come.
func (sh *shard) wake() {
	select {
	case sh.noted <- struct{}{}:
	default:
	}
}

// arrive puts an event into its channel's lane.
func (sh *shard) arrive(ctx context.Context, e *discordgo.Event) {
	var at wireAddress
	_ = decode(e.RawData, &at) // judged in the lane
	item := event{kind: e.Type, raw: e.RawData, ticket: sh.progress.begin(e.Sequence)}
	if e.Type == "INTERACTION_CREATE" {
		var i wireInteraction
		_ = decode(e.RawData, &i) // judged there
		if item.made = sh.interaction(&i); item.made == nil && isID(i.ID) && i.person() != nil {
			sh.progress.done(item.ticket)
			return // of no interest
		}
	}
	sh.enter(ctx, string(at.ChannelID), item)
}

// begin notes a new session, and asks for the history of everything said since the last
// one.
func (c *connection) begin(e *discordgo.Event) {
	a := c.a
	var r wireReady
	if err := decode(e.RawData, &r); err != nil || !isID(r.User.ID) {
		a.o.Log.Error("discord: READY without a user", "err", err)
		return
	}
	note := resumable{ID: r.SessionID.shown(), Seq: e.Sequence, Self: string(r.User.ID), App: string(r.User.ID),
		Name: r.User.Username.shown(), At: a.now()}
	if isID(r.Application.ID) {
		note.App = string(r.Application.ID)
	}
	since := a.progress.fresh(note)
	expected := map[string]bool{}
	for _, g := range r.Guilds {
		expected[string(g.ID)] = true
	}
	channels := append(a.lanes.waiting(), a.begin(since, expected)...)
	a.introduce(note)
	for _, channel := range slices.DeleteFunc(channels, func(one string) bool { return !a.mine(one) }) {
		a.enter(c.ctx, channel, event{ticket: a.progress.begin(0)})
	}
	a.progress.planned()
	c.settled()
}

// understand turns an event into messages or a dead letter; either way, later
// events continue.
func (sh *shard) understand(ctx context.Context, channel string, e event) (item arrival) {
	item.ticket = e.ticket
	defer func() {
		if p := recover(); p != nil {
			sh.o.Log.Error("discord: panic in an event", "type", e.kind, "panic", p, "stack", string(debug.Stack()))
			item.messages, item.dead = nil, sh.letter(e, "it made Parley stumble; please report it")
		}
	}()
	var reason string
	switch e.kind {
	case "INTERACTION_CREATE":
		if reason = "an interaction without an id or an author"; e.made != nil {
			reason = unaddressed(channel)
		}
		if reason == "" {
			e.made.Key = sh.key(ctx, channel, e.made.Guild)
			item.messages = []chat.Message{*e.made}
		}
	case "GUILD_CREATE":
		e.made.Key = sh.key(ctx, channel, e.made.Guild)
		item.messages = []chat.Message{*e.made}
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		item.messages, reason = sh.deleted(ctx, e.raw)
	default:
		var m wireMessage
		if err := decode(e.raw, &m); err != nil {
			reason = "not readable as JSON"
			break
		}
		kind := chat.KindText
		if e.kind == "MESSAGE_UPDATE" {
			kind = chat.KindEdit
		} else if isID(m.ID) && isID(m.ChannelID) {
			sh.reached(channel, string(m.ID))
		}
		var out *chat.Message
		if out, reason = sh.message(ctx, &m, kind); out != nil {
			item.messages = []chat.Message{*out}
		}
	}
	if reason != "" {
		item.dead = sh.letter(e, reason)
	}
	for i := range item.messages {
		item.messages[i].Raw = e.whole()
	}
	return item
}

func unaddressed(channel string) string {
	if isID(plain(channel)) {
		return ""
	}
	return "it does not say in which channel it happened"
}

// letter puts an event aside.
func (sh *shard) letter(e event, reason string) *chat.DeadLetter {
	sh.o.Log.Warn("discord: an event is put aside", "type", e.kind, "reason", reason)
	var at wireAddress
	_ = decode(e.raw, &at) // an event without an id is named by where it stood
	id := fmt.Sprintf("%s:%s", e.kind, at.ID)
	if !isID(at.ID) {
		id = fmt.Sprintf("%s:%s:%d", e.kind, sh.progress.id(), e.ticket.seq)
	}
	return &chat.DeadLetter{ID: id, Raw: e.whole(), Reason: "Discord: " + reason}
}

// deleted makes a message for each message that was deleted.
func (a *Adapter) deleted(ctx context.Context, raw json.RawMessage) (list []chat.Message, reason string) {
	var at wireAddress
	if err := decode(raw, &at); err != nil || !isID(at.ChannelID) || at.GuildID == unreadable {
		return nil, "a deletion without a channel"
	}
	key := a.key(ctx, string(at.ChannelID), string(at.GuildID))
	for _, id := range append(at.IDs, at.ID) {
		if isID(id) {
			where := key
			if a.branched(key, string(id)) {
				where.Thread = string(id)
			}
			list = append(list, chat.Message{
				ID: string(id) + "@deleted", Key: where, Kind: chat.KindDeleted, ReplyTo: string(id),
				Direct: at.GuildID == "", Guild: string(at.GuildID), At: a.now(),
			})
		}
	}
	if len(list) == 0 {
		return nil, "a deletion without an id"
	}
	return list, ""
}

// discordEpoch is the zero of snowflake ids, in Unix milliseconds.
const discordEpoch = 1420070400000

// whole returns an event with its kind, as it is put aside.
func (e event) whole() []byte {
	b, _ := json.Marshal(wholeEvent{e.kind, e.raw}) // it was read as JSON
	return b
}

type wholeEvent struct {
	Kind string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// maxRenormalize bounds what Discord may be asked about an old event.
const maxRenormalize = 4 * lookup

// Renormalize implements chat.Renormalizer.
func (a *Adapter) Renormalize(raw []byte) ([]chat.Message, error) {
	select {
	case <-a.known:
	default:
		return nil, chat.ErrNotReady
	}
	var e wholeEvent
	if err := json.Unmarshal(raw, &e); err != nil || e.Kind == "" {
		return nil, errors.New("not an event of Discord as a whole")
	}
	if e.Kind == "INTERACTION_CREATE" {
		return nil, errors.New("a command or a button can be answered for a few minutes only; use it again")
	}
	var at wireAddress
	_ = decode(e.Data, &at) // judged below
	ctx, cancel := context.WithTimeout(context.Background(), maxRenormalize)
	defer cancel()
	item := newShard(a, 0, 1).understand(ctx, string(at.ChannelID), event{kind: e.Kind, raw: e.Data})
	if item.dead != nil {
		return nil, errors.New(item.dead.Reason)
	}
	return item.messages, nil
}
