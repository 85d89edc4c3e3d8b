package app

import (
	"context"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/facts"
	"parley/internal/handoff"
	"parley/internal/page"
	"parley/internal/provenance"
)

// operator is on whose behalf the owner's page changes what is remembered.
func operator() facts.Asker {
	return facts.Asker{Viewer: provenance.Viewer{Operator: true}, Admin: func(context.Context) bool { return true }}
}

func (p *port) changeFact(ctx context.Context, id int64, content string) error {
	_, err := facts.Service{Rows: p.store}.Correct(ctx, operator(), id, facts.NewFact{Content: strings.Join(strings.Fields(content), " "), Author: "user"})
	return err
}

func (p *port) forgetFact(ctx context.Context, id int64) error {
	_, err := facts.Service{Rows: p.store}.Forget(ctx, operator(), id)
	return err
}

// handoffs lists those that are not over.
func (p *port) handoffs(ctx context.Context) (list []page.Handoff, err error) {
	all, err := p.store.Handoffs.All(ctx)
	for _, h := range all {
		view := page.Handoff{N: h.ID, Who: h.Person.Name, Place: h.Place.String(), State: string(h.State), Why: h.Reason, By: h.By, To: h.Taker.Name, Opened: h.Opened, Due: h.Due,
			Taken: h.State == handoff.Taken, Here: h.State == handoff.Taken && h.Desk == page.Here()}
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

// tunable lists the settings that may change while the bot runs.
func (p *port) tunable() (list []page.Setting) {
	c := p.inForce.Load()
	for _, s := range config.Settings() {
		if !slices.Contains(tunable, s.Path) {
			continue
		}
		value, _ := c.Get(s.Path)
		list = append(list, page.Setting{Name: s.Path, Value: value, Doc: s.Doc})
	}
	return list
}
