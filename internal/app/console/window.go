package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/handoff"
	"parley/internal/memory/provenance"
	"parley/internal/playbook/files"
	"parley/internal/text/catalog"
)

// Window looks into one bot. All fields are required.
type Window struct {
	Store *memory.Store
	Rules *files.Books
	// Switches returns what turns rules on and off for the agent of a memory.
	Switches func(memory string) Switches
	// Residents lists the agents there are, nil where there is only one.
	Residents func() []Agent
	Now       func() time.Time
}

// Switches are which rules were turned on or off; agent.Agent is the real one.
type Switches interface {
	RuleSwitches(ctx context.Context) (map[string]bool, error)
	SwitchRule(ctx context.Context, id string, on bool) error
}

// factsAPage is how many facts the page shows at once.
const factsAPage = 50

// Facts lists everybody's facts with their histories, or those that one agent was told.
func (w Window) Facts(ctx context.Context, q FactQuery) (list []Fact, more bool, err error) {
	v := provenance.Viewer{Operator: true}
	if q.Of != nil {
		v.Apart, v.Agent.ID = true, q.Of.Memory
	}
	var found []facts.Fact
	if q.Words == "" {
		found, err = w.Store.Facts.Facts(ctx, v, factsAPage+1, (q.Page-1)*factsAPage)
	} else if q.Page == 1 { // a search shows its best
		found, err = w.Store.Facts.SearchFacts(ctx, v, q.Words, factsAPage)
	}
	if err != nil {
		return nil, false, err
	}
	more = len(found) > factsAPage
	for _, f := range found[:min(len(found), factsAPage)] {
		_, before, err := w.Store.Facts.FactHistory(ctx, provenance.Viewer{Operator: true}, f.ID)
		if err != nil && !errors.Is(err, facts.ErrNone) { // forgotten meanwhile
			return nil, false, err
		}
		list = append(list, pageFact(catalog.Of(ctx), f, before, w.Now()))
	}
	return list, more, nil
}

func pageFact(in catalog.Printer, f facts.Fact, before []facts.Earlier, now time.Time) Fact {
	view := Fact{ID: fmt.Sprint(f.ID), Content: f.Content, About: f.Subject, Text: strings.Join(append([]string{f.Content}, f.Tags...),
		" ") + facts.Until(in, f, now),
		Type: f.Type, By: f.Author, Rank: f.Rank.String(), Agent: f.Agent, At: f.Updated}
	for _, e := range before {
		view.History = append(view.History, FactChange{By: e.Author, Text: e.Content, At: e.Until})
	}
	return view
}

// Handoffs lists those that are not over.
func (w Window) Handoffs(ctx context.Context) (list []Handoff, err error) {
	all, err := w.Store.Handoffs.All(ctx)
	for _, h := range all {
		view := Handoff{N: h.ID, Who: h.Person.Name, Place: h.Place.String(), State: string(h.State), Why: h.Reason, By: h.By,
			To: h.Taker.Name, Opened: h.Opened, Due: h.Due,
			Taken: h.State == handoff.Taken, Here: h.State == handoff.Taken && h.Desk == Here()}
		if view.Who == "" {
			view.Who = h.Person.ID
		}
		if h.State == handoff.Taken && view.To == "" {
			view.To = h.Taker.ID
		}
		list = append(list, view)
	}
	return list, err
}

// Files are those of an agent's playbook, nil for none; a nil agent is the bot's own.
func (w Window) Files(of *Agent) *files.Folder {
	if r := w.book(of); r != nil {
		return r.Files()
	}
	return nil
}

// book returns the rulebook of an agent, nil for none.
func (w Window) book(of *Agent) *files.Rulebook {
	if of == nil {
		return w.Rules.Own
	}
	if r := w.Rules.Of(of.Name); r.Agent == of.Name {
		return r
	}
	return nil
}
