package lanes_test

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/postgres/postgrestest"
	"parley/internal/memory"
	"parley/internal/memory/cluster"
	"parley/internal/memory/memorytest"
)

// behind is a node whose store reaches the server through a proxy.
func behind(t *testing.T, url, through, name string) desk {
	t.Helper()
	n, err := cluster.Start(t.Context(), cluster.Options{URL: url, Name: name, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	must(t, err)
	t.Cleanup(n.Close)
	return desk{n, memorytest.OpenIn(t, t.TempDir(), memory.Options{URL: through, Node: n})}
}

// TestLateFault: a process whose connection is reset while a request is under way, which the
// server gets only after all was done again, has what it asked for, once: what was left
// behind is taken over, and what others stored is handed over; a message is claimed and
// accepted, answered, begun to be sent and sent.
func TestLateFault(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, late func(), a, b desk, dies func()){
		"adopt": func(t *testing.T, late func(), a, b desk, dies func()) {
			a.says(t, "1", "2")
			dies()
			late()
			keys, err := b.Lanes.Adopt(t.Context(), []string{"p"})
			must(t, err)
			list, err := b.Store.Adopt(t.Context(), keys)
			must(t, err)
			if fmt.Sprint(names(list)) != "[1 2]" || list[0].Attempt != 1 {
				t.Errorf("taken over: %+v", list)
			}
		},
		"mail": func(t *testing.T, late func(), a, b desk, _ func()) {
			one := b.says(t, "1")
			a.says(t, "2", "3")
			must(t, b.Finish(t.Context(), one[0], nil, nil))
			late()
			list, _, err := b.Mail(t.Context())
			must(t, err)
			if fmt.Sprint(names(list)) != "[2 3]" {
				t.Errorf("handed over: %+v", list)
			}
		},
		"answer": func(t *testing.T, late func(), _, b desk, _ func()) {
			late()
			one := b.says(t, "1")
			if len(one) != 1 {
				t.Fatalf("accepted: %+v", one)
			}
			late()
			parts := []chat.Part{{Key: k, Text: "answer"}}
			must(t, b.Finish(t.Context(), one[0], parts, nil))
			for _, state := range []chat.PartState{chat.PartStarted, chat.PartReady, chat.PartStarted, chat.PartSent} {
				late()
				must(t, b.Mark(t.Context(), parts[0], state, "9", time.Time{}))
			}
		},
		"own": func(t *testing.T, late func(), _, b desk, _ func()) {
			late()
			if ours, err := b.Lanes.Own(t.Context(), k); !ours || err != nil {
				t.Errorf("claimed: %v %v", ours, err)
			}
			late()
			must(t, b.Lanes.Leave(t.Context(), k))
		},
	} {
		for _, when := range []string{"after", "meanwhile"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				for request, more := int32(1), true; more; request++ {
					t.Run(fmt.Sprint(request), func(t *testing.T) { more = delays(t, request, when == "meanwhile", do) })
				}
			})
		}
	}
}

// delays runs what a test does with some request of each step late: after the step, or as
// soon as something waits for it. It reports whether a step had so many.
func delays(t *testing.T, request int32, meanwhile bool, do func(t *testing.T, late func(), a, b desk, dies func())) (any bool) {
	url := memorytest.URL(t)
	rows := postgrestest.Raw(t, url)
	p, through := postgrestest.NewProxy(t, url)
	a, b := open(t, url, "a"), behind(t, url, through, "b")
	over := make(chan struct{})
	var arrived sync.WaitGroup
	arrive := func() {
		any = any || p.Late.Swap(0) == 0
		close(over)
		arrived.Wait()
		p.Arrive()
	}
	late := func() {
		arrive()
		over = make(chan struct{})
		p.Late.Store(request)
		if !meanwhile {
			return
		}
		arrived.Go(func() {
			for {
				var waits bool
				_ = rows.QueryRow("SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
				if waits && p.Delayed() {
					p.Arrive()
				}
				select {
				case <-over:
					return
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
	p.Late.Store(1 << 20)
	do(t, late, a, b, func() { // as its silence would end it
		_, err := rows.Exec("DELETE FROM node_leases WHERE id = $1", a.ID())
		must(t, err)
	})
	arrive()
	var twice int
	must(t, rows.QueryRow("SELECT count(*) FROM (SELECT message_id FROM inbox GROUP BY message_id HAVING count(*) > 1 "+
		"UNION ALL SELECT body FROM outbox WHERE state <> 'sent') AS x").Scan(&twice))
	if twice > 0 {
		t.Errorf("%d are there twice, or are not sent", twice)
	}
	return any
}
