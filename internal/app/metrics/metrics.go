// Package metrics counts what a process does, in Prometheus' terms. It serves
// nothing itself.
package metrics

import (
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"parley/internal/chat"
	"parley/internal/llm/wrap"
)

// Counters are the metrics of the process, for /metrics and /status.
type Counters struct {
	Registry *prometheus.Registry
	events   *prometheus.CounterVec
	messages *prometheus.CounterVec
	took     prometheus.Histogram
	first    *prometheus.HistogramVec
	calls    *prometheus.CounterVec
	tokens   *prometheus.CounterVec
	money    *prometheus.CounterVec
	tools    *prometheus.CounterVec
}

// New returns counters at zero for a process of that version.
func New(version string) *Counters {
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	c := &Counters{
		Registry: prometheus.NewRegistry(),
		events:   vec("parley_events_total", "Messages and parts of answers by what became of them.", "platform", "event"),
		messages: vec("parley_messages_total", "Messages by how they ended, as /stats counts them.", "platform", "outcome"),
		calls: vec("parley_model_calls_total",
			"Model calls by what they were for, and by how they ended: ok, failed, or refused by a limit of ours.", "model", "purpose", "outcome"),
		tokens: vec("parley_model_tokens_total", "Tokens as the provider counted them, cached ones among those of the prompt too.",
			"model", "kind"),
		money: vec("parley_model_cost_total", "What model calls cost, by the prices that are set, in limits.currency.", "model"),
		tools: vec("parley_tool_calls_total", "Tool calls by how they ended; unknown is any name that no tool has.", "tool", "status"),
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
		Name: "parley_build_info", Help: "Always 1; the labels tell what runs.", ConstLabels: prometheus.Labels{"version": version,
			"goversion": runtime.Version()},
	}, func() float64 { return 1 })
	c.Registry.MustRegister(c.events, c.messages, c.took, c.first, c.calls, c.tokens, c.money, c.tools, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return c
}

// Observe counts an event of the Hub.
func (c *Counters) Observe(e chat.Event) {
	c.events.WithLabelValues(e.Key.Platform, e.Name).Inc()
	if e.Outcome != "" {
		c.messages.WithLabelValues(e.Key.Platform, string(e.Outcome)).Inc()
	}
	if e.Name == "answered" {
		c.took.Observe(e.Took.Seconds())
	}
}

// ModelCall counts one call and what it took.
func (c *Counters) ModelCall(call wrap.Call) {
	u := call.Usage
	c.calls.WithLabelValues(call.Model, call.Purpose, call.Outcome).Inc()
	c.tokens.WithLabelValues(call.Model, "prompt").Add(float64(u.Prompt))
	c.tokens.WithLabelValues(call.Model, "cached").Add(float64(u.Cached))
	c.tokens.WithLabelValues(call.Model, "completion").Add(float64(u.Completion))
	c.money.WithLabelValues(call.Model).Add(u.Cost)
}

// FirstToken records how long a model took to its first text.
func (c *Counters) FirstToken(model string, took time.Duration) {
	c.first.WithLabelValues(model).Observe(took.Seconds())
}

// Tool counts a call by how it ended.
func (c *Counters) Tool(name, status string) { c.tools.WithLabelValues(name, status).Inc() }

// Gauge registers a metric that is read on request.
func (c *Counters) Gauge(name, help string, labels prometheus.Labels, read func() float64) {
	c.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

// shards are this process's current connections to a platform; they change.
type shards struct {
	up   *prometheus.Desc
	read func() []chat.Shard
}

// Shards registers the state of each connection to a platform that may have several.
func (c *Counters) Shards(a chat.Adapter) {
	if s, ok := chat.As[chat.Sharded](a); ok {
		c.Registry.MustRegister(shards{prometheus.NewDesc("parley_shard_up", "1 while messages are received over a connection of this process.",
			[]string{"shard"}, prometheus.Labels{"platform": a.Platform()}), s.Shards})
	}
}

// Describe implements prometheus.Collector.
func (s shards) Describe(to chan<- *prometheus.Desc) { to <- s.up }

// Collect implements prometheus.Collector.
func (s shards) Collect(to chan<- prometheus.Metric) {
	for _, one := range s.read() {
		up := 1.0
		if one.Err != nil {
			up = 0
		}
		to <- prometheus.MustNewConstMetric(s.up, prometheus.GaugeValue, up, one.Name())
	}
}
