// Package recent remembers what a platform said lately: a bounded number of things, or how
// long something must be left alone. It keeps nothing beyond the process. Everything here
// may be used from several goroutines.
package recent

import (
	"slices"
	"sync"
	"time"
)

// Map is a map of at most Most entries: the oldest gives way.
type Map[K comparable, V any] struct {
	Most int

	mu    sync.Mutex // guards the rest
	byKey map[K]V
	order []K // the oldest first
}

// Put sets an entry, and reports whether it is new.
func (m *Map[K, V]) Put(k K, v V) (fresh bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byKey == nil {
		m.byKey = map[K]V{}
	}
	_, known := m.byKey[k]
	m.byKey[k] = v
	if known {
		return false
	}
	m.order = append(m.order, k)
	if len(m.order) > m.Most {
		delete(m.byKey, m.order[0])
		m.order = m.order[1:]
	}
	return true
}

// Get returns an entry.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok = m.byKey[k]
	return v, ok
}

// Drop forgets an entry, and reports whether there was one.
func (m *Map[K, V]) Drop(k K) (was bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, was = m.byKey[k]; was {
		delete(m.byKey, k)
		m.order = slices.DeleteFunc(m.order, func(one K) bool { return one == k })
	}
	return was
}

// Waits holds until when each of several things must be left alone. Its zero value is
// ready.
type Waits[K comparable] struct {
	mu    sync.Mutex // guards until
	until map[K]time.Time
}

// Left returns how long the last of some things must still be left alone; 0 for none.
func (w *Waits[K]) Left(now time.Time, keys ...K) (left time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range keys {
		left = max(left, w.until[k].Sub(now))
	}
	return left
}

// Keep leaves something alone for a while from now, or longer if that was said before.
func (w *Waits[K]) Keep(k K, d time.Duration, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.until == nil {
		w.until = map[K]time.Time{}
	}
	for over, until := range w.until {
		if !until.After(now) {
			delete(w.until, over)
		}
	}
	if until := now.Add(d); until.After(w.until[k]) {
		w.until[k] = until
	}
}
