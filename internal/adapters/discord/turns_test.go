package discord

import (
	"errors"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// TestConnectionGoesRound: of two processes that share their notes one is connected at
// a time. Each resumes where the other stopped, also the one that was connected before;
// nothing is missed, and no session is begun a second time. The one that is not
// connected can send.
func TestConnectionGoesRound(t *testing.T) {
	s, in := fake(t), newIntake()
	one := func() *Adapter {
		a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Timing: Timing{Open: time.Second,
			RetryMin: 5 * time.Millisecond, RetryMax: 20 * time.Millisecond, Identify: 20 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a, b := one(), one()
	if err := b.Learn(t.Context(), in); !errors.Is(err, errUnknown) {
		t.Errorf("before anybody connected: %v", err)
	}
	for i, who := range []*Adapter{a, b, a} {
		s.Message("", "10", "42", "unheard before") // while nobody is connected: the first time nobody ever was
		stop := running(t, who, in, s)
		s.Message("", "10", "42", "heard")
		until(t, "all is heard", func() bool { return len(in.texts()) == 2*i+1+3*min(i, 1) })
		if i == 0 {
			if err := b.Learn(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Send(t.Context(), chat.Part{Key: chat.Key{Platform: Platform, Channel: "10"}, Text: "from the other",
				Nonce: "1"}); err != nil {
				t.Error(err)
			}
		}
		if i == 0 { // it ends with something in its hands, which the other has to hear
			in.refuse(1000)
			for range 3 {
				s.Message("", "10", "42", "refused")
				left := in.refusals()
				until(t, "it is refused", func() bool { return in.refusals() < left || left < 1000 })
			}
		}
		stop()
		in.refuse(0)
	}
	if s.Identifies() != 1 || s.Resumes() != 2 {
		t.Errorf("%d sessions begun, %d resumed", s.Identifies(), s.Resumes())
	}
}

func (in *intake) refuse(n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.fail = n
}

func (in *intake) refusals() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.fail
}
