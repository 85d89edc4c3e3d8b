package app

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/resident"
)

// settled is how long after the start startup is certainly over.
const settled = 300 * time.Millisecond

// operate runs adapters, cron and the operator's port until ctx ends or, with
// the terminal, until its adapter is done; then it drains.
func (a *app) operate(ctx context.Context, adapters ...chat.Adapter) error {
	port, err := a.port.open()
	if err != nil {
		return err
	}
	a.start(adapters...)
	a.chores.sums.open()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if port != nil {
		a.port.listen(ctx, port)
	}
	if err := a.storage.takeUp(ctx, a.platforms.hub); err != nil {
		return err
	}
	if port != nil {
		a.background(func() { _ = a.port.page.Chat.Run(ctx, a.platforms.hub) }) // ends with ctx and never fails
	}
	a.chores.schedule(a.jobs)
	a.storage.watch(ctx, a.jobs)
	a.vitals.gauges()
	errs := a.platforms.run(ctx)
	a.platforms.introduce(ctx, a.front)
	a.background(func() { a.vitals.supervised(ctx) })
	a.notes.follow(ctx)
	if a.settings.reloads != nil {
		a.background(func() { a.settings.reloads(ctx) })
	}
	slim := time.AfterFunc(settled, resident.ReleaseStartup)
	defer slim.Stop()
	err = a.platforms.wait(ctx, errs, stop)
	a.vitals.supervisor.Tell("STOPPING=1")
	a.drain()
	return err
}

// drain lets current answers finish, parks the rest and stops the jobs.
func (a *app) drain() {
	ctx, cancel := context.WithTimeout(context.Background(), a.cfg.Limits.ShutdownGrace)
	defer cancel()
	a.jobs.end(ctx)
	a.chores.sums.close()
	if parked := a.platforms.hub.Drain(ctx); parked > 0 {
		a.log.Info("answers are left for the next start", "messages", parked)
	}
	a.work.Wait()
}
