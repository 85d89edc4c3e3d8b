package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/text/waittest"
)

// tripping is what processes ask a server that is away, of which all trips are known.
type tripping struct {
	mu    sync.Mutex // guards the rest
	wires []*postgrestest.Proxy
	trips []postgrestest.Trip
}

// way leads one more process there.
func (w *tripping) way(t *testing.T) func(url string) string {
	return func(url string) string {
		p, far := postgrestest.NewProxy(t, url)
		p.Watch = func(one postgrestest.Trip) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.trips = append(w.trips, one)
		}
		w.wires = append(w.wires, p)
		return far
	}
}

// away moves the server that far away.
func (w *tripping) away(d time.Duration) {
	for _, p := range w.wires {
		p.Away.Store(int64(d))
	}
}

// between returns the trips between two times that are made for a message: not for the lease,
// nor to look what others left.
func (w *tripping) between(from, to time.Time) []postgrestest.Trip {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Clone(w.trips)
	return slices.DeleteFunc(list, func(one postgrestest.Trip) bool {
		all := strings.Join(one.Asked, " ")
		return one.At.Before(from) || one.At.After(to) ||
			strings.Contains(all, "node_") && !strings.Contains(all, "COMMIT")
	})
}

// serial returns how many trips one after the other a message waits for at least: those that
// store something, and the most that one connection reads.
func serial(trips []postgrestest.Trip) (n int) {
	reads := map[int]int{}
	most := 0
	for _, one := range trips {
		if slices.Contains(one.Asked, "COMMIT") {
			n++
			continue
		}
		reads[one.Conn]++
		most = max(most, reads[one.Conn])
	}
	return n + most
}

// TestTripsBeforeAnAnswer: a lone message is answered after at most four trips to the
// database: it is stored, what it continues is read, the answer is stored, and, on Telegram,
// that it is about to be sent. (Reading goes beside the first.) What somebody else has asked meanwhile is counted, too, so the fewest of
// some messages count.
func TestTripsBeforeAnAnswer(t *testing.T) {
	t.Parallel()
	var w tripping
	f := newFleetBy(t, 1, w.way(t))
	const warm, most = 5, 4
	fewest, said := 100, ""
	for i := range warm + 10 {
		from := time.Now()
		to := from.Add(f.took(t, fmt.Sprintf("tok-%d.", i)))
		eventually(t, "it is known to be sent", func() bool { return f.count(t, "SELECT count(*) FROM outbox WHERE state <> 'sent'") == 0 })
		waittest.Take(t.Context(), 300*time.Millisecond) // what follows is over
		trips := w.between(from, to)
		if n := serial(trips); i >= warm && n < fewest {
			fewest, said = n, fmt.Sprintf("%+v", trips)
		}
	}
	if fewest > most {
		t.Errorf("%d trips before an answer: %s", fewest, said)
	}
	t.Logf("%d trips before an answer", fewest)
}

// TestClusterDistance: what the way to the database costs, for one message at a time, and for
// three processes with 80 conversations.
func TestClusterDistance(t *testing.T) {
	if !whole {
		t.Skip("measures")
	}
	for _, d := range []struct {
		away   time.Duration
		second int // messages
	}{{50 * time.Millisecond, 18}, {100 * time.Millisecond, 6}} {
		t.Run(d.away.String(), func(t *testing.T) {
			var one, three tripping
			alone, fleet := newFleetBy(t, 1, one.way(t)), newFleetBy(t, 3, three.way(t))
			one.away(d.away)
			three.away(d.away)
			var took []time.Duration
			for i := range 25 {
				took = append(took, alone.took(t, fmt.Sprintf("tok-%d.", i)))
				waittest.Take(t.Context(), time.Second)
			}
			p50 := waittest.Percentile(took[5:], 50)
			trips := p50 / float64(d.away.Milliseconds())
			t.Logf("%v away: a lone message takes %.0f ms, the time of %.1f trips", d.away, p50, trips)
			if trips > 4 {
				t.Error("more than four")
			}
			rate, slow := fleet.paced(t, d.second)
			t.Logf("%v away: three processes answer %.1f messages a second of %d, half of them within %.0f ms", d.away, rate, d.second, slow)
			if rate < 0.9*float64(d.second) {
				t.Error("they fall behind")
			}
		})
	}
}

// paced asks so often a second for a while, in 80 conversations, and returns how many answers
// a second came, and how many milliseconds half of them took at most.
func (f *fleet) paced(t *testing.T, second int) (rate, p50 float64) {
	t.Helper()
	const chats, seconds = 80, 20
	want, asked := map[int64][]string{}, map[string]time.Time{}
	began := time.Now()
	for i := range chats + second*seconds {
		if i == chats { // each conversation has begun
			eventually(t, "all are answered", func() bool { return tally(want, f.tg.Sent()).lost == 0 })
			began = time.Now()
		}
		waittest.Take(t.Context(), time.Until(began.Add(time.Duration(max(0, i-chats))*time.Second/time.Duration(second))))
		chat := int64(1000 + i%chats)
		token := fmt.Sprintf("tok-%d-%d.", chat, len(want[chat]))
		want[chat] = append(want[chat], token)
		asked[token] = time.Now()
		f.tg.Push(telegramtest.Text(chat, chat, token))
	}
	eventually(t, "all are answered", func() bool { return tally(want, f.tg.Sent()).lost == 0 })
	took := time.Since(began)
	if got := tally(want, f.tg.Sent()); got != (ledger{}) {
		t.Errorf("%+v", got)
	}
	return float64(second*seconds) / took.Seconds(), f.median(asked, began)
}

// median is how many milliseconds half of the answers took at most to what was asked since.
func (f *fleet) median(asked map[string]time.Time, since time.Time) float64 {
	sent, calls := f.tg.Sent(), f.tg.Calls("sendMessage")
	var took []time.Duration
	for i, m := range sent {
		token, _, _ := strings.Cut(m.Text, " ")
		if at, ok := asked[token]; ok && at.After(since) && i < len(calls) {
			took = append(took, calls[i].At.Sub(at))
		}
	}
	return waittest.Percentile(took, 50)
}
