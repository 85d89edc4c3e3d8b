package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/handoff"
	"parley/internal/memory/provenance"
	"parley/internal/playbook"
	"parley/internal/playbook/files"
	"parley/internal/text/catalog"
)

// Window shows one bot. All fields are required.
type Window struct {
	Store *memory.Store
	Rules *files.Books
	// Switches returns the switches of the agent with this memory.
	Switches func(memory string) Switches
	// Residents lists the agents, nil if there is only one.
	Residents func() []Agent
	Now       func() time.Time
}

// Switches turn rules on and off; agent.Agent is the real one.
type Switches interface {
	RuleSwitches(ctx context.Context) (map[string]bool, error)
	SwitchRule(ctx context.Context, id string, on bool) error
}

// factsAPage is the number of facts on a page.
const factsAPage = 50

// Facts lists everybody's facts with their histories, or those told to one agent.
func (w Window) Facts(ctx context.Context, q FactQuery) (list []Fact, more bool, err error) {
	v := provenance.Viewer{Operator: true}
	if q.Of != nil {
		v.Apart, v.Agent.ID = true, q.Of.Memory
	}
	var found []facts.Fact
	if q.Words == "" {
		found, err = w.Store.Facts.Facts(ctx, v, factsAPage+1, (q.Page-1)*factsAPage)
	} else if q.Page == 1 { // a search returns only the best
		found, err = w.Store.Facts.SearchFacts(ctx, v, q.Words, factsAPage)
	}
	if err != nil {
		return nil, false, err
	}
	more = len(found) > factsAPage
	for _, f := range found[:min(len(found), factsAPage)] {
		_, before, err := w.Store.Facts.FactHistory(ctx, provenance.Viewer{Operator: true}, f.ID)
		if err != nil && !errors.Is(err, facts.ErrNone) { // forgotten in the meantime
			return nil, false, err
		}
		list = append(list, pageFact(catalog.Of(ctx), f, before, w.Now()))
	}
	return list, more, nil
}

func pageFact(in catalog.Printer, f facts.Fact, before []facts.Earlier, now time.Time) Fact {
	view := Fact{ID: fmt.Sprint(f.ID), Number: fmt.Sprint(f.Number), Content: f.Content, About: f.Subject,
		Text: strings.Join(append([]string{f.Content}, f.Tags...), " ") + facts.Until(in, f, now),
		Type: f.Type, By: f.Author, Rank: f.Rank.String(), Agent: f.Agent, At: f.Updated}
	for _, e := range before {
		view.History = append(view.History, FactChange{By: e.Author, Text: e.Content, At: e.Until})
	}
	return view
}

// Handoffs lists open handoffs.
func (w Window) Handoffs(ctx context.Context) (list []Handoff, err error) {
	all, err := w.Store.Handoffs.All(ctx)
	for _, h := range all {
		view := Handoff{N: h.ID, Who: cmp.Or(h.Person.Name, h.Person.ID), Place: h.Place.String(), State: string(h.State),
			Why: h.Reason, By: h.By, To: h.Taker.Name, Opened: h.Opened, Due: h.Due}
		if h.State == handoff.Taken {
			view.To, view.Taken, view.Here = cmp.Or(h.Taker.Name, h.Taker.ID), true, h.Desk == Here()
		}
		list = append(list, view)
	}
	return list, err
}

// Files returns the files of an agent's playbook, nil for none; a nil agent is the bot's
// own.
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

// Book returns the playbook in force of an agent, nil for none; a nil agent is the bot's
// own.
func (w Window) Book(ctx context.Context, of *Agent) (*Playbook, error) {
	r := w.book(of)
	if r == nil {
		return nil, nil
	}
	b := r.Book()
	if b == nil {
		return nil, nil
	}
	switched, err := w.switches(of).RuleSwitches(ctx)
	if err != nil {
		return nil, err
	}
	view := &Playbook{Problem: r.Problem()}
	for _, g := range b.Guidelines() {
		on, set := switched[g.ID]
		if !set {
			on = g.IsEnabled()
		}
		view.Rules = append(view.Rules, Rule{ID: g.ID, When: g.Condition, Then: g.Action, Canned: g.Canned, Reply: g.Reply,
			Priority: g.Priority, Off: !on})
	}
	for _, j := range b.Journeys() {
		view.Journeys = append(view.Journeys, pageJourney(j))
	}
	return view, nil
}

// Switch turns an agent's rule on or off; known is false if it has no such rule.
func (w Window) Switch(ctx context.Context, of *Agent, id string, on bool) (known bool, err error) {
	book, err := w.Book(ctx, of)
	if book == nil || err != nil {
		return false, err
	}
	for _, r := range book.Rules {
		if r.ID == id {
			return true, w.switches(of).SwitchRule(ctx, id, on)
		}
	}
	return false, nil
}

func (w Window) switches(of *Agent) Switches {
	if of == nil {
		return w.Switches("")
	}
	return w.Switches(of.Memory)
}

func pageJourney(j *playbook.Journey) Journey {
	view := Journey{ID: j.ID, Name: j.Name, Description: j.Description, Trigger: j.Trigger, Start: j.InitialStep}
	for _, s := range j.Steps {
		step := Step{ID: s.ID, Name: s.Name, Description: s.Description, End: s.IsTerminal}
		for _, t := range s.Transitions {
			step.To = append(step.To, Arrow{To: t.ToStep, When: t.Condition})
		}
		view.Steps = append(view.Steps, step)
	}
	return view
}
