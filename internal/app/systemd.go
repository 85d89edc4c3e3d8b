package app

import (
	"context"
	"time"

	"parley/internal/health"
)

// lookEvery is how often a bot that does not receive yet checks again.
const lookEvery = 100 * time.Millisecond

// supervised reports READY once a platform receives, and then, at half of the
// watchdog's interval, that the bot is alive, for as long as it is.
func (v *vitals) supervised(ctx context.Context) {
	if !v.supervisor.Present() {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ready := false; ; {
		switch alive := v.alive(ctx); {
		case alive && !ready:
			ready = true
			v.supervisor.Tell("READY=1", "STATUS=receiving")
			if v.supervisor.Every == 0 {
				return
			}
			tick.Reset(v.supervisor.Every)
		case alive:
			v.supervisor.Tell("WATCHDOG=1")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// alive reports whether a restart would be pointless: the database answers and a
// platform receives. One platform that is down is no reason to cut off the others;
// /healthz reports it.
func (v *vitals) alive(ctx context.Context) bool {
	if _, err := v.storage.store.SchemaVersion(ctx); err != nil {
		return false
	}
	deaf := 0
	for _, p := range v.platforms.adapters {
		if f, ok := health.Found(p.Platform(), p.Health()); ok && f.Is == health.Unavailable {
			deaf++
		}
	}
	return deaf < len(v.platforms.adapters)
}
