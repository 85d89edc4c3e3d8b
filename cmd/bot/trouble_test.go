package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/memory"
	"parley/internal/text/waittest"
)

// whole asks for full runs, of which the times are judged.
var whole = os.Getenv("PARLEY_CLUSTER") != ""

// thorough leaves a test to those full runs.
func thorough(t *testing.T) {
	t.Helper()
	if !whole {
		t.Skip("it takes long; make cluster runs it")
	}
}

// saying is how much is said while something happens.
type saying struct {
	lanes, each int
	pace        time.Duration // between two messages
}

// underLoads runs something under a short load, or where the whole is asked for under a
// light one, which leaves the processors time, and a heavy one.
func underLoads(t *testing.T, run func(t *testing.T, l saying)) {
	t.Helper()
	if !whole {
		run(t, saying{lanes: 30, each: 6, pace: 20 * time.Millisecond})
		return
	}
	t.Run("light", func(t *testing.T) { run(t, saying{lanes: 30, each: 6, pace: 50 * time.Millisecond}) })
	t.Run("heavy", func(t *testing.T) { run(t, saying{lanes: 200, each: 3, pace: 10 * time.Millisecond}) })
}

// outcome are what came of it.
type outcome struct {
	ledger
	late, flying int // sends in a life that was over; parts on their way when it happened
	pauses
}

// pauses are how long answers took.
type pauses struct {
	slowest time.Duration
	stored  time.Duration // of the slowest: until it was in the inbox
	after   time.Duration // of the slowest: how long after the trouble began it was said
	usual   time.Duration // nine of ten of those that were said before the trouble took no longer
}

// String implements fmt.Stringer.
func (p pauses) String() string {
	return fmt.Sprintf("slowest %v (stored after %v; said %v after it happened), usually %v", p.slowest.Round(time.Millisecond),
		p.stored.Round(time.Millisecond), p.after.Round(time.Millisecond), p.usual.Round(time.Millisecond))
}

// within fails a test in which somebody waited for longer than they should. Where the
// machine is busy with other things everything takes longer, as it did before anything
// happened: an answer after it has some more steps than one before it.
func (o outcome) within(t *testing.T, goal time.Duration) {
	t.Helper()
	if limit := goal + 6*o.usual; whole && o.slowest > limit {
		t.Errorf("somebody waited for %v, where %v is the goal, and %v the limit on this machine", o.slowest, goal, limit)
	}
}

// trouble keeps saying things while something happens, once a third of them is said, and
// waits until all is answered.
func (f *fleet) trouble(t *testing.T, l saying, happen func()) (got outcome) {
	t.Helper()
	want, asked, own := map[int64][]string{}, map[string]time.Time{}, waittest.CPU()
	var happened sync.WaitGroup
	var when time.Time
	for i := range l.lanes * l.each {
		chat := int64(1000 + i%l.lanes)
		token := fmt.Sprintf("tok-%d-%d.", chat, i)
		want[chat] = append(want[chat], token)
		asked[token] = time.Now()
		f.tg.Push(telegramtest.Text(chat, chat, token))
		if i == l.lanes*l.each/3 {
			when = time.Now()
			happened.Go(happen)
		}
		waittest.Take(t.Context(), l.pace)
	}
	happened.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_ = f.tg.Wait(ctx, func() bool { sent := f.tg.Sent(); return len(sent) >= l.lanes*l.each && tally(want, sent).lost == 0 })
	waittest.Within(30*time.Second, func() bool { return f.open() == 0 })
	flying := f.flew(t)
	got.ledger, got.flying = tally(want, f.tg.Sent()), len(flying)
	twice := unexcused(want, f.tg.Sent(), flying)
	got.pauses = f.pauses(t, want, asked, when)
	f.note(ctx) // where the server hung nobody could, meanwhile
	owned := f.tenures(t)
	for _, m := range f.nodes {
		got.late += f.late(m, owned, flying)
	}
	t.Logf("%+v, %d late, %d were flying, %v; %d open; the fakes and the harness took %v of the processors", got.ledger,
		got.late, got.flying, got.pauses, f.open(), waittest.CPU()-own)
	if got.lost+got.misordered+got.misrouted+got.late+f.open() > 0 || len(twice) > 0 {
		t.Errorf("a promise is broken; twice without being on their way: %v", twice)
	}
	return got
}

// pauses returns how long answers took to what was asked, where something happened at a
// time.
func (f *fleet) pauses(t *testing.T, want map[int64][]string, asked map[string]time.Time, when time.Time) (p pauses) {
	t.Helper()
	stored, answered := f.stored(t, want), map[string]time.Time{}
	for _, c := range f.tg.Calls("sendMessage") {
		for _, token := range want[atoi(c.Fields["chat_id"])] {
			if strings.Contains(c.Fields["text"], token) && answered[token].IsZero() {
				answered[token] = c.At
			}
		}
	}
	var before []time.Duration
	for token, at := range answered {
		said := asked[token]
		took := at.Sub(said)
		if at.Before(when) {
			before = append(before, took)
		}
		if took > p.slowest {
			p.slowest, p.stored, p.after = took, stored[token].Sub(said), said.Sub(when)
		}
	}
	if len(before) > 0 {
		slices.Sort(before)
		p.usual = before[len(before)*9/10]
	}
	return p
}

// stored returns when each message was first in the inbox.
func (f *fleet) stored(t *testing.T, want map[int64][]string) map[string]time.Time {
	t.Helper()
	rows, err := f.rows.Query("SELECT channel, at FROM inbox WHERE platform = 'telegram' ORDER BY id")
	must(t, err)
	defer func() { _ = rows.Close() }()
	at, n := map[string]time.Time{}, map[int64]int{}
	for rows.Next() {
		var channel, stamp string
		must(t, rows.Scan(&channel, &stamp))
		chat := atoi(channel)
		if n[chat] < len(want[chat]) {
			at[want[chat][n[chat]]] = memory.ParseStamp(stamp)
		}
		n[chat]++
	}
	return at
}

// TestLateByLife: a send is late where its conversation is another's, also when its process
// has a lease again by then, and where it is still its own by a life that was over.
func TestLateByLife(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	m := &member{Cmd: &exec.Cmd{Process: &os.Process{Pid: 7}}}
	f := &fleet{lives: map[string]*lifetime{"first": {"7", at(0), at(10)}, "second": {"7", at(20), at(90)}, "other": {"8", at(0), at(90)}}}
	owned := map[string][]tenure{
		"lost": {{"first", at(1), at(12)}, {"other", at(12), at(90)}},
		"back": {{"first", at(1), at(12)}, {"other", at(12), at(30)}, {"second", at(30), at(90)}},
	}
	for _, c := range []struct {
		chat string
		at   int
		late int
	}{{"lost", 5, 0}, {"lost", 11, 1}, {"lost", 25, 1}, {"back", 25, 1}, {"back", 35, 0}, {"nobody's", 5, 1}} {
		m.sent = []outgoing{{c.chat, "said", at(c.at)}}
		if got := f.late(m, owned, []string{"other"}); got != c.late {
			t.Errorf("%s at %d: %d late", c.chat, c.at, got)
		}
		if got := f.late(m, owned, []string{"said"}); got != 0 {
			t.Errorf("%s at %d: %d late, on their way", c.chat, c.at, got)
		}
	}
}
