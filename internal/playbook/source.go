package playbook

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/playbook/guard"
	"parley/internal/playbook/judge"
	"parley/internal/text/machine"
)

// Source is a folder whose Book is kept up to date. It has no goroutine: the
// files are looked at when a Book is asked for, at most once a second.
type Source struct {
	dir     string
	options Options
	kept    kept

	mu      sync.Mutex // guards the rest
	book    *Book
	err     error
	stamp   string // names, sizes and times of the files that were read last
	seen    string // the same of the look before
	checked time.Time
}

// One look at the files is valid for checkEvery. After quiet without a change,
// nobody is editing them.
const (
	checkEvery = time.Second
	quiet      = 2 * time.Second
)

// Open loads dir. A playbook with mistakes at startup is an error; see Load.
func Open(dir string, o Options) (*Source, error) {
	s := &Source{dir: dir, options: o, kept: kept{judge.NewCache(), newVectors()}}
	s.stamp, _ = s.look()
	s.seen = s.stamp
	var err error
	s.book, err = load(dir, o, s.kept)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Book returns the newest good Book, never nil. The error is what is wrong with the
// files that are there now, while an earlier Book stays in force: a mistake, or
// a *LostError. It may read files; now is the caller's clock. Files count once
// they have stopped changing: two looks find the same, or nothing has touched them
// for a while.
func (s *Source) Book(now time.Time) (*Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if age := now.Sub(s.checked); age >= 0 && age < checkEvery {
		return s.book, s.err
	}
	s.checked = now
	stamp, touched := s.look()
	still := stamp == s.seen || time.Since(touched) > quiet
	if s.seen = stamp; still && stamp != s.stamp {
		s.read(stamp, false)
	}
	return s.book, s.err
}

// Reload reads the files now, changed or not, and takes them as they are, even
// if much is gone.
func (s *Source) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp, _ := s.look()
	s.read(stamp, true)
	return s.err
}

// read takes what the files say, if they are still as stamp has them.
func (s *Source) read(stamp string, meant bool) {
	b, err := load(s.dir, s.options, s.kept)
	after, _ := s.look()
	if s.seen = after; after != stamp && !meant {
		return // somebody is editing it: the next look decides
	}
	if s.stamp = after; err == nil && !meant {
		err = lost(s.book, b)
	}
	if s.err = err; err == nil {
		s.book = b
	}
}

// LostError means that too much of a playbook disappeared at once to be
// anything but an accident.
type LostError struct{ Gone, Total int }

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("%d of %d rules, guards, journeys, variables and replies are gone at once, as if a file were cut "+
		"or away; if that is meant, reload with SIGHUP or start again", e.Gone, e.Total)
}

// More entries than massLost, or more than one in shareLost of all, cannot
// disappear at once unless it is an accident. A single one can, unless it was
// the last.
const (
	massLost  = 5
	shareLost = 5
)

func lost(old, now *Book) error {
	gone := missing(old.guidelines, now.guidelines) + missing(old.journeys, now.journeys) + missing(old.variables, now.variables) +
		missing(old.replies, now.replies)
	for _, g := range old.guards {
		if !slices.ContainsFunc(now.guards, func(n *guard.Guard) bool { return n.ID == g.ID }) {
			gone++
		}
	}
	total := old.size()
	if gone > massLost || gone > 1 && shareLost*gone > total || gone > 0 && now.size() == 0 {
		return &LostError{gone, total}
	}
	return nil
}

func (b *Book) size() int {
	return len(b.guards) + len(b.guidelines) + len(b.journeys) + len(b.variables) + len(b.replies)
}

// missing counts the ids of old that are not in now.
func missing[T any](old, now map[string]T) (n int) {
	for id := range old {
		if _, ok := now[id]; !ok {
			n++
		}
	}
	return n
}

// look returns names, sizes and times of the files without reading them, and when
// anything about them last changed (the time that no program can set back).
func (s *Source) look() (stamp string, touched time.Time) {
	files, err := yamlFiles(s.dir)
	if err != nil {
		return err.Error(), time.Time{}
	}
	var b strings.Builder
	for _, name := range append(files, s.dir) {
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		if at := machine.Changed(info); at.After(touched) {
			touched = at
		}
		if name != s.dir {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String(), touched
}
