package app

import (
	"context"
	"math"
	"time"

	"parley/internal/command/health"
)

// gauges registers metrics that are read on request.
func (v *vitals) gauges() {
	gauge := func(name, help string, read func() float64) { v.counts.Gauge(name, help, nil, read) }
	gauge("parley_lanes", "Conversations at work.", func() float64 { n, _ := v.platforms.hub.Active(); return float64(n) })
	gauge("parley_waiting_messages", "Messages waiting or being answered.",
		func() float64 { _, n := v.platforms.hub.Active(); return float64(n) })
	gauge("parley_waiting_parts", "Parts of answers that are stored and not sent.", counted(v.storage.store.WaitingParts))
	gauge("parley_health", "0 while all is well, 1 degraded, 2 unavailable, as /healthz says.",
		func() float64 { return float64(health.Worst(v.findings())) })
	gauge("parley_dead_letters", "Events that were put aside because they could not be understood or stored.",
		counted(v.storage.store.Letters.Count))
	gauge("parley_database_bytes", "The database file and its write-ahead log, or the database on its server.",
		counted(v.storage.store.File.Bytes))
	gauge("parley_traces_bytes", "The exact requests and answers of model calls that are kept.", counted(v.storage.tape.Size))
	gauge("parley_traces_dropped", "Model calls since the start that were not kept because too many waited.",
		func() float64 { return float64(v.storage.tape.Dropped()) })
	gauge("parley_uptime_seconds", "Time since the start.", func() float64 { return time.Since(v.began).Seconds() })
	for _, p := range v.platforms.adapters {
		v.counts.Shards(p)
		v.counts.Gauge("parley_platform_up", "1 while messages can be received.", map[string]string{"platform": p.Platform()}, func() float64 {
			if f, ok := health.Found(p.Platform(), v.health(p)); ok && f.Is == health.Unavailable {
				return 0
			}
			return 1
		})
	}
	for name := range v.jobs.Last() {
		v.counts.Gauge("parley_cron_last_run_timestamp_seconds", "When a job ran last; 0 for never.", map[string]string{"job": name},
			func() float64 {
				if t := v.jobs.Last()[name]; !t.IsZero() {
					return float64(t.Unix())
				}
				return 0
			})
	}
}

// counted makes a gauge of a count in a database, NaN if counting fails: unknown is not
// zero.
func counted[N int | int64](count func(context.Context) (N, error)) func() float64 {
	return func() float64 {
		n, err := count(context.Background())
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	}
}
