package app

import (
	"context"
	"math"
	"os"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"parley/internal/chat"
	"parley/internal/health"
	"parley/internal/llm/wrap"
)

// counters are the metrics of the process, for /metrics and /status.
type counters struct {
	registry *prometheus.Registry
	events   *prometheus.CounterVec
	messages *prometheus.CounterVec
	took     prometheus.Histogram
	first    *prometheus.HistogramVec
	calls    *prometheus.CounterVec
	tokens   *prometheus.CounterVec
	money    *prometheus.CounterVec
	tools    *prometheus.CounterVec
}

func newCounters(version string) *counters {
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	c := &counters{
		registry: prometheus.NewRegistry(),
		events:   vec("parley_events_total", "Messages and parts of answers by what became of them.", "platform", "event"),
		messages: vec("parley_messages_total", "Messages by how they ended, as /stats counts them.", "platform", "outcome"),
		calls:    vec("parley_model_calls_total", "Model calls by what they were for, and by how they ended: ok, failed, or refused by a limit of ours.", "model", "purpose", "outcome"),
		tokens:   vec("parley_model_tokens_total", "Tokens as the provider counted them, cached ones among those of the prompt too.", "model", "kind"),
		money:    vec("parley_model_cost_total", "What model calls cost, by the prices that are set, in limits.currency.", "model"),
		tools:    vec("parley_tool_calls_total", "Tool calls by how they ended; unknown is any name that no tool has.", "tool", "status"),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "parley_answer_seconds", Help: "Time from taking a message up to having its answer stored.",
			Buckets: []float64{.005, .01, .05, .1, .25, .5, 1, 2, 5, 10, 30, 60, 120},
		}),
	}
	c.first = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "parley_model_first_token_seconds", Help: "Time from asking a model to the first piece of its text.",
		Buckets: []float64{.05, .1, .25, .5, 1, 2, 5, 10, 30, 60},
	}, []string{"model"})
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "parley_build_info", Help: "Always 1; the labels tell what runs.", ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
	c.registry.MustRegister(c.events, c.messages, c.took, c.first, c.calls, c.tokens, c.money, c.tools, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return c
}

// observe takes the Hub's events.
func (c *counters) observe(e chat.Event) {
	c.events.WithLabelValues(e.Key.Platform, e.Name).Inc()
	if e.Outcome != "" {
		c.messages.WithLabelValues(e.Key.Platform, string(e.Outcome)).Inc()
	}
	if e.Name == "answered" {
		c.took.Observe(e.Took.Seconds())
	}
}

// modelCall counts one call and what it took.
func (c *counters) modelCall(call wrap.Call) {
	u := call.Usage
	c.calls.WithLabelValues(call.Model, call.Purpose, call.Outcome).Inc()
	c.tokens.WithLabelValues(call.Model, "prompt").Add(float64(u.Prompt))
	c.tokens.WithLabelValues(call.Model, "cached").Add(float64(u.Cached))
	c.tokens.WithLabelValues(call.Model, "completion").Add(float64(u.Completion))
	c.money.WithLabelValues(call.Model).Add(u.Cost)
}

// firstToken counts how long a model took to its first text.
func (c *counters) firstToken(model string, took time.Duration) {
	c.first.WithLabelValues(model).Observe(took.Seconds())
}

// fileSize returns 0 for a missing file.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// gauges registers what is read when asked.
func (v *vitals) gauges() {
	gauge := func(name, help string, read func() float64) {
		v.counts.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
	}
	gauge("parley_lanes", "Conversations at work.", func() float64 { n, _ := v.platforms.hub.Active(); return float64(n) })
	gauge("parley_waiting_messages", "Messages waiting or being answered.", func() float64 { _, n := v.platforms.hub.Active(); return float64(n) })
	gauge("parley_waiting_parts", "Parts of answers that are stored and not sent.", func() float64 {
		n, err := v.storage.store.WaitingParts(context.Background())
		if err != nil {
			return math.NaN() // unknown is not none
		}
		return float64(n)
	})
	gauge("parley_health", "0 while all is well, 1 degraded, 2 unavailable, as /healthz says.", func() float64 { return float64(health.Worst(v.findings())) })
	gauge("parley_dead_letters", "Events that were put aside because they could not be understood or stored.", func() float64 {
		n, err := v.storage.store.DeadLetters(context.Background())
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	})
	gauge("parley_database_bytes", "The database file and its write-ahead log.", func() float64 {
		return float64(fileSize(v.storage.store.Path()) + fileSize(v.storage.store.Path()+"-wal"))
	})
	gauge("parley_uptime_seconds", "Time since the start.", func() float64 { return time.Since(v.began).Seconds() })
	for _, p := range v.platforms.adapters {
		v.counts.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "parley_platform_up", Help: "1 while messages can be received.", ConstLabels: prometheus.Labels{"platform": p.Platform()},
		}, func() float64 {
			if f, ok := health.Found(p.Platform(), p.Health()); ok && f.Is == health.Unavailable {
				return 0
			}
			return 1
		}))
	}
	for name, id := range v.jobs.ids {
		v.counts.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "parley_cron_last_run_timestamp_seconds", Help: "When a job ran last; 0 for never.", ConstLabels: prometheus.Labels{"job": name},
		}, func() float64 {
			if t := v.jobs.cron.Entry(id).Prev; !t.IsZero() {
				return float64(t.Unix())
			}
			return 0
		}))
	}
}
