package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"maunium.net/go/mautrix/event"

	"parley/internal/chat"
)

// stateChanged adds what a state event means to a batch.
func (a *Adapter) stateChanged(ctx context.Context, room string, e *wireEvent, b *chat.Batch) {
	switch {
	case a.ours(e) == "join" && e.Unsigned.Before.Membership != "join":
		if a.rooms.peer(room) == "" {
			b.Messages = append(b.Messages, a.added(room, e))
		}
	case a.ours(e) != "":
	case e.Type == event.StateMember.Type:
		b.Present = append(b.Present, a.presence(room, e))
	case e.Type == event.StateTombstone.Type:
		if to := a.successor(ctx, room); to != "" {
			b.Moved = append(b.Moved, chat.Move{From: place(room, ""), To: place(to, "")})
		}
	}
}

func (a *Adapter) added(in string, e *wireEvent) chat.Message {
	m := a.base(in, "", e)
	m.Kind, m.From, m.Direct, m.Key = chat.KindAdded, chat.User{}, false, place(in, "")
	if by, ok := a.errand.inviter(in); ok {
		m.From = by
	}
	a.rooms.with(in, func(r *room) {
		if r != nil {
			m.Title = r.called()
		}
	})
	return *m
}

func (a *Adapter) presence(room string, e *wireEvent) chat.Presence {
	var c struct {
		Membership string `json:"membership"`
		Name       string `json:"displayname"`
	}
	_ = json.Unmarshal(e.Content, &c) // the server made it
	p := chat.Presence{Key: place(room, ""), User: user(*e.StateKey, c.Name), State: chat.Absent}
	if c.Membership == "join" {
		p.State = chat.Present
		if e.Unsigned.Before.Membership != "join" {
			p.Joined = a.when(e)
		}
	}
	return p
}

// successor returns the room that an upgraded room became, "" for none. Both must say so: one
// alone could lead a conversation to strangers.
func (a *Adapter) successor(ctx context.Context, old string) string {
	var stone struct {
		To string `json:"replacement_room"`
	}
	if a.state(ctx, old, event.StateTombstone.Type, "", &stone) != nil || !Identity.Place("chat:"+stone.To) {
		return ""
	}
	if !a.rooms.known(stone.To) {
		if err := a.join(ctx, stone.To, serverOf(old)); err != nil {
			a.log.Warn("matrix: cannot follow an upgraded room", "room", old, "to", stone.To, "error", err)
			return ""
		}
	}
	var created struct {
		Before struct {
			Room string `json:"room_id"`
		} `json:"predecessor"`
	}
	if err := a.state(ctx, stone.To, event.StateCreate.Type, "", &created); err != nil || created.Before.Room != old {
		a.log.Warn("matrix: a room names a successor that does not name it", "room", old, "to", stone.To, "error", err)
		return ""
	}
	return stone.To
}

func serverOf(room string) string {
	_, server, _ := strings.Cut(room, ":")
	return server
}

// state reads one piece of a room's state.
func (a *Adapter) state(ctx context.Context, room, kind, key string, into any) error {
	return a.call(ctx, http.MethodGet, "/v3/rooms/"+esc(room)+"/state/"+kind+"/"+esc(key), nil, into)
}

// join joins a room. It may be repeated.
func (a *Adapter) join(ctx context.Context, room, via string) error {
	path := "/v3/join/" + esc(room)
	if via != "" {
		path += "?via=" + esc(via) + "&server_name=" + esc(via)
	}
	return a.call(ctx, http.MethodPost, path, struct{}{}, nil)
}

var (
	_ chat.AdminChecker  = (*Adapter)(nil)
	_ chat.MemberChecker = (*Adapter)(nil)
	_ chat.Leaver        = (*Adapter)(nil)
)

// IsAdmin implements chat.AdminChecker: who may say who may do what.
func (a *Adapter) IsAdmin(ctx context.Context, k chat.Key, userID string) (bool, error) {
	platform, who := chat.CutID(userID)
	room := fromKey.Replace(k.Channel)
	if platform != Platform || !Identity.Person(who) || strings.HasPrefix(room, "@") {
		return false, nil
	}
	var levels struct {
		Users   map[string]json.Number `json:"users"`
		Default json.Number            `json:"users_default"`
		Events  map[string]json.Number `json:"events"`
		State   *json.Number           `json:"state_default"`
	}
	if err := a.state(ctx, room, event.StatePowerLevels.Type, "", &levels); err != nil {
		return false, fmt.Errorf("matrix: power levels: %w", err)
	}
	needs := level("50")
	if levels.State != nil {
		needs = level(*levels.State)
	}
	if n, ok := levels.Events[event.StatePowerLevels.Type]; ok {
		needs = level(n)
	}
	has := level(levels.Default)
	if n, ok := levels.Users[who]; ok {
		has = level(n)
	}
	if has >= needs && needs > 0 {
		return true, nil
	}
	return a.created(ctx, room, who)
}

func level(n json.Number) int64 {
	i, _ := strconv.ParseInt(string(n), 10, 64)
	return i
}

// created reports whether somebody made a room of a version whose makers may do anything.
func (a *Adapter) created(ctx context.Context, room, who string) (bool, error) {
	var c struct {
		Version string   `json:"room_version"`
		More    []string `json:"additional_creators"`
		Creator string   `json:"creator"` // of old versions only
	}
	if err := a.state(ctx, room, event.StateCreate.Type, "", &c); err != nil {
		return false, fmt.Errorf("matrix: who made the room: %w", err)
	}
	if version, _ := strconv.Atoi(c.Version); version < 12 {
		return false, nil
	}
	if slices.Contains(c.More, who) {
		return true, nil
	}
	var full struct {
		Sender string `json:"sender"`
	}
	err := a.call(ctx, http.MethodGet, "/v3/rooms/"+esc(room)+"/state/"+event.StateCreate.Type+"/?format=event", nil, &full)
	return err == nil && full.Sender == who, nil
}

// Reads implements chat.MemberChecker, for groups.
func (a *Adapter) Reads(ctx context.Context, k chat.Key, userID string) (bool, error) {
	platform, who := chat.CutID(userID)
	room := fromKey.Replace(k.Channel)
	if platform != Platform || !Identity.Person(who) || strings.HasPrefix(room, "@") {
		return false, errNotAGroup
	}
	var c struct {
		Membership string `json:"membership"`
	}
	err := a.state(ctx, room, event.StateMember.Type, who, &c)
	if statusOf(err) == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("matrix: membership: %w", err)
	}
	return c.Membership == "join", nil
}

// errNotAGroup: a direct chat has no members.
var errNotAGroup = errors.New("not a group")

// Leave implements chat.Leaver.
func (a *Adapter) Leave(ctx context.Context, where string) error {
	kind, room := chat.CutID(where)
	if kind != "chat" || !Identity.Place(where) {
		return errNotAGroup
	}
	if err := a.call(ctx, http.MethodPost, "/v3/rooms/"+esc(room)+"/leave", struct{}{}, nil); err != nil {
		return fmt.Errorf("leave: %w", err)
	}
	return nil
}

// unreadable says once, in a room whose messages are encrypted, that we cannot read them. The
// note on it is stored with the batch; the server takes the sentence once.
func (a *Adapter) unreadable(ctx context.Context, in string, notes map[string]string, b *chat.Batch) {
	note := "encrypted " + in
	encrypted, member := false, ""
	a.rooms.with(in, func(r *room) {
		if encrypted = r != nil && r.encrypted; encrypted && len(r.heroes) > 0 {
			member = Platform + ":" + r.heroes[0]
		}
	})
	if !encrypted || notes[note] != "" || a.o.Unread == nil {
		return
	}
	if _, err := a.put(ctx, in, "unread-"+strings.Trim(intoKey.Replace(in), "!"), compose(a.o.Unread(ctx, member), nil)); err != nil {
		a.log.Warn("matrix: cannot say that a room is not read", "room", in, "error", err)
		return
	}
	b.Cursors[note] = a.now().UTC().Format(time.DateOnly)
}
