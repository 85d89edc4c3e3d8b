package app

import (
	"context"

	"parley/internal/app/jobs"
	"parley/internal/app/systemd"
	"parley/internal/command/health"
	"parley/internal/memory/datadir"
	"parley/internal/playbook/files"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// vitals collects how the parts are doing, for everybody who asks: the owner, the
// operator's port, the service manager. It owns the results of deliveries.
type vitals struct {
	*base
	storage    *storage
	platforms  *platforms
	models     *models
	notes      *notes
	rules      *files.Books
	chores     *chores
	toolset    *toolset
	jobs       *jobs.Jobs
	deliveries health.Deliveries
	stirred    chan struct{} // holds a token once something has happened in the hub
	beats      health.Beats
	hide       text.Redactor // of what anybody is told
	supervisor systemd.Supervisor
}

// stir notes that something has happened.
func (v *vitals) stir() {
	select {
	case v.stirred <- struct{}{}:
	default:
	}
}

// findings returns every current problem, without asking anything that could hang.
// /healthz, /readyz, /status, the page and the metrics all show this.
func (v *vitals) findings() (list []health.Finding) {
	for _, p := range v.platforms.adapters {
		if f, ok := health.Found(p.Platform(), v.health(p)); ok {
			list = append(list, f)
		}
		list = append(list, health.ShardFindings(p)...)
	}
	if f, ok := health.Found("database", datadir.Among(v.storage.store.File.Health(), v.fleet.Problem())); ok {
		list = append(list, f)
	}
	if n := v.fleet.Stray(); n > 0 {
		list = append(list, health.Finding{Part: "conversations", Is: health.Unavailable, Why: health.Stray(n)})
	}
	if skew := v.fleet.Skew(); skew != 0 {
		list = append(list, health.Concern("clock", health.Clock(skew)))
	}
	list = append(list, v.deliveries.Findings(v.now())...)
	if n, err := v.storage.store.Letters.Count(context.Background()); err == nil && n > 0 {
		list = append(list, health.Concern("dead letters", health.DeadLetters(n)))
	}
	if low := v.storage.narrow.Load(); low != nil {
		list = append(list, health.Concern("disk", *low))
	}
	if v.chores.facts != nil {
		if err := v.chores.facts.Problem(); err != nil {
			list = append(list, health.Concern("facts file", catalog.Told(err)))
		}
	}
	if v.notes.index != nil {
		list = append(list, v.notes.away()...)
	}
	if e := v.rules.Problem(); e != "" {
		list = append(list, health.Concern("playbook", catalog.Fill("the last good one is in force: %s", text.Shorten(e, 300))))
	}
	for i, f := range list {
		list[i] = f.Hiding(v.hide.Hide)
	}
	return list
}
