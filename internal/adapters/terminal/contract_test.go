package terminal

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"parley/internal/chat/chattest"
)

func TestContract(t *testing.T) { chattest.Contract(t, rig) }

// screenful is standard output as a test reads it.
type screenful struct {
	mu     sync.Mutex // guards the rest
	b      bytes.Buffer
	broken bool
}

func (s *screenful) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return 0, errors.New("broken pipe")
	}
	return s.b.Write(p)
}

func (s *screenful) lines() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(s.b.String()) {
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
	return list
}

// rig returns the adapter in a pipe. What was typed is typed: it is not told twice,
// changed or taken back. Typing is stopped by Ctrl-C.
func rig(t *testing.T) chattest.Rig {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	out := &screenful{}
	a := New(Options{In: r, Out: out})
	return chattest.Rig{
		Adapter:  a,
		Identity: Identity,
		Person:   "terminal:local",
		Say: func(text string) {
			if _, err := w.WriteString(text + "\n"); err != nil {
				t.Error(err)
			}
		},
		Stop:  func() { a.interrupt <- struct{}{} },
		Shown: out.lines,
		Errors: map[chattest.Class]func(){
			chattest.Gone: func() {
				out.mu.Lock()
				defer out.mu.Unlock()
				out.broken = true
			},
		},
	}
}
