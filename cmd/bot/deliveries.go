package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"parley/internal/chat"
)

// deliveryPatience is how long a part of an answer may fail to be delivered
// before health tells: a platform that hiccups is no news.
var deliveryPatience = 2 * time.Minute

// deliveries knows which conversations get no answers through.
type deliveries struct {
	mu      sync.Mutex // guards the rest
	failing map[chat.Key]failing
	sent    map[string]time.Time // platform -> when something arrived there last
}

// failing is a conversation whose next part keeps failing.
type failing struct {
	since time.Time
	next  time.Time // attempt
	err   error
}

// observe takes the Hub's events.
func (d *deliveries) observe(e chat.Event, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e.Name {
	case "waits":
		if d.failing == nil {
			d.failing = map[chat.Key]failing{}
		}
		f, known := d.failing[e.Key]
		if !known {
			f.since = now
		}
		f.next, f.err = now.Add(e.Took), e.Err
		d.failing[e.Key] = f
	case "sent":
		if d.sent == nil {
			d.sent = map[string]time.Time{}
		}
		d.sent[e.Key.Platform] = now
		delete(d.failing, e.Key)
	case "dead", "unknown":
		delete(d.failing, e.Key)
	}
}

// findings tells of platforms where parts have failed for longer than
// deliveryPatience: degraded while others arrive there, else unavailable.
func (d *deliveries) findings(now time.Time) (list []finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	longest := map[string]failing{}
	stuck := map[string]int{}
	for k, f := range d.failing {
		switch {
		case now.Sub(f.next) > deliveryPatience: // the conversation moved, or was forgotten
			delete(d.failing, k)
			continue
		case now.Sub(f.since) <= deliveryPatience:
			continue
		}
		stuck[k.Platform]++
		if was, ok := longest[k.Platform]; !ok || f.since.Before(was.since) {
			longest[k.Platform] = f
		}
	}
	for _, platform := range slices.Sorted(maps.Keys(longest)) {
		f := longest[platform]
		is := unavailable
		if d.sent[platform].After(f.since) {
			is = degraded
		}
		list = append(list, finding{platform + " delivery", is, fmt.Sprintf(wordsUndelivered,
			many(stuck[platform], "conversation"), now.Sub(f.since).Round(time.Second), clip(f.err.Error(), 200))})
	}
	return list
}
