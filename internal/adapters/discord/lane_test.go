package discord

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// TestStalledPlaceHoldsUpNobody: while Discord does not answer about one place,
// what is said elsewhere is heard at once and heartbeats go out on time; what
// was said there is heard afterwards, in order.
func TestStalledPlaceHoldsUpNobody(t *testing.T) {
	t.Parallel()
	const interval = 500 * time.Millisecond // a busy machine must be able to keep it
	s, in := fake(t), newIntake()
	s.Heartbeat(interval)
	connected(t, in, s)
	lifts := []func(){s.Stall("GET", "/channels/50"), s.Stall("GET", "/guilds/77")}
	for i := range 5 {
		s.Message("77", "50", "42", fmt.Sprintf("<@9000> 50/%d", i))
	}
	s.Interaction(discordtest.Use{Guild: "77", Channel: "50", User: "42", Command: "help"})
	first := len(s.Beats())
	for i := range 5 {
		s.Message("", "10", "42", fmt.Sprintf("10/%d", i))
		until(t, "a direct message", func() bool { return len(in.texts()) == i+1 })
	}
	until(t, "heartbeats", func() bool { return len(s.Beats()) >= first+3 })
	if in.last().Text != "10/4" || s.Identifies() != 1 || s.Resumes() > 0 {
		t.Errorf("heard %q; %d sessions, %d resumes", in.texts(), s.Identifies(), s.Resumes())
	}
	for _, lift := range lifts {
		lift()
	}
	until(t, "the rest", func() bool { return len(in.texts()) == 11 })
	for i, text := range in.texts()[5:10] {
		if text != fmt.Sprintf("50/%d", i) {
			t.Errorf("%d is %q", i, text)
		}
	}
	if last := in.last(); last.Kind != chat.KindCommand || last.Key.Channel != "50" {
		t.Errorf("last came %+v", last)
	}
}

// TestLookupsAreTriedAgain: a thread is known as one also when Discord fails
// while it is asked.
func TestLookupsAreTriedAgain(t *testing.T) {
	s, in, _ := live(t)
	s.Thread("55", "50")
	s.Fail(discordtest.Fault{Method: "GET", Path: "/channels/55", Status: 500, Times: 3})
	s.Message("77", "55", "42", "in a thread")
	until(t, "heard", func() bool { return len(in.texts()) == 1 })
	if want := (chat.Key{Platform: Platform, Channel: "50", Thread: "55"}); in.last().Key != want {
		t.Errorf("heard in %s", in.last().Key)
	}
}
