package chattest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/text/waittest"
)

// Contract tests that an adapter keeps the contract of chat.Adapter. rig makes a fresh one,
// on a wire of its own, that ends with its test.
func Contract(t *testing.T, rig func(t *testing.T) Rig) {
	for name, test := range map[string]func(*testing.T, Rig){
		"who and where": identity,
		"order":         order,
		"duplicates":    duplicates,
		"edits":         edits,
		"deletions":     deletions,
		"cancel":        cancels,
		"drain":         drains,
		"splitting":     splits,
		"repeating":     repeats,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, rig(t))
		})
	}
	t.Run("errors", func(t *testing.T) {
		t.Parallel()
		fails(t, rig)
	})
}

// identity: a message names its place and its author in the forms that all other
// rooms rely on.
func identity(t *testing.T, r Rig) {
	s := start(t, r, nil)
	r.Say("hello")
	m := s.heard()
	s.reads("re: hello")
	platform := r.Adapter.Platform()
	if platform == "" || m.Key.Platform != platform || !strings.HasPrefix(m.From.ID, platform+":") {
		t.Errorf("platform %q, from %q in %q", platform, m.From.ID, m.Key)
	}
	where, local := chat.CutID(m.From.ID)
	if r.Identity.Platform != where || !r.Identity.Person(local) || r.Identity.Person("") || r.Identity.Person(local+":1") {
		t.Errorf("the grammar of ids does not fit %q", m.From.ID)
	}
	if k, ok := chat.ParseKey(m.Key.String()); !ok || k != m.Key {
		t.Errorf("the conversation %+v is read back as %+v, %t", m.Key, k, ok)
	}
	if m.From.ID != r.Person || m.ID == "" || m.Text != "hello" || m.Kind != chat.KindText {
		t.Errorf("message %+v", m)
	}
	if !m.Direct || !m.Addressed || m.Forwarded || m.Admin || m.At.IsZero() {
		t.Errorf("a line in a direct chat: %+v", m)
	}
	c, ok := r.Adapter.(chat.Confidant)
	if !ok {
		return
	}
	if _, ok := c.DirectKey(m.From); !ok {
		t.Errorf("%q has no direct chat", m.From.ID)
	}
	if k, ok := c.DirectKey(chat.User{ID: "elsewhere:42"}); ok {
		t.Errorf("somebody of another platform has the direct chat %q", k)
	}
}

// order: messages are answered in the order in which they were sent.
func order(t *testing.T, r Rig) {
	s := start(t, r, nil)
	var want []string
	for i := range 10 {
		r.Say(fmt.Sprint("line ", i))
		want = append(want, fmt.Sprint("re: line ", i))
	}
	s.reads(want...)
}

// duplicates: an event that the platform delivers twice is answered once.
func duplicates(t *testing.T, r Rig) {
	if r.Again == nil {
		t.Skip("this platform tells everything once")
	}
	s := start(t, r, nil)
	r.Say("one")
	r.Again()
	s.reads("re: one")
	r.Again()
	r.Say("two")
	s.reads("re: one", "re: two")
}

// behind returns a stage where a first message is being answered and a second one
// waits. release lets the first one end.
func behind(t *testing.T, r Rig) (s *stage, release func()) {
	gate := make(chan struct{})
	s = start(t, r, func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		select {
		case <-gate:
		case <-ctx.Done():
		}
		return echo(ctx, m, w)
	})
	r.Say("first")
	s.heard()
	r.Say("tea")
	s.waits(2)
	return s, func() { close(gate) }
}

// waits until the hub has this many messages.
func (s *stage) waits(n int) {
	s.t.Helper()
	s.until(fmt.Sprint(n, " messages in the hub"), func() bool { _, waiting := s.hub.Active(); return waiting == n })
}

// edits: an edit names the message that it changes, before and after that is
// answered.
func edits(t *testing.T, r Rig) {
	if r.Edit == nil {
		t.Skip("this platform has no edits")
	}
	s, release := behind(t, r)
	r.Edit("coffee")
	s.waits(3)
	release()
	s.reads("re: first", "re: coffee")
	r.Edit("water")
	s.until("the late edit", func() bool { return len(s.handled()) == 3 })
	got := s.handled()
	if late := got[2]; late.Kind != chat.KindEdit || late.ReplyTo != got[1].ID || late.ID == got[1].ID || late.Text != "water" ||
		late.From.ID != r.Person {
		t.Errorf("the edit of %+v is %+v", got[1], late)
	}
}

// deletions: a message that is deleted while it waits is not answered.
func deletions(t *testing.T, r Rig) {
	if r.Delete == nil {
		t.Skip("this platform tells of no deletions")
	}
	s, release := behind(t, r)
	r.Delete()
	s.waits(3)
	release()
	s.reads("re: first")
	r.Say("last")
	s.reads("re: first", "re: last")
}

// cancels: a person stops the answer to their question, and their next message is
// answered.
func cancels(t *testing.T, r Rig) {
	causes := make(chan error, 1)
	s := start(t, r, func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Text != "a long one" {
			return echo(ctx, m, w)
		}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return chat.Answer{Text: "so far"}, nil
	})
	r.Say("a long one")
	s.heard()
	r.Stop()
	if cause := <-causes; !errors.Is(cause, chat.ErrStopped) {
		t.Fatalf("ended by %v", cause)
	}
	s.reads("so far")
	r.Say("next")
	s.reads("so far", "re: next")
}

// drains: Run ends with its context while an answer is being written; the next
// process gives that answer, once.
func drains(t *testing.T, r Rig) {
	s := start(t, r, func(ctx context.Context, _ chat.Message, _ chat.Reply) (chat.Answer, error) {
		<-ctx.Done()
		return chat.Answer{}, context.Cause(ctx)
	})
	r.Say("one")
	s.heard()
	if err := s.end(); err != nil {
		t.Fatalf("Run: %v", err)
	}
	if parked := s.drain(time.Millisecond); parked != 1 || len(r.Shown()) != 0 {
		t.Fatalf("%d parked, said %q", parked, r.Shown())
	}
	for range 2 { // the second finds nothing left to do
		s.connect(nil)
		if err := s.hub.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.reads("re: one")
		s.drain(deadline)
	}
}

// splits: the pieces of an answer are what the platform takes, in order, with
// nothing lost.
func splits(t *testing.T, r Rig) {
	s := start(t, r, nil)
	r.Say("hello")
	m := s.heard()
	s.reads("re: hello")
	if pieces := r.Adapter.Split(""); len(pieces) != 0 {
		t.Errorf("nothing gives %q", pieces)
	}
	var words []string
	for i := range 2000 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	long := strings.Join(words, " ")
	pieces := r.Adapter.Split(long)
	if again := r.Adapter.Split(long); !slices.Equal(pieces, again) {
		t.Error("Split is not pure")
	}
	for i, text := range pieces {
		p := part(m, text)
		p.Index, p.Nonce = i, fmt.Sprintf("%025d", i)
		if _, err := r.Adapter.Send(t.Context(), p); err != nil {
			t.Fatalf("piece %d of %d, %d bytes: %v", i, len(pieces), len(text), err)
		}
	}
	var got []string
	whole := func() bool {
		got = strings.Fields(strings.Join(r.Shown(), " "))[2:] // behind "re: hello"
		return slices.Equal(got, words)
	}
	if !waittest.Within(deadline, whole) {
		t.Errorf("of %d words %d are shown in %d pieces", len(words), len(got), len(pieces))
	}
}

// repeats: a part that Idempotent allows to be sent again is shown once.
func repeats(t *testing.T, r Rig) {
	again, ok := r.Adapter.(chat.Repeater)
	if !ok {
		t.Skip("this platform shows whatever it gets")
	}
	s := start(t, r, nil)
	r.Say("hello")
	p := part(s.heard(), "answer")
	s.reads("re: hello")
	if !again.Idempotent(p) {
		t.Skip("not in a direct chat")
	}
	var ids []string
	for i := range 3 {
		p.Unknown = i
		id, err := r.Adapter.Send(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if ids[0] == "" || ids[1] != ids[0] || ids[2] != ids[0] {
		t.Errorf("sent as %q", ids)
	}
	s.reads("re: hello", "answer")
}

// fails: each failure of the wire gets the class that the hub acts on, and the
// platform is asked once.
func fails(t *testing.T, rig func(t *testing.T) Rig) {
	for _, class := range []Class{Waits, Gone, Unknown, Refused} {
		t.Run(string(class), func(t *testing.T) {
			r := rig(t)
			fail := r.Errors[class]
			if fail == nil {
				t.Skip("does not happen on this platform")
			}
			s := start(t, r, nil)
			r.Say("hello")
			m := s.heard()
			s.reads("re: hello")
			fail()
			id, err := r.Adapter.Send(t.Context(), part(m, "answer"))
			if got := classOf(err); got != class || id != "" {
				t.Errorf("%q, %v is %q", id, err, got)
			}
		})
	}
}
