package handoff

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/db/engine"
)

// Record is a conversation that people took over, for its person to read.
type Record struct {
	Place  string    `json:"place"`
	Name   string    `json:"name,omitempty"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Taker  string    `json:"taker,omitempty"`
	State  State     `json:"state"`
	At     time.Time `json:"at"`
}

// String returns it on one line.
func (r Record) String() string {
	return strings.TrimSpace(fmt.Sprintf("[%s] %s, by %s: %s (%s %s)", r.At.UTC().Format("2006-01-02 15:04"), r.Place,
		r.By, r.Reason, r.State, r.Taker))
}

// Of returns all of a person.
func (b *Handoffs) Of(user string) ([]Record, error) {
	list, err := engine.Select(b.db, func(row engine.Scanner) (r Record, err error) {
		err = row.Scan(&r.Place, &r.Name, &r.By, &r.Reason, &r.Taker, &r.State, engine.Stamped(&r.At))
		return r, err
	}, "SELECT platform || ':' || channel, name, opened_by, reason, taker_name, state, opened_at FROM handoffs WHERE user_id = ? ORDER BY id",
		user)
	return list, engine.During("list handoffs", err)
}

// Attempt is a call of a tool for the person, and how it ended.
type Attempt struct{ Tool, Status, Class string }

// Tried lists the newest calls of tools for a person in a session, the oldest first.
func (b *Handoffs) Tried(_ context.Context, session, user string) ([]Attempt, error) {
	list, err := engine.Select(b.db, func(row engine.Scanner) (a Attempt, err error) {
		err = row.Scan(&a.Tool, &a.Status, &a.Class)
		return a, err
	}, `SELECT name, status, class FROM (
		SELECT c.id, c.name, c.status, c.class FROM decisions d JOIN tool_calls c ON c.decision_id = d.id WHERE d.session_id = ? AND d.user_id = ? ORDER BY c.id DESC LIMIT 8) latest ORDER BY id`, session, user)
	return list, engine.During("list calls", err)
}
