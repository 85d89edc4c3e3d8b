package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"parley/internal/chat"
)

// shards are this process's current connections to a platform; they change.
type shards struct {
	up   *prometheus.Desc
	read func() []chat.Shard
}

// Shards registers the state of each connection to a platform that may have several.
func (c *Counters) Shards(a chat.Adapter) {
	if s, ok := a.(chat.Sharded); ok {
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
