package discord

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// TestFaultDeadLine: a connection over which nothing comes any more, though it
// takes what is written, is given up when a heartbeat is not answered, and what
// was said meanwhile is heard.
func TestFaultDeadLine(t *testing.T) {
	t.Parallel()
	const interval = time.Second
	s, in := fake(t), newIntake()
	line := s.NewLine()
	t.Cleanup(line.Close)
	s.Behind(line.Address())
	s.Heartbeat(interval)
	connected(t, in, s)
	until(t, "two heartbeats", func() bool { return len(s.Beats()) >= 2 })
	line.Cut()
	began := time.Now()
	s.Message("", "10", "42", "are you there?")
	until(t, "back", func() bool { return len(in.texts()) == 1 })
	t.Logf("seen after %v at a heartbeat of %v", time.Since(began), interval)
	if s.Identifies() != 1 || s.Resumes() != 1 {
		t.Errorf("%d identifies, %d resumes", s.Identifies(), s.Resumes())
	}
}

// stuck is an intake whose disk stands still until let go.
type stuck struct {
	*intake
	gate chan struct{}
}

// Deliver implements chat.Intake.
func (s *stuck) Deliver(ctx context.Context, b chat.Batch) error {
	<-s.gate
	return s.intake.Deliver(ctx, b)
}

// TestFaultSlowIntake: while nothing can be stored, hundreds of messages come
// and the heartbeats go on; nothing of it is lost, and no connection.
func TestFaultSlowIntake(t *testing.T) {
	t.Parallel()
	const interval, n = time.Second, 400 // a busy machine takes its time to answer a heartbeat
	s, in := fake(t), &stuck{newIntake(), make(chan struct{})}
	s.Heartbeat(interval)
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{Identify: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Run(ctx, in) }()
	defer func() { cancel(); <-done }()
	until(t, "connected", func() bool { return s.Connected() > 0 })
	for i := range n {
		s.Message("", "10", "42", fmt.Sprint(i))
	}
	first := len(s.Beats())
	until(t, "heartbeats", func() bool { return len(s.Beats()) >= first+3 })
	close(in.gate)
	until(t, "all", func() bool { return len(in.texts()) == n })
	for i, text := range in.texts() {
		if text != fmt.Sprint(i) {
			t.Fatalf("message %d is %q", i, text)
		}
	}
	if s.Resumes() > 0 || s.Identifies() != 1 {
		t.Errorf("%d sessions, %d resumes", s.Identifies(), s.Resumes())
	}
}

// TestFaultFlapping: a gateway that takes connections and drops them at once
// is left alone longer and longer.
func TestFaultFlapping(t *testing.T) {
	if os.Getenv("PARLEY_FAULTS") == "" {
		t.Skip("takes 15 s; PARLEY_FAULTS=1 plays it")
	}
	s, in := fake(t), newIntake()
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{Open: time.Second,
		RetryMin: 250 * time.Millisecond, RetryMax: 4 * time.Second, Identify: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Run(ctx, in) }()
	for ctx.Err() == nil {
		s.Wait(50*time.Millisecond, func() bool { return s.Connected() > 0 })
		s.Drop()
	}
	<-done
	// The pause doubles from a quarter of a second to four, and half of it is chance: 60
	// or more without backing off become 11 at most.
	tries := s.Identifies() + s.Resumes()
	t.Logf("%d connections in 15 s, %d of them identified", tries, s.Identifies())
	if tries < 4 || tries > 11 || s.Identifies() > 2 {
		t.Errorf("%d connections in 15 s, %d of them identified", tries, s.Identifies())
	}
}

// TestFaultLateInteraction: an answer that comes after an interaction's token
// has died is a message in the channel, for its author alone where it is
// private.
func TestFaultLateInteraction(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{Open: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	var ahead atomic.Int64
	a.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	running(t, a, in, s)
	s.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "ask"})
	until(t, "delivered", func() bool { return len(in.texts()) == 1 })
	m := in.last()
	part := func(nonce string, private bool) chat.Part {
		return chat.Part{Key: m.Key, Origin: m.Origin, To: m.From, Text: nonce, Nonce: nonce, Private: private,
			Sending: chat.Sending{At: time.Now()}}
	}
	ahead.Store(int64(16 * time.Minute))
	for _, p := range []chat.Part{part("late", false), part("late and private", true)} {
		if _, err := a.Send(context.Background(), p); err != nil {
			t.Error(err)
		}
	}
	ahead.Store(0) // and one that Discord has forgotten early
	s.Fail(discordtest.Fault{Method: "PATCH", Path: "/webhooks/", Status: 404, Code: 10015})
	if _, err := a.Send(context.Background(), part("forgotten", false)); err != nil {
		t.Error(err)
	}
	var got []string
	for _, sent := range s.Sent() {
		got = append(got, sent.Channel+": "+sent.Content)
	}
	if want := []string{"50: late", "dm42: late and private", "50: forgotten"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("sent %q", got)
	}
	if n := len(s.Calls("PATCH", "/webhooks/")); n != 1 {
		t.Errorf("a dead token was used %d times", n-1)
	}
}

// TestFaultGoneWhileAnswering: what is answered may be deleted meanwhile: the
// preview, the channel, or the thread is archived. It ends after a call or two.
func TestFaultGoneWhileAnswering(t *testing.T) {
	s, _, a := live(t)
	ctx := context.Background()
	preview := func(channel string, row int64) string {
		id, _, err := a.Preview(ctx, chat.Message{ID: "5", Row: row, Key: chat.Key{Platform: Platform, Channel: channel},
			Addressed: true}, "", "Hel")
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	send := func(channel, id string) error {
		_, err := a.Send(ctx, chat.Part{Key: chat.Key{Platform: Platform, Channel: channel}, Text: "Hello", Nonce: "final" + channel,
			Sending: chat.Sending{Preview: id, At: time.Now()}})
		return err
	}
	if err := send("50", preview("50", 1)+"0"); err != nil { // no such message any more
		t.Errorf("a deleted preview: %v", err)
	}
	id := preview("51", 2)
	s.Gone("51", 10003)
	var gone *chat.GoneError
	if err := send("51", id); !errors.As(err, &gone) {
		t.Errorf("a deleted channel: %v", err)
	}
	s.Thread("60", "50")
	id = preview("60", 3)
	s.Archive("60")
	if err := send("60", id); err != nil {
		t.Errorf("an archived thread: %v", err)
	}
	calls := 0
	for _, method := range []string{"POST", "PATCH"} {
		calls += len(s.Calls(method, "/channels/51/")) + len(s.Calls(method, "/channels/60"))
	}
	if calls > 6 { // two previews, one refusal, and three to unarchive and edit
		t.Errorf("%d calls", calls)
	}
	texts := map[string]string{}
	for _, m := range s.Sent() {
		texts[m.Channel] = m.Content
	}
	if texts["50"] != "Hello" || texts["60"] != "Hello" {
		t.Errorf("shown %v", texts)
	}
}
