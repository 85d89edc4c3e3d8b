package app

import (
	"context"
	"net"
	"os"
	"sync"

	"parley/config"
	"parley/internal/app/console"
	"parley/internal/app/platform"
	"parley/internal/app/trial"
	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// newPage makes the control page for an address.
func (p *port) newPage(address string) *console.Page {
	capture := p.mind.capture(p.rules, p.vitals.storage.tape)
	p.trials.Wanting = capture.Wanting
	look := console.Window{Store: p.store, Rules: p.rules, Now: p.now, Residents: p.mind.residents,
		Switches: func(memory string) console.Switches { return p.mind.Of(memory) }}
	return console.New(console.Options{
		Listen: address, URL: p.cfg.Page.URL, Proxies: p.cfg.Page.Networks(), Name: p.cfg.Agent.Name, Store: p.store, Now: p.now, Log: p.log,
		Currency: p.cfg.Limits.Currency,
		Calls:    p.vitals.storage.tape, Members: p.members(),
		Views: console.Views{
			Status: p.status, Settings: func() string { return p.inForce.Load().String() }, Book: look.Book, Files: look.Files,
			Switch: look.Switch, Agents: look.Residents,
			Facts: look.Facts, Operations: sync.OnceValue(func() []tools.Operation { return tools.FactOperations(p.store.Facts, nil) }),
			Handoffs: look.Handoffs, Tunable: p.tunable, Trial: p.trials, Persona: p.persona, Capture: capture.WriteByID, Script: capture.Script,
		},
	})
}

// newTrials makes what tries changes for the page.
func (p *port) newTrials() *trial.Desk {
	build := p.apart
	if build == nil {
		build = Process{Version: p.process.Version}.WhatIf
	}
	return &trial.Desk{Config: func() config.Config { return *p.inForce.Load() }, IDs: platform.Identities(), Build: build, Now: p.now,
		Log: p.log, Changed: func() { p.page.Changed() }}
}

// persona returns the bot's own.
func (p *port) persona() (words, file string, err error) {
	if file = p.cfg.Agent.PromptFile; file == "" {
		return "", "", nil
	}
	b, err := os.ReadFile(file)
	return string(b), file, err
}

func (p *port) status(ctx context.Context) []console.Line {
	in := catalog.Of(ctx)
	state := p.models.pulse.last(func(ctx context.Context) condition {
		state := p.models.state(ctx)
		p.page.Changed()
		return state
	})
	model := console.Line{Name: in.Text("model"), State: p.mind.ModelName() + ", " + state.said.In(in), Ill: state.ill}
	return append([]console.Line{model}, p.vitals.doing(ctx)...)
}

// link makes a login link to the control page, "" if there is none. The port is "" if
// browsers elsewhere find the page.
func (p *port) link(ctx context.Context, who chat.User) (link, port string, err error) {
	if p.page == nil {
		return "", "", nil
	}
	if p.cfg.Page.URL == "" {
		_, port, _ = net.SplitHostPort(p.page.Address()) // a listener's address has one
	}
	link, err = console.NewLink(ctx, p.store.Access, p.page.Base(), who)
	return link, port, err
}

// kept returns how many model calls are kept for an answer, and the page that shows them.
func (p *port) kept(ctx context.Context, d memory.Decision) (n int, where string, err error) {
	list, err := p.vitals.storage.tape.For(ctx, d.InboxID, d.Key, d.At)
	if p.page != nil {
		where = p.page.Base() + "turns/" + d.ID
	}
	return len(list), where, err
}
