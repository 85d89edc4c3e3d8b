package main

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"parley/internal/chat"
)

// counters are the figures of the process, for /metrics and /status.
type counters struct {
	registry *prometheus.Registry
	events   *prometheus.CounterVec
	took     prometheus.Histogram

	mu      sync.Mutex // guards bookErr
	bookErr string
}

func newCounters() *counters {
	c := &counters{
		registry: prometheus.NewRegistry(),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_events_total", Help: "Messages and parts of answers by what became of them.",
		}, []string{"platform", "event"}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "parley_answer_seconds", Help: "Time from taking a message up to having its answer stored.",
			Buckets: []float64{.005, .01, .05, .1, .25, .5, 1, 2, 5, 10, 30, 60, 120},
		}),
	}
	c.registry.MustRegister(c.events, c.took)
	return c
}

// observe takes the Hub's events.
func (c *counters) observe(e chat.Event) {
	c.events.WithLabelValues(e.Key.Platform, e.Name).Inc()
	if e.Name == "answered" {
		c.took.Observe(e.Took.Seconds())
	}
}

// playbook remembers what is wrong with the playbook's files; nil clears it.
func (c *counters) playbook(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bookErr = ""
	if err != nil {
		c.bookErr = err.Error()
	}
}

func (c *counters) playbookError() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bookErr
}

// gauges registers what is read when asked.
func (a *app) gauges() {
	gauge := func(name, help string, read func() float64) {
		a.counts.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
	}
	gauge("parley_lanes", "Conversations at work.", func() float64 { n, _ := a.hub.Active(); return float64(n) })
	gauge("parley_waiting_messages", "Messages waiting or being answered.", func() float64 { _, n := a.hub.Active(); return float64(n) })
	gauge("parley_uptime_seconds", "Time since the start.", func() float64 { return time.Since(a.began).Seconds() })
	for _, p := range a.adapters {
		a.counts.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "parley_platform_up", Help: "1 while messages can be received.", ConstLabels: prometheus.Labels{"platform": p.Platform()},
		}, func() float64 {
			if p.Health() == nil {
				return 1
			}
			return 0
		}))
	}
	for name, id := range a.cron.ids {
		a.counts.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "parley_cron_last_run_timestamp_seconds", Help: "When a job ran last; 0 for never.", ConstLabels: prometheus.Labels{"job": name},
		}, func() float64 {
			if t := a.cron.cron.Entry(id).Prev; !t.IsZero() {
				return float64(t.Unix())
			}
			return 0
		}))
	}
}
