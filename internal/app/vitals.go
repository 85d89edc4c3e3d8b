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

// vitals collects the state of all parts for the owner, the operator's port and the
// service manager. It owns the results of deliveries.
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
	stirred    chan struct{} // holds a token after the hub did something
	beats      health.Beats
	hide       text.Redactor // secrets in findings
	supervisor systemd.Supervisor
}

// stir records that the hub did something.
func (v *vitals) stir() {
	select {
	case v.stirred <- struct{}{}:
	default:
	}
}

// findings returns every current problem without asking anything that could hang.
// /healthz, /readyz, /status, the page and the metrics show it.
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
	if n, parts := v.closed(); n > 0 {
		list = append(list, health.Concern(wordsPlaces, health.Closed(n, parts)))
	}
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

// alive reports whether the watchdog may be fed: the database answers and at least one
// platform receives. A single platform that is down is reported by /healthz.
func (v *vitals) alive(ctx context.Context) bool {
	if _, err := v.storage.store.File.SchemaVersion(ctx); err != nil {
		return false
	}
	deaf := 0
	for _, p := range v.platforms.adapters {
		if f, ok := health.Found(p.Platform(), v.health(p)); ok && f.Is == health.Unavailable {
			deaf++
		}
	}
	return deaf < len(v.platforms.adapters)
}
