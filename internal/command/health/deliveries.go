package health

import (
	"maps"
	"slices"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Patience is how long a part of an answer may fail before health reports it: a platform
// that hiccups is no news.
var Patience = 2 * time.Minute

// Deliveries knows which conversations get no answers through.
type Deliveries struct {
	mu      sync.Mutex // guards the rest
	failing map[chat.Key]failing
	sent    map[string]time.Time // platform -> when something arrived there last
	lost    map[string]losses    // platform -> what was given up since
}

// losses are parts that were given up one after the other.
type losses struct {
	since            time.Time
	refused, unknown int
}

// failing is a conversation whose next part keeps failing.
type failing struct {
	since time.Time
	next  time.Time // attempt
	err   error
}

// Observe takes the Hub's events.
func (d *Deliveries) Observe(e chat.Event, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failing == nil {
		d.failing, d.sent, d.lost = map[chat.Key]failing{}, map[string]time.Time{}, map[string]losses{}
	}
	switch e.Name {
	case "waits":
		f, known := d.failing[e.Key]
		if !known {
			f.since = now
		}
		f.next, f.err = now.Add(e.Took), e.Err
		d.failing[e.Key] = f
	case "sent":
		d.sent[e.Key.Platform] = now
		delete(d.lost, e.Key.Platform)
		delete(d.failing, e.Key)
	case "kept":
		delete(d.failing, e.Key)
	case "dead", "unknown":
		l := d.lost[e.Key.Platform]
		if l == (losses{}) {
			l.since = now
		}
		if e.Name == "dead" {
			l.refused++
		} else {
			l.unknown++
		}
		d.lost[e.Key.Platform] = l
		delete(d.failing, e.Key)
	}
}

// Findings lists platforms where parts have failed for longer than Patience: degraded
// while others arrive there, otherwise unavailable.
func (d *Deliveries) Findings(now time.Time) (list []Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	longest := map[string]failing{}
	stuck := map[string]int{}
	for k, f := range d.failing {
		switch {
		case now.Sub(f.next) > Patience: // the conversation moved, or was forgotten
			delete(d.failing, k)
			continue
		case now.Sub(f.since) <= Patience:
			continue
		}
		stuck[k.Platform]++
		if was, ok := longest[k.Platform]; !ok || f.since.Before(was.since) {
			longest[k.Platform] = f
		}
	}
	for _, platform := range slices.Sorted(maps.Keys(longest)) {
		f := longest[platform]
		is := Unavailable
		if d.sent[platform].After(f.since) {
			is = Degraded
		}
		why := Undelivered(stuck[platform], now.Sub(f.since), worded{catalog.Told(f.err), short})
		list = append(list, Finding{platform + " delivery", is, why})
	}
	for _, platform := range slices.Sorted(maps.Keys(d.lost)) {
		if f, ok := d.lost[platform].finding(platform, now); ok && longest[platform].err == nil {
			list = append(list, f)
		}
	}
	return list
}

func short(reason string) string { return text.Shorten(reason, 200) }

// manyRefused is how many parts in a row may be refused for good: people block
// bots and remove them.
const manyRefused = 3

// finding reports answers that were given up while nothing arrived.
func (l losses) finding(platform string, now time.Time) (f Finding, ok bool) {
	if now.Sub(l.since) <= Patience || l.unknown == 0 && l.refused < manyRefused {
		return f, false
	}
	f = Finding{platform + " delivery", Degraded, catalog.Fill("%s of answers, one after the other, were refused or never confirmed, and none has arrived for %s", catalog.Count{N: l.unknown + l.refused, Thing: "part"},
		now.Sub(l.since).Round(time.Second))}
	if l.unknown > 1 {
		f.Is = Unavailable
	}
	return f, true
}
