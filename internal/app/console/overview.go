package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"parley/internal/memory"
	"parley/internal/text/catalog"
)

// wordsErrors is said in more than one place.
const wordsErrors = "Errors"

// overview shows the state of the bot.
type overview struct {
	Lines    []Line
	Counts   []tally
	Begun    bool // somebody has written
	Ranges   []link
	Charts   []chart
	Loads    []memory.Load
	Spent    []memory.Used
	Total    memory.Used // of Spent
	Label    string      // time format in the table
	Failures []failure
}

// failure is a failed message, with its author's name.
type failure struct {
	memory.Audit
	Name string
}

type tally struct {
	Name string
	N    int
}

// window is the time span of the charts.
type window struct {
	name, words string
	step        time.Duration
	n           int
	label       string
}

var windows = []window{
	{"day", "24 hours", time.Hour, 24, "15:04"},
	{"month", "30 days", 24 * time.Hour, 30, "2 Jan"},
}

// maxFailures is the number of errors listed.
const maxFailures = 8

func (p *Page) overview(r *http.Request) (any, error) {
	ctx := r.Context()
	o := overview{Lines: p.o.Views.Status(ctx)}
	win := windows[max(0, slices.IndexFunc(windows, func(w window) bool { return w.name == r.URL.Query().Get("range") }))]
	for _, w := range windows {
		o.Ranges = append(o.Ranges, link{"?range=" + w.name, catalog.Text(ctx, w.words), w.name == win.name})
	}
	from := p.o.Now().UTC().Truncate(win.step).Add(-time.Duration(win.n-1) * win.step)
	counts, err := p.o.Store.Sessions.SessionCounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range statuses {
		o.Counts = append(o.Counts, tally{string(s), counts[s]})
	}
	for i := range win.n {
		l, err := p.load(ctx, from.Add(time.Duration(i)*win.step), win.step)
		if err != nil {
			return nil, err
		}
		o.Loads = append(o.Loads, l)
	}
	failed, err := p.o.Store.Decisions.Failures(ctx, from, maxFailures)
	if err != nil {
		return nil, err
	}
	for _, a := range failed {
		name, err := p.o.Store.Browse.Person(ctx, a.User)
		if err != nil {
			return nil, err
		}
		o.Failures = append(o.Failures, failure{a, clip(name, maxName)})
	}
	// Days start at midnight UTC, as for /stats and the limits.
	if o.Spent, err = p.o.Store.Usage.UsageByDay(ctx, from); err != nil {
		return nil, err
	}
	for _, u := range o.Spent {
		o.Total.Calls, o.Total.Usage = o.Total.Calls+u.Calls, o.Total.Usage.Add(u.Usage)
	}
	o.Begun = slices.ContainsFunc(o.Loads, func(l memory.Load) bool { return l.Messages > 0 }) ||
		slices.ContainsFunc(o.Counts, func(t tally) bool { return t.N > 0 })
	o.Label, o.Charts = win.label, charts(catalog.Of(ctx), o.Loads, win.label)
	return o, nil
}

// past caches figures of past spans: they no longer change, and open pages ask for them
// repeatedly.
type past struct {
	mu    sync.Mutex // guards loads
	loads map[stretch]memory.Load
}

type stretch struct {
	from time.Time
	step time.Duration
}

// How long after its end a span is settled, and how many are cached.
const (
	settling = time.Minute
	maxPast  = 500
)

func (p *Page) load(ctx context.Context, from time.Time, step time.Duration) (memory.Load, error) {
	key := stretch{from, step}
	p.past.mu.Lock()
	l, ok := p.past.loads[key]
	p.past.mu.Unlock()
	if ok {
		return l, nil
	}
	l, err := p.o.Store.Decisions.Load(ctx, from, from.Add(step))
	if err != nil || from.Add(step+settling).After(p.o.Now()) {
		return l, err
	}
	p.past.mu.Lock()
	defer p.past.mu.Unlock()
	if p.past.loads == nil || len(p.past.loads) >= maxPast {
		p.past.loads = map[stretch]memory.Load{}
	}
	p.past.loads[key] = l
	return l, nil
}

// chart is a row of bars; a bar may have a second, darker one in front.
type chart struct {
	Title, Total, Top, Class string
	Bars                     []bar
	Labels                   []label
}

type bar struct{ X, Y, W, H, Y2, H2, Tip string } // Y2 and H2: the bar in front

type label struct{ X, Text string }

// The picture's size, in its own units.
const (
	chartWidth, chartHeight = 480.0, 110.0
	labelEvery              = 6
)

// measure is one figure: its bar, the bar in front, and both in words.
type measure struct {
	chart
	value func(memory.Load) (back, front float64, words string)
	show  func(float64) string
}

// slowest describes the time that 95 % of answers stay below.
func slowest(p catalog.Printer, p95 time.Duration) string {
	if p95 == 0 {
		return p.Text("no answers yet")
	}
	return p.Say("p95 up to %s", took(p, p95))
}

// charts draws four figures about the bot.
func charts(p catalog.Printer, loads []memory.Load, form string) (list []chart) {
	var all memory.Load
	for _, l := range loads {
		all.Messages, all.Tokens, all.Errors = all.Messages+l.Messages, all.Tokens+l.Tokens, all.Errors+l.Errors
		all.Good, all.Bad = all.Good+l.Good, all.Bad+l.Bad
		all.P95 = max(all.P95, l.P95)
	}
	whole := func(title, class string, total int, pick func(memory.Load) int) measure {
		return measure{
			chart: chart{Title: p.Text(title), Class: class, Total: count(p, total)},
			value: func(l memory.Load) (float64, float64, string) { return float64(pick(l)), 0, count(p, pick(l)) },
			show:  func(v float64) string { return count(p, int(v)) },
		}
	}
	for _, m := range []measure{
		whole("Messages", "messages", all.Messages, func(l memory.Load) int { return l.Messages }),
		{
			chart: chart{Title: p.Text("Time to answer"), Class: "latency", Total: slowest(p, all.P95)},
			value: func(l memory.Load) (float64, float64, string) {
				return float64(l.P95), float64(l.Median), p.Say("median %s, p95 %s", took(p, l.Median), took(p, l.P95))
			},
			show: func(v float64) string { return took(p, time.Duration(v)) },
		},
		whole("Tokens", "tokens", all.Tokens, func(l memory.Load) int { return l.Tokens }),
		whole(wordsErrors, "errors", all.Errors, func(l memory.Load) int { return l.Errors }),
	} {
		list = append(list, m.draw(p, loads, form))
	}
	if rate := all.Rate(); rate != "" {
		list[len(list)-1].Total += " · " + p.Say("%s success", p.Figure(rate))
	}
	return list
}

func (m measure) draw(p catalog.Printer, loads []memory.Load, form string) chart {
	c, top := m.chart, 0.0
	for _, l := range loads {
		v, _, _ := m.value(l)
		top = max(top, v)
	}
	c.Top = m.show(top)
	height := func(v float64) float64 {
		if v == 0 {
			return 0
		}
		return max(2, v/top*chartHeight)
	}
	slot := chartWidth / float64(len(loads))
	for i, l := range loads {
		back, front, words := m.value(l)
		x, h, h2 := float64(i)*slot+slot*0.1, height(back), height(front)
		c.Bars = append(c.Bars, bar{
			X: px(x), W: px(slot * 0.8), Y: px(chartHeight - h), H: px(h), Y2: px(chartHeight - h2), H2: px(h2),
			Tip: p.Time(l.From, form) + ": " + words,
		})
		if i%labelEvery == 0 {
			c.Labels = append(c.Labels, label{px(x), p.Time(l.From, form)})
		}
	}
	return c
}

func px(v float64) string { return fmt.Sprintf("%.1f", v) }
