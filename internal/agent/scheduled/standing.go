// Package scheduled asks scheduled questions: a reminder that is a question becomes a message
// of its author, answered in its lane like any other, with that person's rights and limits.
// If only changes are wanted, it first compares what the last answer rested on. It does not
// decide when a reminder is due.
package scheduled

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/provenance"
	"parley/internal/tools"
)

// Asker asks scheduled questions. All fields are required.
type Asker struct {
	Store *memory.Store
	// Deliver is the Hub's.
	Deliver func(ctx context.Context, b chat.Batch) error
	// Alone reports whether a place has one person in it.
	Alone func(k chat.Key) bool
	// Tools returns the tools of m's author in m's place.
	Tools  func(ctx context.Context, m chat.Message) (tools.Set, error)
	Agent  func(m chat.Message) chat.Agent // who answers m
	Runner func() *tools.Runner
	Now    func() time.Time
}

// message is a question as its author would write it now. It is the same for every
// attempt at one due time: the inbox takes it once.
func (a *Asker) message(r agenda.Reminder) chat.Message {
	m := chat.Message{
		ID: r.Named() + fmt.Sprint(r.Due.Unix()), Key: r.Key, From: r.User, Text: r.Text, At: a.Now(), Addressed: true, Unasked: true,
		Direct: a.Alone(r.Key), Guild: r.Guild, Shared: r.Origin.Outside(r.User.ID),
	}
	m.Agent = a.Agent(m)
	return m
}

// Elsewhere reports whether a question's place was given to another agent than the one that
// was to answer it.
func (a *Asker) Elsewhere(r agenda.Reminder) bool { return a.message(r).Agent.ID != r.Agent }

// Ask asks a due question, unless nothing has changed. later is true if it must wait, because
// people are answering its author there.
func (a *Asker) Ask(ctx context.Context, r agenda.Reminder) (later bool, err error) {
	if _, open, err := a.Store.Handoffs.In(ctx, r.Key, r.User.ID); err != nil || open {
		return open, err
	}
	m := a.message(r)
	if r.OnlyChanged && r.Seen != "" {
		now, known, err := a.rests(ctx, r, m)
		if err != nil || !known || now == r.Seen {
			return false, err
		}
	}
	if r.OnlyChanged {
		if err := a.Store.Agenda.See(ctx, r.ID, ""); err != nil {
			return false, err
		}
	}
	return false, a.Deliver(ctx, chat.Batch{Platform: r.Key.Platform, Messages: []chat.Message{m}})
}

// Look stores what the answers given since the last look rest on.
func (a *Asker) Look(ctx context.Context) error {
	list, err := a.Store.Agenda.Unseen(ctx)
	if err != nil {
		return err
	}
	for _, r := range list {
		now, known, err := a.rests(ctx, r, a.message(r))
		if err == nil && known {
			err = a.Store.Agenda.See(ctx, r.ID, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rests fetches again what the last answer to a question rested on, without a model: what
// the tools it called say now, and what is remembered about its author. A day in a call
// moves with the calendar. known is false if there is no answer yet, or a source fails now.
func (a *Asker) rests(ctx context.Context, r agenda.Reminder, m chat.Message) (hash string, known bool, err error) {
	spent, err := a.Store.Agenda.Spent(ctx, r)
	if err != nil || spent.Last == "" {
		return "", false, err
	}
	d, err := a.Store.Decisions.DecisionByID(ctx, spent.Last)
	if err != nil {
		return "", false, err
	}
	calls, err := a.Store.Decisions.Calls(ctx, spent.Last)
	if err != nil {
		return "", false, err
	}
	set, err := a.Tools(ctx, m)
	if err != nil {
		return "", false, err
	}
	sum := sha256.New()
	for i, c := range calls {
		spec, ok := set.Lookup(c.Name)
		if !ok || !spec.ReadOnly || c.Class != "" || spec.Name == tools.FindName || spec.Name == "current_time" {
			continue
		}
		call := tools.CallOf(m)
		call.ID, call.Name, call.Key, call.Args = c.CallID, c.Name, fmt.Sprintf("%s:look:%d:%d", m.ID, a.Now().UnixNano(), i),
			json.RawMessage(a.today(r, d, c.Arguments))
		o := a.Runner().Run(ctx, set, call)
		if o.State != tools.Success {
			return "", false, nil
		}
		fmt.Fprintf(sum, "%s %s\n", c.Name, o.Result.Told())
	}
	facts, err := a.Store.Facts.Facts(ctx, provenance.ViewerOf(m), 1000, 0)
	for _, f := range facts {
		fmt.Fprintf(sum, "%d %s\n", f.ID, f.Content)
	}
	return hex.EncodeToString(sum.Sum(nil)), err == nil, err
}

// today moves the day of an answer in the arguments of its calls to now.
func (a *Asker) today(r agenda.Reminder, d memory.Decision, args string) string {
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		zone = time.UTC
	}
	return strings.ReplaceAll(args, d.At.In(zone).Format(time.DateOnly), a.Now().In(zone).Format(time.DateOnly))
}
