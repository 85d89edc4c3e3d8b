package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory/cluster/nodetest"
	"parley/internal/text/waittest"
)

// childEnv makes this test's binary a node, which others stop and kill.
const childEnv = "PARLEY_BE_A_NODE"

func TestMain(m *testing.M) {
	if url := os.Getenv(childEnv); url != "" {
		os.Exit(be(url))
	}
	os.Exit(m.Run())
}

// be is a node with a role. It writes whenever it may act, with the number of its life,
// by the clock of the server: what is written belongs to the lease that it has.
func be(url string) int {
	ctx := context.Background()
	n, err := Start(ctx, Options{URL: url, Name: "child", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer n.Close()
	_ = n.Role(ctx, "act", func(ctx context.Context) error {
		fmt.Println("acting as", n.ID())
		for ctx.Err() == nil {
			pause(ctx, time.Millisecond)
		}
		fmt.Println("stopped")
		return nil
	})
	return 0
}

// buffer is what a child said so far.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func receive[T any](t *testing.T, what string, c <-chan T) (got T) {
	t.Helper()
	waittest.Until(t, what, func() bool {
		select {
		case got = <-c:
			return true
		default:
			return false
		}
	})
	return got
}

var must = waittest.Must

func start(t testing.TB, url, name string) *Node {
	t.Helper()
	n, err := Start(t.Context(), Options{URL: url, Name: name, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(t, err)
	t.Cleanup(n.Close)
	return n
}

func TestLeaseEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lease
		if l.alive() {
			t.Error("alive before the first renewal")
		}
		sent := time.Now()
		waittest.Pass(300 * time.Millisecond) // the server is slow to answer
		l.renewed(sent)
		if !l.alive() {
			t.Error("dead after a renewal")
		}
		waittest.Pass(Lease - margin - 300*time.Millisecond - 1)
		if !l.alive() {
			t.Error("it ended too soon")
		}
		waittest.Pass(1)
		if l.alive() {
			t.Error("it lasts as if it had begun with the answer")
		}
		late := time.Now()
		l.renewed(late)
		l.renewed(sent) // an answer that took long
		if !l.alive() {
			t.Error("an older answer shortened it")
		}
		waittest.Pass(Lease)
		l.renewed(late.Add(-Lease))
		if l.alive() {
			t.Error("an answer that took longer than a lease prolonged it")
		}
		l.renewed(time.Now())
		l.over()
		if l.alive() {
			t.Error("alive when it is over")
		}
	})
}

// TestOneHasARole: of three nodes one has it; when that one closes another has it within
// moments, and never two at once.
func TestOneHasARole(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	var acting, most atomic.Int32
	nodes := []*Node{start(t, url, "a"), start(t, url, "b"), start(t, url, "c")}
	for _, n := range nodes {
		go func() {
			_ = n.Role(t.Context(), "poller", func(ctx context.Context) error {
				most.Store(max(most.Load(), acting.Add(1)))
				<-ctx.Done()
				acting.Add(-1)
				return nil
			})
		}()
	}
	holder := func() (found *Node) {
		for _, n := range nodes {
			if n.Holds("poller") {
				found = n
			}
		}
		return found
	}
	waittest.Until(t, "somebody has it", func() bool { return holder() != nil })
	for range 2 {
		first := holder()
		first.Close()
		if first.Alive() || first.ID() != "" {
			t.Error("alive after its end")
		}
		began := time.Now()
		waittest.Until(t, "another has it", func() bool { n := holder(); return n != nil && n != first })
		t.Logf("after %v", time.Since(began))
	}
	if most.Load() != 1 {
		t.Errorf("%d had it at once", most.Load())
	}
}

// TestRoleEndsForGood: work that gives up lets another node try, and is told why.
func TestRoleEndsForGood(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	n, broken := start(t, url, "a"), errors.New("broken")
	if err := n.Role(t.Context(), "x", func(context.Context) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	got := make(chan bool, 1)
	go func() {
		_ = start(t, url, "b").Role(t.Context(), "x", func(ctx context.Context) error { got <- true; <-ctx.Done(); return nil })
	}()
	receive(t, "the other node has it", got)
}

// TestStoppedBeyondItsLease: a process that was stopped for longer than its lease lasts
// believes in nothing when it goes on: its role ended before it does anything, it lives
// anew under another number, and another node took over meanwhile.
func TestStoppedBeyondItsLease(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+url)
	var said buffer
	child.Stdout, child.Stderr = &said, os.Stderr
	must(t, child.Start())
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	waittest.Until(t, "it acts", func() bool { return strings.Contains(said.String(), "acting as") })
	n, got := start(t, url, "b"), make(chan time.Time, 1)
	must(t, child.Process.Signal(syscall.SIGSTOP))
	stopped := time.Now()
	go func() {
		_ = n.Role(t.Context(), "act", func(ctx context.Context) error { got <- time.Now(); <-ctx.Done(); return nil })
	}()
	taken := receive(t, "the other node acts", got)
	t.Logf("taken over after %v", taken.Sub(stopped))
	if taken.Sub(stopped) < Lease-renewEvery-100*time.Millisecond {
		t.Error("it was taken over while its lease lasted")
	}
	must(t, child.Process.Signal(syscall.SIGCONT))
	waittest.Until(t, "it stops", func() bool { return strings.Contains(said.String(), "stopped") })
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	waittest.Until(t, "it lives anew", func() bool {
		var lives int
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM node_leases").Scan(&lives))
		return lives == 2
	})
	if !n.Holds("act") || strings.Count(said.String(), "acting as") != 1 {
		t.Errorf("the one that was stopped has it again:\n%s", said.String())
	}
}

// TestKilled: what a process had is free within its lease and a moment.
func TestKilled(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+url)
	var said buffer
	child.Stdout = &said
	must(t, child.Start())
	waittest.Until(t, "it acts", func() bool { return strings.Contains(said.String(), "acting as") })
	n, got := start(t, url, "b"), make(chan time.Time, 1)
	waittest.Take(t.Context(), Lease) // it buries nobody before it has been there for a lease
	must(t, child.Process.Kill())
	killed := time.Now()
	_ = child.Wait()
	go func() {
		_ = n.Role(t.Context(), "act", func(ctx context.Context) error { got <- time.Now(); <-ctx.Done(); return nil })
	}()
	t.Logf("taken over after %v", receive(t, "the other node acts", got).Sub(killed))
}

// TestServerIsAway: while the server cannot be reached no node acts; afterwards each
// lives anew, and is told that the old life is over before the next begins.
func TestServerIsAway(t *testing.T) {
	t.Parallel()
	wire := nodetest.NewWire(t, postgrestest.Database(t))
	var lost atomic.Int32
	var n *Node
	var err error
	n, err = Start(t.Context(), Options{URL: wire.URL, Name: "a", Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Lost: func() {
		if n.Alive() {
			t.Error("it lives again before it was told")
		}
		lost.Add(1)
	}})
	must(t, err)
	t.Cleanup(n.Close)
	first := n.ID()
	wire.Cut()
	cut := time.Now()
	lived := cut // at least until then, however late a busy machine looks
	waittest.Until(t, "it takes itself for dead", func() bool {
		before := time.Now()
		if !n.Alive() {
			return true
		}
		lived = before
		return false
	})
	if d := lived.Sub(cut); d > Lease {
		t.Errorf("only after %v", d)
	}
	wire.Mend()
	waittest.Until(t, "it lives anew", n.Alive)
	if n.ID() == first || lost.Load() != 1 {
		t.Errorf("life %q after %q, told %d times", n.ID(), first, lost.Load())
	}
	wire.Stall() // nothing is refused, and nothing answered
	waittest.Until(t, "it takes itself for dead", func() bool { return !n.Alive() })
	wire.Mend()
	waittest.Until(t, "it lives anew", n.Alive)
}

// TestShared: several nodes divide a number of roles evenly, also when one joins, ends or
// takes part no longer; and no role is ever two nodes' at once.
func TestShared(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	const count = 5
	var doubled atomic.Bool
	var acting [count]atomic.Int32
	type taker struct {
		*Node
		held atomic.Int32
		stop context.CancelFunc
	}
	join := func(name string) *taker {
		k := &taker{Node: start(t, url, name)}
		ctx, stop := context.WithCancel(t.Context())
		k.stop = stop
		go func() {
			_ = k.Share(ctx, "work", count, func(ctx context.Context, i int) error {
				if acting[i].Add(1) > 1 {
					doubled.Store(true)
				}
				k.held.Add(1)
				<-ctx.Done()
				k.held.Add(-1)
				acting[i].Add(-1)
				return nil
			})
		}()
		return k
	}
	have := func(what string, want ...int32) func(...*taker) {
		return func(list ...*taker) {
			t.Helper()
			waittest.Until(t, what, func() bool {
				var got []int32
				for _, k := range list {
					got = append(got, k.held.Load())
				}
				slices.Sort(got)
				return slices.Equal(got, want)
			})
		}
	}
	a := join("a")
	have("all are one's", 5)(a)
	b := join("b")
	have("two divide them", 2, 3)(a, b)
	c := join("c")
	have("three divide them", 1, 2, 2)(a, b, c)
	d := join("d")
	have("four divide them", 1, 1, 1, 2)(a, b, c, d)
	d.stop()
	have("three divide them again", 1, 2, 2)(a, b, c)
	b.Close()
	have("after an end", 2, 3)(a, c)
	a.stop()
	have("after one stays without", 0, 5)(a, c)
	if doubled.Load() {
		t.Error("two had a role at once")
	}
}
