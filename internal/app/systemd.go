package app

import (
	"context"

	"parley/internal/command/health"
)

// alive reports whether a restart would be pointless: the database answers and a
// platform receives. One platform that is down is no reason to cut off the others;
// /healthz reports it.
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
