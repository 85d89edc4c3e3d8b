package matrix

import (
	"testing"
	"time"

	"parley/internal/adapters/matrix/matrixtest"
	"parley/internal/chat/chattest"
)

func TestContract(t *testing.T) { chattest.Contract(t, rig) }

const ann = "@ann:example.org:8448"

// server starts a fake homeserver.
func server(t *testing.T) *matrixtest.Server {
	s := matrixtest.New()
	t.Cleanup(s.Close)
	return s
}

// adapter makes an adapter whose waits are short.
func adapter(t *testing.T, s *matrixtest.Server, change func(*Options)) *Adapter {
	t.Helper()
	o := Options{Server: s.URL(), Token: matrixtest.Token, Timing: Timing{Poll: 2 * time.Second, Send: 5 * time.Second,
		RetryMin: 10 * time.Millisecond, RetryMax: 50 * time.Millisecond, Edit: 20 * time.Millisecond}}
	if change != nil {
		change(&o)
	}
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// rig returns the adapter on a fake homeserver.
func rig(t *testing.T) chattest.Rig {
	s := server(t)
	room := s.Direct(ann)
	last := ""
	fail := func(f matrixtest.Fault) func() {
		return func() {
			f.Method, f.Path = "PUT", "/send/"
			s.Fail(f)
		}
	}
	return chattest.Rig{
		Adapter:  adapter(t, s, nil),
		Identity: Identity,
		Person:   "matrix:" + ann,
		Say:      func(text string) { last = s.Say(room, ann, text, nil) },
		Stop:     func() { s.Say(room, ann, "/stop", nil) },
		Again:    func() { s.Again(last) },
		Edit:     func(text string) { s.Edit(room, ann, last, text) },
		Delete:   func() { s.Redact(room, ann, last) },
		Shown:    s.Texts,
		Errors: map[chattest.Class]func(){
			chattest.Waits:   fail(matrixtest.Fault{Status: 429, Code: "M_LIMIT_EXCEEDED", Wait: 35 * time.Second}),
			chattest.Gone:    fail(matrixtest.Fault{Status: 403, Code: "M_FORBIDDEN"}),
			chattest.Unknown: fail(matrixtest.Fault{Cut: true, After: true}),
			chattest.Refused: fail(matrixtest.Fault{Status: 403, Page: true}),
		},
	}
}
