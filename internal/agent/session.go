package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/playbook"
)

// open returns the session m belongs to: the live one, or a new one that carries the last
// summary. One whose time has passed is ended first. Idle and suspended sessions wake with
// the turn's record.
func (a *Agent) open(ctx context.Context, m chat.Message) (memory.Session, error) {
	p := a.place(m)
	se, ok, err := a.o.Store.Sessions.LiveSession(ctx, p)
	if err != nil {
		return se, err
	}
	if ok && a.o.Now().Before(se.Expires) {
		return se, nil
	}
	if ok {
		// The store's clock has the last word: a session that it keeps alive
		// is still the one of this place.
		ended, err := a.end(ctx, se.ID, memory.Expired, true)
		if err != nil || !ended {
			return se, err
		}
	}
	if se, err = a.o.Store.Sessions.NewSession(ctx, p, !a.o.DropSummaries); err != nil {
		return se, err
	}
	return a.succeed(ctx, se)
}

// succeed has a new session know whose journeys expired with the one before.
func (a *Agent) succeed(ctx context.Context, se memory.Session) (memory.Session, error) {
	book := a.o.Book()
	if book == nil || se.CarriedFrom == "" {
		return se, nil
	}
	before, err := a.o.Store.Sessions.SessionByID(ctx, se.CarriedFrom)
	if errors.Is(err, memory.ErrNotFound) {
		return se, nil
	}
	if err != nil {
		return se, fmt.Errorf("read the session before: %w", err)
	}
	if before.Playbook != "" {
		se.Playbook = string(book.Succeed(json.RawMessage(before.Playbook), a.o.Now()))
	}
	return se, nil
}

// ahead is what Ahead read for a turn.
type ahead struct {
	place   memory.Place
	stay    int64 // of its conversation, see lanes.Owned.Stay
	session memory.Session
	window  []memory.Entry
}

// Ahead reads the conversation that m continues, for chat.HubOptions.Ahead; nil if there is
// none, or it cannot be read now.
func (a *Agent) Ahead(ctx context.Context, m chat.Message) any {
	r := ahead{place: a.place(m), stay: a.o.Store.Lanes.Stay(m.Key)}
	if r.stay == 0 {
		return nil // another process may be writing there
	}
	var ok bool
	var err error
	if r.session, ok, r.window, err = a.o.Store.Continued(ctx, r.place, a.o.MaxMessages); err != nil || !ok {
		return nil
	}
	return r
}

// overheardRoom is how many times MaxMessages are read where much was overheard.
const overheardRoom = 10

// window returns what was said last. Of what was only overheard it has the newest History
// messages, and that takes no room from what was said with the bot.
func (a *Agent) window(ctx context.Context, se memory.Session) ([]memory.Entry, error) {
	all, err := a.o.Store.Window(ctx, se.ID, se.SummarizedAt, a.o.MaxMessages)
	if err != nil || !slices.ContainsFunc(all, memory.Entry.Overheard) {
		return all, err
	}
	if len(all) == a.o.MaxMessages {
		if all, err = a.o.Store.Transcript(ctx, se.ID, se.SummarizedAt, overheardRoom*a.o.MaxMessages); err != nil {
			return nil, err
		}
	}
	var kept []memory.Entry
	heard := 0
	for _, e := range slices.Backward(all) {
		if e.Overheard() {
			heard++
		}
		if (!e.Overheard() || heard <= a.o.History) && len(kept) < a.o.MaxMessages {
			kept = append(kept, e)
		}
	}
	slices.Reverse(kept)
	return kept, nil
}

// dialogue is Transcript without what was only overheard: summaries leave that out, so that
// listening costs no model call. Recall finds it.
func (a *Agent) dialogue(ctx context.Context, session string, after int64, limit int) ([]memory.Entry, error) {
	all, err := a.o.Store.Transcript(ctx, session, after, limit)
	return withoutOverheard(all), err
}

func withoutOverheard(entries []memory.Entry) []memory.Entry {
	if !slices.ContainsFunc(entries, memory.Entry.Overheard) {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), memory.Entry.Overheard)
}

// earlier opens the session of the turn, and returns what was said there before.
func (b *background) earlier(ctx context.Context) (entries []memory.Entry, err error) {
	if r, ok := chat.Ahead(ctx).(ahead); ok && r.place == b.a.place(b.m) && r.stay == b.a.o.Store.Lanes.Stay(b.m.Key) &&
		b.a.o.Now().Before(r.session.Expires) {
		b.session = r.session
		return r.window, nil
	}
	if b.session, err = b.a.open(ctx, b.m); err != nil {
		return nil, err
	}
	return b.a.window(ctx, b.session)
}

// Session returns the session m belongs to, as Handle would open it. A new one is not
// stored. Call it in the conversation's lane.
func (a *Agent) Session(ctx context.Context, m chat.Message) (memory.Session, error) {
	se, err := a.open(ctx, m)
	if se.LastActivity.IsZero() {
		se.LastActivity, se.Expires, se.Direct = se.Created, se.Created.Add(a.o.TTL()), m.Direct
	}
	return se, err
}

// Expire ends a session after silence, unless a message came first. Call it in the session's
// lane.
func (a *Agent) Expire(ctx context.Context, id string) error {
	_, err := a.end(ctx, id, memory.Expired, true)
	return err
}

// End ends a session on request; without carry the next one starts without its summary. ok
// is false if the session was over already. Call it in the session's lane.
func (a *Agent) End(ctx context.Context, id string, carry bool) (ok bool, err error) {
	return a.end(ctx, id, memory.Completed, carry)
}

func (a *Agent) end(ctx context.Context, id string, to memory.Status, carry bool) (bool, error) {
	se, err := a.o.Store.Sessions.SessionByID(ctx, id)
	if err != nil {
		return false, fmt.Errorf("end session: %w", err)
	}
	if to == memory.Expired && a.o.Now().Before(se.Expires) {
		return false, nil // a message came first: its journey goes on, too
	}
	entries, err := a.dialogue(ctx, id, se.SummarizedAt, a.o.MaxMessages)
	if err != nil {
		return false, fmt.Errorf("end session: %w", err)
	}
	if book := a.o.Book(); book != nil && se.Playbook != "" {
		if st, err := book.Abandon(playbook.State{Session: json.RawMessage(se.Playbook)}, a.o.Now()); err == nil {
			se.Playbook = string(st.Session)
			if err := a.o.Store.Sessions.SaveSession(ctx, se); err != nil && !errors.Is(err, memory.ErrOutdated) {
				return false, err
			}
		}
	}
	return a.o.Store.Sessions.EndSession(ctx, se, to, a.digested(se, entries), carry)
}

// RuleSwitches returns the guidelines turned on or off from the chat; nil is none.
func (a *Agent) RuleSwitches(ctx context.Context) (map[string]bool, error) {
	v, err := a.o.Store.Settings.Setting(ctx, a.o.Switches)
	if err != nil || v == "" {
		return nil, err
	}
	var on map[string]bool
	return on, json.Unmarshal([]byte(v), &on)
}

// SwitchRule turns a guideline on or off for everybody, whatever its file says.
func (a *Agent) SwitchRule(ctx context.Context, id string, on bool) error {
	all, err := a.RuleSwitches(ctx)
	if err != nil {
		return err
	}
	if all == nil {
		all = map[string]bool{}
	}
	all[id] = on
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return a.o.Store.Settings.SetSetting(ctx, a.o.Switches, string(b))
}
