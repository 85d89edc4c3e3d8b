package gate_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
)

// talk is one place with its rows: what is said there goes through the inbox, and the
// answers through the outbox, as the platform's messages 1, 2, 3 and so on.
type talk struct {
	t *testing.T
	s *memory.Store
	h chat.Handler
	n int
}

// say has somebody say m and returns the platform's id of the answer.
func (k *talk) say(m chat.Message, want string) (id string) {
	k.t.Helper()
	m = k.accept(m)
	a := handle(k.t, k.h, m)
	wantText(k.t, a, want)
	return k.sent(m, a)
}

func (k *talk) accept(m chat.Message) chat.Message {
	k.t.Helper()
	k.n++
	m.ID, m.At = fmt.Sprint("in", k.n), time.Now()
	in, err := k.s.Accept(k.t.Context(), chat.Batch{Platform: m.Key.Platform, Messages: []chat.Message{m}})
	must(k.t, err)
	return in[0]
}

func (k *talk) sent(m chat.Message, a chat.Answer) (id string) {
	k.t.Helper()
	k.n++
	parts := []chat.Part{{Key: m.Key, Text: a.Text, To: m.From}}
	if a.Text == "" {
		parts = nil
	}
	must(k.t, k.s.Finish(k.t.Context(), m, parts, nil))
	id = fmt.Sprint(k.n)
	for _, p := range parts {
		must(k.t, k.s.Mark(k.t.Context(), p, chat.PartSent, id, time.Time{}))
	}
	return id
}

// asks has the bot ask m's author to delete something.
func (k *talk) asks(d *desk, m chat.Message, what string) (id string) {
	k.t.Helper()
	m = k.accept(m)
	return k.sent(m, d.ask(k.t, m, what))
}

// TestYesBelongsToItsQuestion: words are an answer only where they stand for one: in a
// reply to the question, in a group by the bot's name, in a direct chat right after it.
func TestYesBelongsToItsQuestion(t *testing.T) {
	reply := func(m chat.Message, to string) chat.Message { m.ReplyTo = to; return m }
	heard := func(m chat.Message) chat.Message { m.Addressed = true; return m } // as behind the gate
	for name, tt := range map[string]struct {
		in    func(user, text string) chat.Message
		says  func(yes chat.Message, question, other string) chat.Message
		other bool // something else was said since
		want  int32
	}{
		"group, to nobody": {group, func(m chat.Message, _, _ string) chat.Message { return heard(m) }, false, 0},
		"group, to somebody else": {group, func(m chat.Message, _, _ string) chat.Message { return heard(reply(m, "beer")) },
			false, 0},
		"group, to another message of ours":  {group, func(m chat.Message, _, o string) chat.Message { return heard(reply(m, o)) }, true, 0},
		"group, by name to somebody else":    {named, func(m chat.Message, _, _ string) chat.Message { return reply(m, "beer") }, false, 0},
		"group, to the question":             {group, func(m chat.Message, q, _ string) chat.Message { return reply(m, q) }, false, 1},
		"group, to the question, later":      {group, func(m chat.Message, q, _ string) chat.Message { return reply(m, q) }, true, 1},
		"group, by name":                     {named, func(m chat.Message, _, _ string) chat.Message { return m }, false, 1},
		"direct, right after":                {direct, func(m chat.Message, _, _ string) chat.Message { return m }, false, 1},
		"direct, to the question":            {direct, func(m chat.Message, q, _ string) chat.Message { return reply(m, q) }, true, 1},
		"direct, to somebody else":           {direct, func(m chat.Message, _, _ string) chat.Message { return reply(m, "beer") }, false, 0},
		"direct, to another message of ours": {direct, func(m chat.Message, _, o string) chat.Message { return reply(m, o) }, true, 0},
		"direct, after something else":       {direct, func(m chat.Message, _, _ string) chat.Message { return m }, true, 0},
		"direct, after a reminder":           {direct, func(m chat.Message, _, _ string) chat.Message { return m }, false, 0},
		"direct, by name, to another message": {direct, func(m chat.Message, _, o string) chat.Message {
			m = reply(m,
				o)
			m.Named = true
			return m
		}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			dir := filepath.Join(t.TempDir(), "data")
			k := &talk{t: t, s: reopen(t, dir, c)}
			d := newDesk(t, k.s, c)
			question, other := k.asks(d, tt.in(owner, "delete it"), "1"), ""
			if tt.other {
				m := k.accept(tt.in(owner, "hello"))
				other = k.sent(m, chat.Answer{Text: "Feed the cat."})
			}
			if strings.HasSuffix(name, "reminder") {
				must(t, k.s.Notify(t.Context(), "a reminder", []chat.Part{{Key: tt.in(owner, "").Key, Text: "Feed the cat."}}))
			}
			must(t, k.s.Close()) // another process hears the answer
			k.s = reopen(t, dir, c)
			d = newDesk(t, k.s, c)
			yes := k.accept(tt.says(tt.in(owner, "yes"), question, other))
			if waits, err := d.Waits(t.Context(), yes); err != nil || waits != (tt.want == 1) {
				t.Errorf("it waits for that: %v, %v", waits, err)
			}
			handle(t, d.h, yes)
			if got := d.done.Load(); got != tt.want {
				t.Errorf("done %d times, want %d", got, tt.want)
			}
		})
	}
}

// TestQuestionsAreRepeated: below a later answer a question is the last thing said again,
// and of several each is answered where it stands.
func TestQuestionsAreRepeated(t *testing.T) {
	c := newClock()
	k := &talk{t: t, s: store(t, c)}
	d := newDesk(t, k.s, c)
	k.h = d.h
	first := k.asks(d, direct(owner, "x"), "1")
	c.pass(time.Second)
	k.asks(d, direct(owner, "x"), "2")
	again := k.say(direct(owner, "what time is it?"), "agent\n\n_I am still waiting")
	yes := direct(owner, "yes")
	yes.ReplyTo = first
	k.say(yes, "gone")
	if d.last.Load() != "1" {
		t.Errorf("did %v", d.last.Load())
	}
	yes.ReplyTo = again
	k.say(yes, "gone")
	if d.last.Load() != "2" {
		t.Errorf("did %v", d.last.Load())
	}
}

// TestStoppedAnswersRepeatQuestions: what /stop cuts short says what still waits, and a yes in
// words is then the answer to that.
func TestStoppedAnswersRepeatQuestions(t *testing.T) {
	c := newClock()
	k := &talk{t: t, s: store(t, c)}
	d := newDesk(t, k.s, c)
	k.asks(d, direct(owner, "x"), "1")
	ctx, cancel := context.WithCancelCause(t.Context())
	m := k.accept(direct(owner, "tell me a lot"))
	d.agent.before = func() { cancel(chat.ErrStopped) }
	a, err := d.h.Handle(ctx, m, nil)
	must(t, err)
	wantText(t, a, "agent\n\n_I am still waiting for your yes or no:_")
	k.sent(m, a)
	handle(t, d.h, k.accept(direct(owner, "yes")))
	if d.done.Load() != 1 {
		t.Errorf("done %d times", d.done.Load())
	}
}

// TestFormsWaitForWordsSaidToThem: what a server asks is answered like anything else, and
// not while people answer.
func TestFormsWaitForWordsSaidToThem(t *testing.T) {
	c := newClock()
	k := &talk{t: t, s: store(t, c)}
	d := newDesk(t, k.s, c)
	k.h = d.h
	passes := false
	d.Passes = func(_ context.Context, _ chat.Message) (bool, error) { return passes, nil }
	ask := func(m chat.Message, form chat.Form) {
		m = k.accept(m)
		a, q, err := d.Form(t.Context(), m, gate.Action{Kind: "delete", Args: []byte("1"), Form: &form,
			Items: []gate.Item{{Say: "Your name?", Args: []byte("1")}}})
		must(t, err)
		must(t, k.s.Questions.PutQuestion(t.Context(), q, ""))
		k.sent(m, a)
	}
	ask(group(owner, "x"), chat.Form{})
	k.say(group(owner, "anyone up for a beer?"), "agent")
	k.say(group(owner, "no"), "agent")
	k.say(named(owner, "Ann"), "gone")
	ask(direct(owner, "x"), chat.Form{})
	passes = true
	k.say(direct(owner, "my words to people"), "agent")
	passes = false
	k.say(direct(owner, "/status"), "agent")
	k.say(direct(owner, "Ann"), "gone")
	ask(direct(owner, "x"), chat.Form{Choices: []string{"red", "blue"}})
	k.say(direct(owner, "what is the weather?"), "agent")
	k.say(direct(owner, "Blue"), "gone")
	ask(direct(owner, "x"), chat.Form{Consent: true})
	k.say(direct(owner, "what is the weather?"), "agent")
	k.say(direct(owner, "ja"), "gone")
}
