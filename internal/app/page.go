package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"parley/internal/tongue"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/facts"
	"parley/internal/memory"
	"parley/internal/page"
	"parley/internal/playbook"
	"parley/internal/provenance"
)

// newPage makes the control page for a listening address.
func (p *port) newPage(address string) *page.Page {
	capture := p.mind.capture(p.rules, p.vitals.storage.tape)
	return page.New(page.Options{
		Listen: address, Name: p.cfg.Agent.Name, Store: p.store, Now: p.now, Log: p.log, Currency: p.cfg.Limits.Currency,
		Calls: p.vitals.storage.tape, Browse: p.store.Browse, Rules: p.rules.Own.Files(),
		Views: page.Views{
			Status: p.status, Settings: func() string { return p.inForce.Load().String() }, Book: p.book, Facts: p.facts, ChangeFact: p.changeFact, ForgetFact: p.forgetFact,
			Handoffs: p.handoffs, Tunable: p.tunable, Capture: capture.WriteByID, Script: capture.Script,
		},
	})
}

func (p *port) status(ctx context.Context) []page.Line {
	state := p.models.pulse.last(func(ctx context.Context) string {
		state := p.models.state(ctx)
		p.page.Changed()
		return state
	})
	model := page.Line{Name: "model", State: p.mind.ModelName() + ", " + state, Ill: state == wordsDown}
	return append([]page.Line{model}, p.vitals.doing(ctx)...)
}

// factsAPage is how many facts the page shows at once.
const factsAPage = 50

// facts lists everybody's facts with their histories.
func (p *port) facts(ctx context.Context, query string, n int) (list []page.Fact, more bool, err error) {
	v := provenance.Viewer{Operator: true}
	var found []facts.Fact
	if query == "" {
		found, err = p.store.Facts(ctx, v, factsAPage+1, (n-1)*factsAPage)
	} else if n == 1 { // a search shows its best
		found, err = p.store.SearchFacts(ctx, v, query, factsAPage)
	}
	if err != nil {
		return nil, false, err
	}
	more = len(found) > factsAPage
	for _, f := range found[:min(len(found), factsAPage)] {
		_, before, err := p.store.FactHistory(ctx, v, f.ID)
		if err != nil && !errors.Is(err, facts.ErrNone) { // forgotten meanwhile
			return nil, false, err
		}
		list = append(list, pageFact(tongue.Of(ctx), f, before, p.now()))
	}
	return list, more, nil
}

func pageFact(in tongue.Printer, f facts.Fact, before []facts.Earlier, now time.Time) page.Fact {
	view := page.Fact{ID: fmt.Sprint(f.ID), Content: f.Content, About: f.Subject, Text: strings.Join(append([]string{f.Content}, f.Tags...), " ") + facts.Until(in, f, now),
		Type: f.Type, By: f.Author, Rank: f.Rank.String(), At: f.Updated}
	for _, e := range before {
		view.History = append(view.History, page.FactChange{By: e.Author, Text: e.Content, At: e.Until})
	}
	return view
}

// book returns the playbook in force as the page shows it.
func (p *port) book(ctx context.Context) (*page.Book, error) {
	b := p.rules.Own.Book()
	if b == nil {
		return nil, nil
	}
	switched, err := p.mind.own.RuleSwitches(ctx)
	if err != nil {
		return nil, err
	}
	view := &page.Book{Problem: p.rules.Problem()}
	for _, g := range b.Guidelines() {
		on := g.IsEnabled()
		if v, ok := switched[g.ID]; ok {
			on = v
		}
		then := g.Action
		switch {
		case g.Canned != "":
			then = "the reply " + g.Canned
		case g.Reply != "":
			then = "say: " + g.Reply
		}
		view.Rules = append(view.Rules, page.Rule{ID: g.ID, When: g.Condition, Then: then, Priority: g.Priority, Off: !on})
	}
	for _, j := range b.Journeys() {
		view.Journeys = append(view.Journeys, pageJourney(j))
	}
	return view, nil
}

func pageJourney(j playbook.Journey) page.Journey {
	view := page.Journey{ID: j.ID, Name: j.Name, Description: j.Description, Trigger: j.Trigger, Start: j.InitialStep}
	for _, s := range j.Steps {
		step := page.Step{ID: s.ID, Name: s.Name, Description: s.Description, End: s.IsTerminal}
		for _, t := range s.Transitions {
			step.To = append(step.To, page.Arrow{To: t.ToStep, When: t.Condition})
		}
		view.Steps = append(view.Steps, step)
	}
	return view
}

// link makes a link into the control page, "" without one.
func (p *port) link(ctx context.Context, who chat.User) (link, port string, err error) {
	if p.page == nil {
		return "", "", nil
	}
	_, port, _ = net.SplitHostPort(p.page.Address()) // a listener's address has one
	link, err = page.NewLink(ctx, p.store, p.page.Address(), who)
	return link, port, err
}

// kept tells how many calls of models are kept for an answer, and where they show.
func (p *port) kept(ctx context.Context, d memory.Decision) (n int, where string, err error) {
	list, err := p.vitals.storage.tape.For(ctx, d.InboxID, d.Key, d.At)
	if p.page != nil {
		where = "http://" + p.page.Address() + "/turns/" + d.ID
	}
	return len(list), where, err
}
