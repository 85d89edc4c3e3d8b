package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"parley/internal/agent/hooked"
	"parley/internal/app/webhooks"
	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/memory/handoff"
	"parley/internal/memory/hooks"
	"parley/internal/text"
)

// newHooks makes the webhooks, which take nothing before the hub has taken up what an
// earlier process left.
func (a *app) newHooks() *webhooks.Hooks {
	return webhooks.New(webhooks.Options{
		Settings: a.settingHooks(), Store: a.store, Now: a.now, Log: a.log,
		Hub:       a.hubOnceReady,
		Runs:      a.runs,
		PerMinute: func() int { return a.inForce.Load().HTTP.HooksPerMinute },
	})
}

func (a *app) runs(platform string) bool { return chat.On(a.platforms.adapters, platform) != nil }

// settingHooks are the webhooks of the settings.
func (a *app) settingHooks() (list []hooks.Hook) {
	for _, h := range a.cfg.Hooks {
		place, _ := chat.ParseKey(h.Place) // it was checked
		list = append(list, hooks.Hook{Name: h.Name, Secret: string(h.Secret), Place: place, Direct: h.Direct, Does: chat.HookDo(h.Do),
			Template: h.Template})
	}
	return list
}

// checkHooks reports a mistake in a template of the settings.
func (a *app) checkHooks(context.Context) error {
	for i, h := range a.cfg.Hooks {
		if _, err := webhooks.Parse(h.Template); err != nil {
			return fmt.Errorf("hooks[%d].template: %w", i, err)
		}
	}
	return nil
}

func (a *app) hookCommands() command.Hooks {
	return command.Hooks{Rows: a.store.Hooks, Letters: a.store.Letters, List: a.hooks.List, Find: a.hooks.Find, Try: a.hooks.Try,
		Test: a.hooks.Test, Of: webhooks.Of, Platform: webhooks.Platform, Alone: a.platforms.alone, Address: a.port.hookAddress,
		Check: func(h hooks.Hook) error {
			if !a.runs(a.store.Access.Place(h.Place).Key.Platform) {
				return text.Tell("I am not on %s.", h.Place.Platform)
			}
			_, err := webhooks.Parse(h.Template)
			return err
		}}
}

// hooked takes what webhooks bring before anybody asks who speaks.
func (f *front) hooked(next chat.Handler) chat.Handler {
	return hooked.Apart(hooked.Options{
		Session: f.mind.Session, TTL: func() time.Duration { return f.inForce.Load().Session.TTL },
		Agent: f.quotas.Budget(f.debugging(f.mind)),
		Taken: func(ctx context.Context, k chat.Key) (bool, error) {
			open, err := f.store.Handoffs.All(ctx)
			return slices.ContainsFunc(open, func(h handoff.Handoff) bool { return h.Direct && h.Place == k }), err
		},
	}, next)
}

// openHooks opens the port that is for webhooks alone, if one is set.
func (p *port) openHooks() (err error) {
	if p.cfg.HTTP.HooksListen == "" {
		return nil
	}
	if p.door, err = net.Listen("tcp", p.cfg.HTTP.HooksListen); err != nil {
		return fmt.Errorf("http.hooks_listen: %w", err)
	}
	return nil
}

// listenHooks serves that port until ctx ends.
func (p *port) listenHooks(ctx context.Context) {
	if p.door == nil {
		return
	}
	mux := http.NewServeMux()
	mux.Handle(webhooks.Pattern, p.hooks)
	p.serve(ctx, p.door, mux)
}

// hookAddress returns where senders reach a webhook; "" where nothing listens.
func (p *port) hookAddress(name string) string {
	switch {
	case p.door != nil:
		return "http://" + p.door.Addr().String() + "/hooks/" + name
	case p.page != nil:
		return p.page.Base() + "hooks/" + name
	}
	return ""
}
