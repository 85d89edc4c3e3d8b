package modellog_test

import (
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/memorytest"
	"parley/internal/memory/modellog"
)

var bg = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rig is a database of messages with its tape.
type rig struct {
	t     *testing.T
	dir   string
	store *memory.Store
	tape  *modellog.Tape
	n     int
	ahead time.Duration // of the clock
}

func (r *rig) now() time.Time { return time.Now().Add(r.ahead) }

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: filepath.Join(t.TempDir(), "data")}
	must(t, os.MkdirAll(r.dir, 0o700)) // without a database there
	var err error
	r.store, err = memorytest.Try(t, r.dir, memory.Options{Now: r.now})
	must(t, err)
	t.Cleanup(func() { must(t, r.store.Close()) })
	r.open()
	return r
}

// open opens the tape, or reopens it, so that waiting calls are stored.
func (r *rig) open() {
	r.t.Helper()
	must(r.t, r.tape.Close())
	tp, err := modellog.Open(bg, modellog.Options{File: filepath.Join(r.dir, "traces.db"), Keep: 30 * 24 * time.Hour,
		MaxSize: 100 << 20, Witness: r.store.Witness(), Now: r.now})
	must(r.t, err)
	r.tape = tp
	r.t.Cleanup(func() { must(r.t, tp.Close()) })
	r.store.Forgetting, r.store.Past.Deleting = tp.ForgetPerson, tp.ForgetSession
}

// accept stores a message of a person in a place.
func (r *rig) accept(user, place string) chat.Message {
	r.t.Helper()
	r.n++
	m := chat.Message{ID: fmt.Sprint(r.n), Key: chat.Key{Platform: "x", Channel: place}, From: chat.User{ID: user, Name: user},
		Text: "x", Addressed: true, At: time.Now()}
	in, err := r.store.Accept(bg, chat.Batch{Platform: "x", Messages: []chat.Message{m}})
	must(r.t, err)
	return in[0]
}

// ask asks a model for a message, with words in the prompt.
func (r *rig) ask(m chat.Message, words string) {
	req := llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Content: strings.Repeat("You are kind. ", 40)},
		{Role: llm.RoleUser, Content: words + strings.Repeat(" and more of it", 30)}}}
	_, _ = modellog.Model{Model: parrot{words}, Tape: r.tape, Name: "main", Purpose: "answer"}.Complete(chat.PaidBy(bg, m), req, nil)
}

type parrot struct{ words string }

func (p parrot) Complete(context.Context, llm.Request, func(string)) (llm.Response, error) {
	return llm.Response{Message: llm.Message{Content: "you said " + p.words}}, nil
}

// finish ends a message whose answer used words of some people.
func (r *rig) finish(m chat.Message, people ...string) {
	r.t.Helper()
	now := time.Now()
	se := memory.Session{ID: "s-" + m.Key.Channel, Key: m.Key, Status: memory.Active, Created: now, LastActivity: now,
		Expires: now.Add(time.Hour)}
	must(r.t, r.store.Finish(bg, m, nil, &memory.Turn{Session: &se, Entries: []memory.Entry{{Role: "user", User: m.From.ID,
		Content: "x", MessageID: m.ID, At: now}},
		Decision: memory.Decision{Session: se.ID, End: chat.End{Outcome: chat.Answered}, Detail: memory.Detail{Reason: "because"},
			Origin: memory.Origin{People: people}}}))
}

// has counts a word in all stored calls.
func (r *rig) has(word string) (n int) {
	r.t.Helper()
	r.open()
	for row := range int64(r.n + 1) {
		for _, place := range []string{"a", "b", "c", "room", ""} {
			k := chat.Key{Platform: "x", Channel: place}
			if place == "" {
				k = chat.Key{}
			}
			list, err := r.tape.List(bg, modellog.Query{Row: row, Key: k, To: r.now().Add(time.Hour)})
			must(r.t, err)
			for _, c := range list {
				whole, err := r.tape.Read(bg, c.ID)
				must(r.t, err)
				n += strings.Count(whole.Request+whole.Answer, word)
			}
		}
	}
	return n
}

// inFile reports whether a word is in any compressed part of the file, even in a free page.
func (r *rig) inFile(word string) bool {
	r.t.Helper()
	must(r.t, r.tape.Close())
	b, err := os.ReadFile(filepath.Join(r.dir, "traces.db"))
	must(r.t, err)
	for i := range b {
		out, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[i:])), 4096)) // most offsets begin nothing
		if strings.Contains(string(out), word) {
			return true
		}
	}
	return false
}

// When a person is forgotten, every call with their words is deleted: calls for them, calls in
// places where they spoke, calls that used their words for others, calls of unknown origin, and
// calls under way. Other people's calls stay.
func TestForgettingReachesCalls(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		user, place, words string
		people             []string
	}{
		{"x:ada", "a", "adasword alone", nil},
		{"x:ada", "room", "adasword among others", nil},
		{"x:bob", "room", "adasword again", nil},
		{"x:bob", "b", "adasword recalled", []string{"x:ada"}},
		{"x:bob", "b", "adasword of anybody", []string{"*"}},
		{"x:bob", "b", "bobsword", nil},
		{"x:cyd", "c", "cydsword", []string{"x:bob"}},
	} {
		m := r.accept(c.user, c.place)
		r.ask(m, c.words)
		r.finish(m, c.people...)
	}
	r.ask(chat.Message{Key: chat.Key{Platform: "x", Channel: "b"}, From: chat.User{ID: "x:bob"}}, "adasword summed up") // nobody's message
	late := r.accept("x:bob", "b")
	r.ask(late, "adasword in a turn that goes on")
	if r.has("adasword") == 0 || r.has("bobsword") == 0 || !r.inFile("adasword") {
		t.Fatal("no call is stored, so the test proves nothing")
	}
	r.open()
	must(t, r.store.ForgetPerson(bg, "x:ada", 0))
	r.ask(late, "adasword still in its memory")
	r.ask(chat.Message{Key: chat.Key{Platform: "x", Channel: "b"}}, "adasword in a summary that goes on")
	later := r.accept("x:bob", "b")
	r.ask(later, "bobsword afterwards")
	r.finish(later)
	if n := r.has("adasword"); n != 0 {
		t.Errorf("%d words of hers are left", n)
	}
	if r.has("bobsword") < 4 || r.has("cydsword") == 0 {
		t.Errorf("calls of others were deleted: %d, %d", r.has("bobsword"), r.has("cydsword"))
	}
	if r.inFile("adasword") {
		t.Error("her words are left in the file")
	}
}

// Deleting a session deletes the calls of everybody who could read it.
func TestDeletingASessionReachesCalls(t *testing.T) {
	r := newRig(t)
	for _, c := range [][3]string{{"x:ada", "room", "gone one"}, {"x:bob", "room", "gone two"}, {"x:bob", "b", "gone recalled"},
		{"x:cyd", "c", "staying"}} {
		m := r.accept(c[0], c[1])
		r.ask(m, c[2])
		r.finish(m)
	}
	r.open()
	must(t, r.store.Past.Delete(bg, "s-room"))
	if r.has("gone") != 0 || r.has("staying") == 0 {
		t.Errorf("%d are left, %d stay", r.has("gone"), r.has("staying"))
	}
}

// Calls for messages that retention deleted are deleted, too.
func TestRetentionReachesCalls(t *testing.T) {
	r := newRig(t)
	for _, user := range []string{"a", "b"} {
		m := r.accept("x:"+user, user)
		r.ask(m, user+"sword")
		r.finish(m)
	}
	se, err := r.store.Sessions.SessionByID(bg, "s-a")
	must(t, err)
	_, err = r.store.Sessions.EndSession(bg, se, memory.Completed, memory.Closing{}, false)
	must(t, err)
	must(t, r.store.Sessions.ArchiveSession(bg, se, memory.Closing{Text: "over"}))
	r.ahead = 72 * time.Hour
	_, err = r.store.Prune(bg, memory.Retention{Days: 1})
	must(t, err)
	r.open()
	must(t, r.tape.Prune(bg))
	if r.has("asword") != 0 || r.has("bsword") == 0 {
		t.Errorf("%d are left, %d stay", r.has("asword"), r.has("bsword"))
	}
}
