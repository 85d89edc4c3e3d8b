package app

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/app/console"
	"parley/internal/app/host"
	"parley/internal/chat"
	"parley/internal/command/welcome"
	"parley/internal/memory/datadir"
	"parley/internal/text/catalog"
)

// operate runs adapters, cron and the operator's port until ctx ends or, in a terminal,
// until the input ends; then it drains.
func (a *app) operate(ctx context.Context, adapters ...chat.Adapter) error {
	port, err := a.port.open()
	if err = errors.Join(err, a.port.openHooks()); err != nil {
		return err
	}
	if err := a.port.begin(ctx); err != nil {
		return err
	}
	a.start(adapters...)
	if a.process.Cron == nil {
		a.chores.sums.Open()
	}
	a.front.voice.open()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if port != nil {
		a.port.listen(ctx, port)
	}
	a.port.listenHooks(ctx)
	if err := a.storage.takeUp(ctx, a.platforms.hub); err != nil {
		return err
	}
	a.port.ready.Store(true)
	if a.fleet != nil {
		a.background(func() { a.fleet.Run(ctx) })
		a.background(func() { a.fleet.Chores(ctx) })
		a.jobs.Add("settings", "@every 1s", a.refresh)
		a.jobs.Add("forgotten elsewhere", "@every 1s", a.storage.eraser.Listen)
	}
	if port != nil {
		a.jobs.Add("browsers", "@every 1m", a.port.page.Members.Prepare)
		a.background(func() { _ = a.port.page.Chat.Run(ctx, a.platforms.hub) }) // ends with ctx, never fails
	}
	if port != nil && a.programs != nil {
		a.jobs.Add("requests of programs", "@every 10m", a.programs.Sweep)
	}
	a.chores.schedule(a.jobs)
	a.storage.watch(ctx, a.jobs)
	a.vitals.gauges()
	errs := a.platforms.run(ctx)
	a.storage.check(ctx, firstCheck)
	a.background(func() { welcome.Receiving(ctx, a.platforms.adapters, a.people.claim, a.say) })
	a.background(func() { a.vitals.supervisor.Watch(ctx, a.vitals.alive) })
	a.notes.follow(ctx)
	if a.settings.reloads != nil {
		a.background(func() { a.settings.reloads(ctx) })
	}
	a.background(func() {
		host.Settle(ctx, a.vitals.stirred, a.platforms.busy, func() { a.platforms.introduce(ctx, a.front) }, func() {
			catalog.Rest()
			a.storage.rest(ctx)
		})
	})
	err = a.platforms.wait(ctx, errs, stop)
	a.vitals.supervisor.Tell("STOPPING=1")
	a.drain()
	return err
}

// refresh applies what another process set from a chat.
func (a *app) refresh(ctx context.Context) error {
	return errors.Join(a.settings.refresh(ctx), a.mind.refresh(ctx, a.models.endpoint), a.toolset.refresh(ctx))
}

// answers returns the agent that answers m, after applying what other processes set from a
// chat.
func (a *app) answers(m chat.Message) chat.Agent {
	if a.fleet != nil {
		if err := a.refresh(context.Background()); err != nil {
			a.log.Warn("read what other processes set", "err", err)
		}
	}
	return a.mind.agentOf(m)
}

// drain lets current answers finish, leaves the rest for the next start, and stops the
// jobs.
func (a *app) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), a.cfg.Limits.ShutdownGrace)
	defer cancel()
	a.jobs.End(ctx)
	a.port.mcp.Close(ctx)
	a.chores.sums.Close()
	a.front.voice.close()
	a.platforms.hub.Shut()
	a.fleet.Retire()
	if parked := a.platforms.hub.Drain(ctx); parked > 0 {
		a.log.Info("answers are left for the next start", "messages", parked)
	}
	a.work.Wait()
}

// announce tells the operator what is starting.
func (a *app) announce(ctx context.Context) (err error) {
	at := a.cfg.HTTP.Listen
	a.people.claim, err = welcome.Start{
		Version: a.process.Version, Data: datadir.Where(a.cfg.DataDir, string(a.cfg.Database.URL)), Listen: at,
		Watched: a.process.Watched, Claim: a.people.gate.ClaimCode, Owners: a.owners,
		Link: func(ctx context.Context) (string, error) {
			base, err := console.Base(a.cfg.Page.URL, at)
			if err != nil {
				return "", fmt.Errorf("address of the page: %w", err)
			}
			return console.NewLink(ctx, a.storage.store.Access, base, chat.User{})
		},
	}.Say(ctx, a.say)
	return err
}

// owners returns the owners, by name where known.
func (a *app) owners(ctx context.Context) ([]string, error) {
	list, err := a.people.gate.Owners(ctx)
	for i := range list {
		if err == nil {
			list[i], err = a.people.gate.Called(ctx, list[i])
		}
	}
	return list, err
}
