package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/facts"
	"parley/internal/page"
	"parley/internal/playbook"
	"parley/internal/provenance"
)

// newPage makes the control page for a listening address.
func (a *app) newPage(address string) *page.Page {
	return page.New(page.Options{
		Listen: address, Name: a.cfg.Agent.Name, Store: a.store, Now: a.now, Log: a.log,
		Views: page.Views{
			Status: a.pageStatus, Settings: func() string { return a.inForce.Load().String() }, Book: a.pageBook, Facts: a.pageFacts,
		},
	})
}

func (a *app) pageStatus(ctx context.Context) []page.Line {
	state := a.pulse.last(func(ctx context.Context) string {
		state := a.modelState(ctx)
		a.page.Changed()
		return state
	})
	model := page.Line{Name: "model", State: a.agent.ModelName() + ", " + state, Ill: state == modelDown}
	return append([]page.Line{model}, a.doing(ctx)...)
}

// factsAPage is how many facts the page shows at once.
const factsAPage = 50

// pageFacts lists everybody's facts with their histories.
func (a *app) pageFacts(ctx context.Context, query string, n int) (list []page.Fact, more bool, err error) {
	v := provenance.Viewer{Operator: true}
	var found []facts.Fact
	if query == "" {
		found, err = a.store.Facts(ctx, v, factsAPage+1, (n-1)*factsAPage)
	} else if n == 1 { // a search shows its best
		found, err = a.store.SearchFacts(ctx, v, query, factsAPage)
	}
	if err != nil {
		return nil, false, err
	}
	more = len(found) > factsAPage
	for _, f := range found[:min(len(found), factsAPage)] {
		_, before, err := a.store.FactHistory(ctx, v, f.ID)
		if err != nil && !errors.Is(err, facts.ErrNone) { // forgotten meanwhile
			return nil, false, err
		}
		list = append(list, pageFact(f, before))
	}
	return list, more, nil
}

func pageFact(f facts.Fact, before []facts.Earlier) page.Fact {
	view := page.Fact{ID: fmt.Sprint(f.ID), About: f.Subject, Text: strings.Join(append([]string{f.Content}, f.Tags...), " "), Status: f.Type + ", by " + f.Author, At: f.Updated}
	for _, e := range before {
		view.History = append(view.History, page.FactChange{What: "until then, by " + e.Author, Text: e.Content, At: e.Until})
	}
	return view
}

// pageBook is the playbook in force as the page shows it.
func (a *app) pageBook(ctx context.Context) (*page.Book, error) {
	b := a.bookNow()
	if b == nil {
		return nil, nil
	}
	switched, err := a.agent.RuleSwitches(ctx)
	if err != nil {
		return nil, err
	}
	view := &page.Book{Problem: a.counts.playbookError()}
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

// pulse remembers how the model was, because asking takes longer than a page
// may.
type pulse struct {
	mu    sync.Mutex // guards the rest
	state string
	asked time.Time
}

// pulseAge is how old an answer may be before it is asked for anew.
const pulseAge = 30 * time.Second

// last returns the last answer at once and, when it is old, asks for another in
// the background.
func (p *pulse) last(ask func(context.Context) string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.asked) > pulseAge {
		p.asked = time.Now()
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), statusTimeout)
			defer cancel()
			state := ask(ctx)
			p.mu.Lock()
			defer p.mu.Unlock()
			p.state = state
		}()
	}
	if p.state == "" {
		return "being asked"
	}
	return p.state
}
