package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"maunium.net/go/mautrix/event"

	"parley/internal/chat"
	"parley/internal/text"
)

// wireEvent is an event as the server sends it.
type wireEvent struct {
	ID       string          `json:"event_id"`
	Type     string          `json:"type"`
	Sender   string          `json:"sender"`
	StateKey *string         `json:"state_key"`
	At       int64           `json:"origin_server_ts"`
	Content  json.RawMessage `json:"content"`
	Redacts  string          `json:"redacts"`
	Unsigned struct {
		Redacted json.RawMessage `json:"redacted_because"`
		Before   struct {
			Membership string `json:"membership"`
		} `json:"prev_content"`
	} `json:"unsigned"`

	raw []byte
}

// eventList is a list in which an event that cannot be read hides no other.
type eventList []wireEvent

// UnmarshalJSON implements json.Unmarshaler.
func (l *eventList) UnmarshalJSON(data []byte) error {
	var raws []json.RawMessage
	if err := json.Unmarshal(data, &raws); err != nil {
		return err
	}
	for _, raw := range raws {
		var e wireEvent
		if json.Unmarshal(raw, &e) != nil {
			e = wireEvent{}
		}
		e.raw = raw
		*l = append(*l, e)
	}
	return nil
}

type summary struct {
	Heroes  []string `json:"m.heroes"`
	Joined  *int     `json:"m.joined_member_count"`
	Invited *int     `json:"m.invited_member_count"`
}

type eventsOf struct {
	Events eventList `json:"events"`
}

type timeline struct {
	Events  eventList `json:"events"`
	Limited bool      `json:"limited"`
	Before  string    `json:"prev_batch"`
}

type joinedRoom struct {
	Summary  summary  `json:"summary"`
	State    eventsOf `json:"state"`
	Timeline timeline `json:"timeline"`
}

// syncReply is an answer to /sync.
type syncReply struct {
	Next    string   `json:"next_batch"`
	Account eventsOf `json:"account_data"`
	Rooms   struct {
		Join   map[string]joinedRoom `json:"join"`
		Invite map[string]struct {
			State eventsOf `json:"invite_state"`
		} `json:"invite"`
		Leave map[string]struct {
			Timeline timeline `json:"timeline"`
		} `json:"leave"`
	} `json:"rooms"`
}

// syncQuery is one request of it.
type syncQuery struct {
	since    string
	wait     time.Duration
	describe bool // all rooms, without what was said
}

// syncLimit is how many events of a room one sync brings; more are fetched.
const syncLimit = 100

// filter asks for what we read, and of members only for those who speak.
func filter(limit int) string {
	none := map[string]any{"types": []string{}}
	f, _ := json.Marshal(map[string]any{ // plain data
		"presence": none, "account_data": map[string]any{"types": []string{event.AccountDataDirectChats.Type}},
		"room": map[string]any{
			"ephemeral": none, "account_data": none, "timeline": map[string]any{"limit": limit, "lazy_load_members": true},
			"state": map[string]any{"lazy_load_members": true, "types": []string{
				event.StateRoomName.Type, event.StateCanonicalAlias.Type, event.StateJoinRules.Type, event.StateHistoryVisibility.Type,
				event.StateEncryption.Type, event.StateTombstone.Type, event.StateMember.Type,
			}},
		},
	})
	return string(f)
}

// sync makes one request.
func (a *Adapter) sync(ctx context.Context, q syncQuery) (*syncReply, error) {
	v := url.Values{"timeout": {strconv.FormatInt(q.wait.Milliseconds(), 10)}, "filter": {filter(syncLimit)}, "set_presence": {"online"}}
	limit := q.wait + a.o.Timing.Send
	if q.describe {
		v.Set("filter", filter(1))
		// Servers answer the same request with what they said minutes ago.
		v.Set("timeout", strconv.FormatInt(1+a.now().UnixNano()%1_000_000_000, 10))
		limit = a.o.Timing.First
	}
	if q.since != "" {
		v.Set("since", q.since)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer, err := a.exchange(ctx, http.MethodGet, "/_matrix/client/v3/sync?"+v.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r := &syncReply{}
	if err := json.Unmarshal(answer, r); err != nil || r.Next == "" {
		return nil, text.Tell("the Matrix server answers a sync with something else")
	}
	return r, nil
}

// cursor is the name of the note on how far we have read; another account begins anew.
func (a *Adapter) cursor() string { return "since " + a.self() }

// receive makes one sync and stores what it brings. now is where to begin when nothing was
// read before.
func (a *Adapter) receive(ctx context.Context, in chat.Intake, now string) error {
	if err := in.Room(ctx); err != nil {
		return fmt.Errorf("wait for room: %w", err)
	}
	notes, err := in.Cursors(ctx, Platform)
	if err != nil {
		return fmt.Errorf("where reading ended: %w", err)
	}
	since := notes[a.cursor()]
	if since == "" {
		return a.begin(ctx, in, now)
	}
	q := syncQuery{since: since, wait: a.o.Timing.Poll}
	if a.Health() != nil {
		q.wait = 0 // so that Health recovers soon
	}
	r, err := a.sync(ctx, q)
	if statusOf(err) == http.StatusBadRequest {
		a.log.Error("matrix: the server does not know how far we have read, what was said since is lost", "error", err)
		return a.begin(ctx, in, now)
	}
	if err != nil {
		return err
	}
	if a.strange(r) {
		if _, err := a.learn(ctx); err != nil {
			return err
		}
	}
	b, read, err := a.batch(ctx, r, notes)
	if err != nil {
		return err
	}
	if r.Next != since || len(b.Messages)+len(b.Dead)+len(b.Present)+len(b.Moved) > 0 {
		b.Cursors[a.cursor()] = r.Next
		if err := in.Deliver(ctx, b); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	a.health.received(a.now(), a.log)
	a.errand.read(read)
	a.invited(r)
	return nil
}

// strange reports whether a sync goes on about a room that nobody described to us.
func (a *Adapter) strange(r *syncReply) bool {
	for id, j := range r.Rooms.Join {
		if !a.rooms.known(id) && j.Summary.Joined == nil {
			return true
		}
	}
	return false
}

// begin notes where reading begins.
func (a *Adapter) begin(ctx context.Context, in chat.Intake, now string) error {
	err := in.Deliver(ctx, chat.Batch{Platform: Platform, Cursors: map[string]string{a.cursor(): now}})
	if err != nil {
		return fmt.Errorf("note where reading begins: %w", err)
	}
	a.health.received(a.now(), a.log)
	return nil
}

// batch normalizes a sync. read has the last event of each room in it.
func (a *Adapter) batch(ctx context.Context, r *syncReply, notes map[string]string) (b chat.Batch, read map[string]string, err error) {
	b = chat.Batch{Platform: Platform, Cursors: map[string]string{}}
	read = map[string]string{}
	a.rooms.absorb(r)
	for _, id := range slices.Sorted(maps.Keys(r.Rooms.Join)) {
		events, err := a.whole(ctx, id, r.Rooms.Join[id].Timeline, notes[a.cursor()])
		if err != nil {
			return b, nil, fmt.Errorf("fill a gap: %w", err)
		}
		for i := range events {
			if err := a.event(ctx, id, &events[i], &b); err != nil {
				return b, nil, err
			}
			if events[i].StateKey == nil && events[i].Sender != a.self() && events[i].ID != "" {
				read[id] = events[i].ID
			}
		}
		a.unreadable(ctx, id, notes, &b)
	}
	for _, id := range slices.Sorted(maps.Keys(r.Rooms.Leave)) {
		if notes[a.cursor()] != "" {
			b.Present = append(b.Present, chat.Presence{Key: place(id, ""), State: chat.Absent})
		}
	}
	return b, read, nil
}

// maxGap bounds what is fetched of one room's gap, in events.
const maxGap = 20_000

// maxBefore bounds how far back we look for the invitation to a room, in pages.
const maxBefore = 3

// whole returns what was said in a room since a sync: its timeline, and before it what the
// server left out. In a room that we have just joined it begins where we were invited.
func (a *Adapter) whole(ctx context.Context, id string, t timeline, since string) (events []wireEvent, err error) {
	events = t.Events
	before := 0
	for from := t.Before; t.Limited && from != ""; {
		v := url.Values{"dir": {"b"}, "from": {from}, "to": {since}, "limit": {"100"}}
		if a.joinedAt(events) >= 0 { // what the last sync brought ended before we were there
			v.Del("to")
			if before++; a.entry(events) < a.joinedAt(events) || before > maxBefore {
				break
			}
		}
		var page struct {
			Events eventList `json:"chunk"`
			End    string    `json:"end"`
		}
		err := a.call(ctx, http.MethodGet, "/v3/rooms/"+esc(id)+"/messages?"+v.Encode(), nil, &page)
		if statusOf(err) == http.StatusForbidden || statusOf(err) == http.StatusNotFound {
			break // we have left
		}
		if err != nil {
			return nil, err
		}
		slices.Reverse(page.Events)
		events = append(slices.Clone([]wireEvent(page.Events)), events...)
		if page.End == "" || page.End == from || len(page.Events) == 0 {
			break
		}
		if len(events) > maxGap {
			a.log.Error("matrix: a gap is too long, its beginning is lost", "room", id, "events", len(events))
			break
		}
		from = page.End
	}
	at := a.entry(events)
	for i := range events[:at] { // what was said before is not ours to read, but the room is as it became
		a.rooms.note(id, &events[i])
	}
	return events[at:], nil
}

// joinedAt returns where we came into a room, -1 if we were in it.
func (a *Adapter) joinedAt(events []wireEvent) int {
	for i := len(events) - 1; i >= 0; i-- {
		if e := &events[i]; a.ours(e) == "join" && e.Unsigned.Before.Membership != "join" {
			return i
		}
	}
	return -1
}

// entry returns from which event on a room is ours to read: from the invitation on, which
// people write behind.
func (a *Adapter) entry(events []wireEvent) int {
	at := a.joinedAt(events)
	for i := at - 1; i >= 0; i-- {
		if e := &events[i]; a.ours(e) != "" {
			if a.ours(e) == "invite" {
				return i + 1
			}
			break
		}
	}
	return max(at, 0)
}

// ours returns our membership after an event that is about it, "" for any other event.
func (a *Adapter) ours(e *wireEvent) string {
	if e.Type != event.StateMember.Type || e.StateKey == nil || *e.StateKey != a.self() {
		return ""
	}
	var c struct {
		Membership string `json:"membership"`
	}
	_ = json.Unmarshal(e.Content, &c) // the server made it
	return c.Membership
}
