package playbook

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Source is a folder whose Book is kept up to date. It has no goroutine: the
// files are looked at when a Book is asked for, at most once a second.
type Source struct {
	dir     string
	options Options
	cache   *cache

	mu      sync.Mutex // guards the rest
	book    *Book
	err     error
	stamp   string // names, sizes and times of the files that were read last
	checked time.Time
}

// checkEvery is how long a look at the files is good for.
const checkEvery = time.Second

// Open loads dir. A playbook that is wrong at the start is an error; see Load.
func Open(dir string, o Options) (*Source, error) {
	s := &Source{dir: dir, options: o, cache: newCache()}
	s.stamp = s.look()
	var err error
	s.book, err = load(dir, o, s.cache)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Book is the newest good Book, never nil. The error is what is wrong with the
// files that are there now, while an earlier Book stays in force. It may read
// files; now is the caller's clock.
func (s *Source) Book(now time.Time) (*Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if age := now.Sub(s.checked); age >= 0 && age < checkEvery {
		return s.book, s.err
	}
	s.checked = now
	if stamp := s.look(); stamp != s.stamp {
		s.stamp = stamp
		s.read()
	}
	return s.book, s.err
}

// Reload reads the files now, changed or not.
func (s *Source) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamp = s.look()
	s.read()
	return s.err
}

func (s *Source) read() {
	b, err := load(s.dir, s.options, s.cache)
	if s.err = err; err == nil {
		s.book = b
	}
}

// look says what the files are like, without reading them.
func (s *Source) look() string {
	files, err := yamlFiles(s.dir)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
