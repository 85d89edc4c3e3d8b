package discord

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/chat"
)

// server is the id of a server that a shard of n hears of, if shard is below n.
func server(shard int) string { return fmt.Sprint(uint64(shard)<<22 + 5) }

// pace is how long the fake's shards wait for each other, scaled down.
const pace = 100 * time.Millisecond

// sharded makes an adapter for a fake that asks for a pace.
func sharded(t *testing.T, s *discordtest.Server, shards int) *Adapter {
	t.Helper()
	a, err := New(Options{Token: discordtest.Token, APIURL: s.URL(), Shards: shards,
		Timing: Timing{Open: 10 * time.Second, RetryMin: 5 * time.Millisecond, RetryMax: 20 * time.Millisecond,
			Identify: pace + 10*time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// well reports whether so many shards receive.
func well(a *Adapter, n int) bool { return len(a.Shards()) == n && a.Health() == nil }

// TestShards: as many connections as Discord recommends, each begun in its turn; all that
// is said anywhere is heard once; and the next process goes on with every session.
func TestShards(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	s.Recommend(4, 1)
	s.Pace(2, pace)
	a := sharded(t, s, 0)
	stop := running(t, a, in, s)
	until(t, "all receive", func() bool { return well(a, 4) && len(s.Shards()) == 4 })
	say := func(what string) {
		for i := range 4 {
			s.Message(server(i), fmt.Sprint(50+i), "42", fmt.Sprint("<@9000> ", what, i))
		}
		s.Message("", "10", "42", what)
	}
	say("a")
	until(t, "all is heard", func() bool { return len(in.texts()) == 5 })
	stop()
	say("b")
	stop = running(t, sharded(t, s, 0), in, s)
	until(t, "what was said meanwhile", func() bool { return len(in.texts()) == 10 })
	stop()
	starts := s.Starts()
	for _, one := range starts {
		if one.Early || one.Shard[1] != 4 {
			t.Errorf("begun: %+v", one)
		}
	}
	resumed := s.Resumed()
	slices.SortFunc(resumed, func(a, b [2]int) int { return a[0] - b[0] })
	if len(starts) != 4 || fmt.Sprint(resumed) != "[[0 4] [1 4] [2 4] [3 4]]" {
		t.Errorf("%d begun, resumed %v", len(starts), resumed)
	}
}

// TestShardsOneLost: a shard that loses its session begins it anew and reads the history
// of its own channels alone; the others go on, and health says so meanwhile.
func TestShardsOneLost(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	s.Recommend(2, 1)
	a := sharded(t, s, 2)
	running(t, a, in, s)
	until(t, "all receive", func() bool { return well(a, 2) })
	for i := range 2 {
		s.Message(server(i), fmt.Sprint(50+i), "42", "<@9000> before")
	}
	until(t, "before", func() bool { return len(in.texts()) == 2 })
	s.Silent(true)
	s.LoseShard(1)
	var degraded *chat.DegradedError
	until(t, "degraded", func() bool { return errors.As(a.Health(), &degraded) })
	s.Message(server(1), "51", "42", "<@9000> meanwhile")
	s.Message(server(0), "50", "42", "<@9000> the other goes on")
	until(t, "the other goes on", func() bool { return len(in.texts()) == 3 })
	s.Silent(false)
	until(t, "meanwhile", func() bool { return len(in.texts()) == 4 && well(a, 2) })
	if n := len(s.Calls("GET", "/channels/50/messages")); n > 0 {
		t.Errorf("the other shard's history was read %d times", n)
	}
}

// TestShardsAreRequired: a bot that outgrows its connections gets more, and nothing that
// was said on the way is lost; where the owner wrote a number, the owner is told.
func TestShardsAreRequired(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	a := sharded(t, s, 0)
	running(t, a, in, s)
	s.Message(server(1), "51", "42", "<@9000> one")
	until(t, "one", func() bool { return len(in.texts()) == 1 })
	s.Recommend(3, 3)
	s.Lose()
	s.Message(server(1), "51", "42", "<@9000> two")
	until(t, "three receive", func() bool { return well(a, 3) })
	until(t, "two", func() bool { return len(in.texts()) == 2 })
	s.Message(server(2), "52", "42", "<@9000> three")
	until(t, "three", func() bool { return len(in.texts()) == 3 })

	if err := sharded(t, s, 2).Run(context.Background(), newIntake()); err == nil || !strings.Contains(err.Error(), "discord.shards") {
		t.Errorf("two where three are needed: %v", err)
	}
	s.Strict()
	if err := sharded(t, s, 4).Run(context.Background(), newIntake()); err == nil || !strings.Contains(err.Error(), "discord.shards") {
		t.Errorf("four where a multiple of three is needed: %v", err)
	}
}

// TestSecureGateway: the gateway is reached with TLS, by a name that its certificate
// vouches for; op 9 is not answered with IDENTIFY at once there either.
func TestSecureGateway(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	plain, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http",
			Host: plain.Host})
	}})
	t.Cleanup(front.Close)
	s.Behind("wss://" + front.Listener.Addr().String())
	stranger := sharded(t, s, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = stranger.Run(ctx, newIntake()) }()
	until(t, "nobody vouches for it", func() bool {
		err := stranger.Health()
		return err != nil && strings.Contains(err.Error(), "certificate")
	})
	cancel()
	<-done
	a := sharded(t, s, 1)
	a.roots = x509.NewCertPool()
	a.roots.AddCert(front.Certificate())
	running(t, a, in, s)
	s.Pace(1, pace)
	s.Invalidate()
	s.Drop()
	until(t, "a new session", func() bool { return s.Identifies() == 2 && well(a, 1) })
	s.Message("", "10", "42", "hello")
	until(t, "heard", func() bool { return len(in.texts()) == 1 })
	if dials := len(s.Dials()); dials != 3 {
		t.Errorf("%d connections for a session, a refused one and the next", dials)
	}
}

// TestShardsOtherNumber: where the owner changes the number, new sessions begin, and what
// was said between is read from the history.
func TestShardsOtherNumber(t *testing.T) {
	t.Parallel()
	s, in := fake(t), newIntake()
	for i, n := range []int{1, 2, 4, 1} {
		a := sharded(t, s, n)
		stop := running(t, a, in, s)
		until(t, "all receive", func() bool { return well(a, n) })
		until(t, "what was missed", func() bool { return len(in.texts()) == 2*i })
		s.Message(server(3), "53", "42", fmt.Sprint("<@9000> live ", i))
		until(t, "live", func() bool { return len(in.texts()) == 2*i+1 })
		stop()
		s.Lose()
		s.Message(server(3), "53", "42", fmt.Sprint("<@9000> missed ", i))
	}
	if got := fmt.Sprint(in.texts()); got != "[live 0 missed 0 live 1 missed 1 live 2 missed 2 live 3]" {
		t.Errorf("heard %s", got)
	}
}

// TestDroppedBeforeItConnects: a shard that is another process's by the time its connection
// is made does not connect after all. Nobody would end it.
func TestDroppedBeforeItConnects(t *testing.T) {
	t.Parallel()
	s := fake(t)
	sh := newShard(sharded(t, s, 2), 1, 2)
	c := newConnection(t.Context(), sh, resumable{})
	c.drop()
	if err := c.open(t.Context()); err == nil || s.Identifies() > 0 || s.Connected() > 0 {
		t.Errorf("%d begun, %d connected, and no error", s.Identifies(), s.Connected())
	}
}
