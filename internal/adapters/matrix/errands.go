package matrix

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"sync"
	"time"

	"maunium.net/go/mautrix/event"

	"parley/internal/chat"
)

// errands are what is done beside receiving: invitations and receipts. What fails is done later.
type errands struct {
	wake chan struct{} // holds one token when there is something to do

	mu       sync.Mutex // guards the rest
	invites  map[string]invitation
	inviters map[string]chat.User // of rooms, until it was told that we are in them
	receipts map[string]string    // the last event that was read, by room
}

type invitation struct {
	by     chat.User
	direct bool
	title  string
}

func (e *errands) poke() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// read notes what was read and is stored.
func (e *errands) read(last map[string]string) {
	if len(last) == 0 {
		return
	}
	e.mu.Lock()
	if e.receipts == nil {
		e.receipts = map[string]string{}
	}
	maps.Copy(e.receipts, last)
	e.mu.Unlock()
	e.poke()
}

// inviter returns who invited us to a room that we are in now.
func (e *errands) inviter(room string) (chat.User, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	by, ok := e.inviters[room]
	return by, ok
}

// invited notes the invitations of a sync.
func (a *Adapter) invited(r *syncReply) {
	if len(r.Rooms.Invite) == 0 {
		return
	}
	e := &a.errand
	e.mu.Lock()
	if e.invites == nil {
		e.invites, e.inviters = map[string]invitation{}, map[string]chat.User{}
	}
	for room, one := range r.Rooms.Invite {
		e.invites[room] = a.invitation(one.State.Events)
	}
	e.mu.Unlock()
	e.poke()
}

func (a *Adapter) invitation(state eventList) (inv invitation) {
	names := map[string]string{}
	for i := range state {
		var c struct {
			Direct bool   `json:"is_direct"`
			Name   string `json:"name"`
			Shown  string `json:"displayname"`
		}
		one := &state[i]
		_ = json.Unmarshal(one.Content, &c) // what others wrote; what does not fit is left out
		switch {
		case a.ours(one) == "invite":
			inv.by, inv.direct = user(one.Sender, ""), c.Direct
		case one.Type == event.StateMember.Type && one.StateKey != nil:
			names[*one.StateKey] = c.Shown
		case one.Type == event.StateRoomName.Type:
			inv.title = c.Name
		}
	}
	if name := names[inv.by.ID[min(len(Platform)+1, len(inv.by.ID)):]]; name != "" {
		inv.by.Name = name
	}
	return inv
}

// errandPause is how long errands rest after one that failed.
const errandPause = 2 * time.Second

// runErrands does what comes until ctx ends.
func (a *Adapter) runErrands(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.errand.wake:
		}
		if err := a.doErrands(ctx); err != nil {
			a.log.Debug("matrix: an errand is put off", "error", err)
			if !chat.Sleep(ctx, max(errandPause, waitOf(err))) {
				return
			}
			a.errand.poke()
		}
	}
}

func (a *Adapter) doErrands(ctx context.Context) (failed error) {
	e := &a.errand
	e.mu.Lock()
	invites, receipts := maps.Clone(e.invites), e.receipts
	e.receipts = nil
	e.mu.Unlock()
	for room, inv := range invites {
		if err := a.answerInvite(ctx, room, inv); err != nil && statusOf(err) == 0 {
			failed = err
			continue
		}
		e.mu.Lock()
		delete(e.invites, room)
		e.mu.Unlock()
	}
	for room, last := range receipts { // the next one says more than one that failed
		err := a.call(ctx, http.MethodPost, "/v3/rooms/"+esc(room)+"/receipt/m.read/"+esc(last), struct{}{}, nil)
		if err != nil {
			a.log.Debug("matrix: receipt", "error", err)
		}
	}
	return failed
}

// answerInvite joins where anybody may talk with us alone, or who invites was let in; other
// invitations are declined.
func (a *Adapter) answerInvite(ctx context.Context, room string, inv invitation) error {
	m := chat.Message{ID: room, Key: place(room, ""), From: inv.by, Direct: inv.direct, Title: inv.title, At: a.now()}
	if !inv.direct && a.o.Welcome != nil && !a.o.Welcome(ctx, m) {
		a.log.Info("matrix: an invitation is declined", "room", room, "by", inv.by.ID)
		return a.call(ctx, http.MethodPost, "/v3/rooms/"+esc(room)+"/leave", struct{}{}, nil)
	}
	a.errand.mu.Lock()
	a.errand.inviters[room] = inv.by
	a.errand.mu.Unlock()
	_, person := chat.CutID(inv.by.ID)
	if err := a.join(ctx, room, serverOf(person)); err != nil {
		a.log.Warn("matrix: cannot join", "room", room, "error", err)
		return err
	}
	if inv.direct {
		return a.remember(ctx, person, room)
	}
	return nil
}
