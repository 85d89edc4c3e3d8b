package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// talk says n numbered messages in a direct chat.
func talk(s *discordtest.Server, channel string, from, n int) {
	for i := from; i < from+n; i++ {
		s.Message("", channel, "42", fmt.Sprintf("%s/%d", channel, i))
	}
}

// mutter says n numbered messages that only the history knows.
func mutter(s *discordtest.Server, channel string, from, n int) {
	for i := from; i < from+n; i++ {
		s.Missed(channel, "42", fmt.Sprintf("%s/%d", channel, i))
	}
}

// ordered fails unless each of the channels was heard whole and in order.
func ordered(t *testing.T, in *intake, n int, channels ...string) {
	t.Helper()
	want := map[string]int{}
	for _, m := range in.texts() {
		for _, c := range channels {
			if m == fmt.Sprintf("%s/%d", c, want[c]) {
				want[c]++
			}
		}
	}
	for _, c := range channels {
		if want[c] != n {
			t.Errorf("of channel %s, %d of %d messages came in order: %q", c, want[c], n, in.texts())
		}
	}
	if got := len(in.texts()); got != n*len(channels) {
		t.Errorf("%d messages, not %d", got, n*len(channels))
	}
}

// TestEveryGapIsRead: what is said while a session cannot be continued is read
// after each such gap of a process, not only the first, and what is said
// afterwards comes behind it.
func TestEveryGapIsRead(t *testing.T) {
	s, in, _ := live(t)
	talk(s, "10", 0, 2)
	s.Message("77", "50", "42", "50/0")
	s.Message("77", "50", "42", "50/1")
	until(t, "live", func() bool { return len(in.texts()) == 4 })
	n := 2
	for gap := range 3 {
		s.Lose()
		mutter(s, "10", n, 5)
		mutter(s, "50", n, 5)
		until(t, "back", func() bool { return s.Connected() > 0 && s.Identifies() == gap+2 })
		talk(s, "10", n+5, 2)
		s.Message("77", "50", "42", fmt.Sprint("50/", n+5))
		s.Message("77", "50", "42", fmt.Sprint("50/", n+6))
		n += 7
		until(t, fmt.Sprint("gap ", gap), func() bool { return len(in.texts()) >= 2*n })
	}
	ordered(t, in, n, "10", "50")
	for _, m := range in.got {
		if m.Direct != (m.Key.Channel == "10") || m.Addressed != m.Direct {
			t.Fatalf("%q in %s counts as direct: %v, addressed: %v", m.Text, m.Key, m.Direct, m.Addressed)
		}
	}
}

// TestLongGapIsReadInPages: more than a page is read to its end, and what comes
// while it is read waits behind it.
func TestLongGapIsReadInPages(t *testing.T) {
	s, in, _ := live(t)
	talk(s, "10", 0, 1)
	until(t, "live", func() bool { return len(in.texts()) == 1 })
	lift := s.Stall("GET", "/channels/10/messages")
	defer lift()
	s.Lose()
	mutter(s, "10", 1, 349)
	until(t, "back", func() bool { return s.Identifies() == 2 && s.Connected() > 0 })
	talk(s, "10", 350, 50)
	lift()
	until(t, "all", func() bool { return len(in.texts()) >= 400 })
	ordered(t, in, 400, "10")
}

// TestGapIsReadAgainAfterAFailure: while the history cannot be read, nothing
// newer of that channel is let by, it is said so, and other channels go on. A
// channel that may not be read any more holds nothing up.
func TestGapIsReadAgainAfterAFailure(t *testing.T) {
	s, in, a := live(t)
	for _, c := range []string{"10", "11", "12"} {
		talk(s, c, 0, 1)
	}
	until(t, "live", func() bool { return len(in.texts()) == 3 })
	s.Lose()
	s.Gone("12", 50001)
	s.Fail(discordtest.Fault{Method: "GET", Path: "/channels/10/messages", Status: 500, Times: 40})
	for _, c := range []string{"10", "11"} {
		mutter(s, c, 1, 1)
	}
	until(t, "back", func() bool { return s.Identifies() == 2 && s.Connected() > 0 })
	for _, c := range []string{"10", "11"} {
		talk(s, c, 2, 1)
	}
	talk(s, "12", 1, 2)
	until(t, "degraded", func() bool { _, ok := a.Health().(*chat.DegradedError); return ok })
	until(t, "all", func() bool { return len(in.texts()) >= 9 })
	ordered(t, in, 3, "10", "11", "12")
	until(t, "well again", func() bool { return a.Health() == nil })
}

// TestGapOfAChannelNeverHeard: in a channel of which nothing was ever stored,
// what was said since the last session is read; what is older is not.
func TestGapOfAChannelNeverHeard(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	old := s.Missed("60", "42", "long ago")
	s.Ahead(time.Second) // so that the ids differ in time
	connected(t, in, s)
	talk(s, "10", 0, 1)
	until(t, "live", func() bool { return len(in.texts()) == 1 })
	s.Lose()
	s.Ahead(2 * time.Second)
	last := s.Missed("61", "42", "<@9000> are you there?")
	s.Announce(map[string]any{"id": "77", "channels": []any{
		map[string]any{"id": "60", "type": 0, "last_message_id": old}, map[string]any{"id": "61", "type": 0, "last_message_id": last},
	}})
	until(t, "heard", func() bool { return len(in.texts()) == 2 })
	if m := in.last(); m.Text != "are you there?" || m.Direct || m.Guild != "77" {
		t.Errorf("heard %+v", m)
	}
	for _, c := range s.Calls("GET", "/channels/60") {
		t.Errorf("asked %s", c.Path)
	}
}

// TestGapOfARestart: a process that dies while it reads what was missed leaves
// nothing unread: the next one does not resume behind it.
func TestGapOfARestart(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	_, stop := connected(t, in, s)
	talk(s, "10", 0, 1)
	until(t, "live", func() bool { return len(in.texts()) == 1 })
	lift := s.Stall("GET", "/channels/10")
	defer lift()
	s.Lose()
	mutter(s, "10", 1, 3)
	until(t, "back", func() bool { return s.Identifies() == 2 && s.Connected() > 0 })
	s.Message("", "11", "42", "11/0")
	until(t, "another channel", func() bool { return len(in.texts()) == 2 })
	stop()
	lift()
	connected(t, in, s)
	until(t, "all", func() bool { return len(in.texts()) == 5 })
}

// TestSilentResume: a RESUME that is never answered is tried twice and then
// given up for a new session, also when each try has a process of its own.
func TestSilentResume(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		s, in := fake(t), newIntake()
		_, stop := connected(t, in, s)
		talk(s, "10", 0, 1)
		until(t, "live", func() bool { return len(in.texts()) == 1 })
		s.Deafen(1000)
		if restarts {
			stop()
		}
		s.Drop()
		mutter(s, "10", 1, 1)
		for i := 0; restarts && i < 2; i++ {
			stop := dialing(t, in, s)
			until(t, "a try", func() bool { return s.Unheard() == i+1 })
			until(t, "noted", func() bool { return tries(in) == i+1 })
			stop()
		}
		if restarts {
			dialing(t, in, s)
		}
		until(t, "heard again", func() bool { return len(in.texts()) == 2 })
		if n := s.Unheard(); n != 2 || s.Identifies() != 2 {
			t.Errorf("with restarts %v: %d silent RESUMEs, %d sessions", restarts, n, s.Identifies())
		}
	}
}

// dialing starts an adapter that may never come to be connected.
func dialing(t *testing.T, in *intake, s *discordtest.Server) (stop func()) {
	t.Helper()
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{Open: time.Second, RetryMin: 5 * time.Millisecond,
		RetryMax: 20 * time.Millisecond, Identify: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Run(ctx, in) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func tries(in *intake) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	var r struct{ Tries int }
	_ = json.Unmarshal([]byte(in.cursors["gateway"]), &r)
	return r.Tries
}

// TestInvalidSession: after op 9 the session goes on where Discord says that it may, and
// else a new one begins and the gap is read; op 9 to every IDENTIFY does not use up the
// day's sessions.
func TestInvalidSession(t *testing.T) {
	t.Parallel()
	for _, retryable := range []bool{false, true} {
		s, in := fake(t), newIntake()
		connected(t, in, s)
		talk(s, "10", 0, 1)
		until(t, "live", func() bool { return len(in.texts()) == 1 })
		if s.Invalidate(); retryable {
			s.Retryable()
		}
		s.Drop()
		if retryable { // it is replayed
			talk(s, "10", 1, 1)
		} else {
			mutter(s, "10", 1, 1)
		}
		until(t, "heard", func() bool { return len(in.texts()) == 2 })
		ordered(t, in, 2, "10")
		if begun := s.Identifies(); begun != 1 && retryable || begun != 2 && !retryable {
			t.Errorf("%d sessions begun; may it go on: %v", begun, retryable)
		}
	}
	s := fake(t)
	s.Refuse(true)
	dialing(t, newIntake(), s)
	began := time.Now()
	until(t, "refused", func() bool { return s.Identifies() >= 5 })
	if most := 1 + int(time.Since(began)/(20*time.Millisecond)); s.Identifies() > most {
		t.Errorf("%d sessions begun where %d may be", s.Identifies(), most)
	}
}

// TestMentionsAfterARestart: a process that resumes knows who it is.
func TestMentionsAfterARestart(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	_, stop := connected(t, in, s)
	talk(s, "10", 0, 1)
	until(t, "live", func() bool { return len(in.texts()) == 1 })
	stop()
	s.Message("77", "50", "42", "<@9000> hello")
	connected(t, in, s)
	s.Message("77", "50", "42", "<@9000> hello again")
	until(t, "heard", func() bool { return len(in.texts()) == 3 })
	for _, m := range in.got[1:] {
		if !m.Addressed || !strings.HasPrefix(m.Text, "hello") || s.Identifies() != 1 {
			t.Errorf("heard %+v in session %d", m, s.Identifies())
		}
	}
}

// TestOverrun: what comes faster than it can be stored is read from the history
// later, in order.
func TestOverrun(t *testing.T) {
	t.Parallel()
	const n = maxQueued + 1500
	s, in := fake(t), &stuck{newIntake(), make(chan struct{})}
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{Identify: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = a.Run(ctx, in) }()
	defer func() { cancel(); <-done }()
	until(t, "connected", func() bool { return s.Connected() > 0 })
	talk(s, "10", 0, n)
	until(t, "overrun", func() bool { return a.Health() == errQueue })
	close(in.gate)
	until(t, "all", func() bool { return len(in.texts()) >= n })
	ordered(t, in.intake, n, "10")
	until(t, "well again", func() bool { return a.Health() == nil })
}

// TestTakenBack: edits name what they change, deletions what is gone, also many
// at once.
func TestTakenBack(t *testing.T) {
	s, in, _ := live(t)
	s.Thread("55", "50")
	ids := []string{s.Message("77", "55", "42", "one"), s.Message("77", "55", "42", "two"), s.Message("77", "55", "42", "three")}
	s.Edit(ids[0], "one, changed")
	s.Delete("77", "55", ids[0])
	s.Delete("77", "55", ids[1:]...)
	until(t, "all", func() bool { return len(in.texts()) == 7 })
	var got []string
	for _, m := range in.got[3:] {
		got = append(got, fmt.Sprint(m.Kind, " ", slices.Index(ids, m.ReplyTo), " ", m.Text))
		if want := (chat.Key{Platform: "discord", Channel: "50", Thread: "55"}); m.Key != want || m.Direct {
			t.Errorf("in %s: %+v", m.Key, m)
		}
	}
	if want := []string{"edit 0 one, changed", "deleted 0 ", "deleted 1 ", "deleted 2 "}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
