package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
	"parley/internal/memory/usage"
	"parley/internal/text/waittest"
)

// benchMessages is how many messages the file of BenchmarkLongWork has:
// PARLEY_BULK, or as many as make about a gigabyte.
func benchMessages() int {
	if n, err := strconv.Atoi(os.Getenv("PARLEY_BULK")); err == nil {
		return n
	}
	return 600_000
}

// years fills a store with n messages of some 800 bytes in sessions of 20, made of
// words as they are spread in a language: everybody speaks in a hundred groups,
// one in fifty is ada's, one in twenty answers was made of her words as well. Half
// of the sessions ended a year ago.
func years(b *testing.B, s *Store, n int) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 4, 60_000)
	old, late := Stamp(s.now().AddDate(-1, 0, 0)), Stamp(s.now().AddDate(0, 0, -1))
	must(b, s.db.Bare(bg, func(tx *engine.Tx) error {
		for at := 0; at < n; at += 1000 {
			if _, err := tx.Exec("BEGIN"); err != nil {
				return err
			}
			rows := make([][]any, 0, 1000)
			for i := at; i < min(at+1000, n); i++ {
				session := i / 20
				ended := late
				if session%2 == 0 {
					ended = old
				}
				if i%20 == 0 {
					if _, err := tx.Exec(`INSERT INTO sessions (id, platform, channel, status, created_at, last_activity, expires_at, ended_at, closing)
						VALUES (?, 'x', ?, 'archived', ?, ?, ?, ?, 'what was said')`, fmt.Sprint("s", session), fmt.Sprint("g", session%100), ended, ended, ended, ended); err != nil {
						return err
					}
				}
				user, role, people := fmt.Sprint("x:u", i/2%997), []string{"user", "assistant"}[i%2], ""
				if i/2%50 == 0 {
					user = "x:ada"
				} else if role == "assistant" && i/2%20 == 1 {
					people = `["x:ada"]`
				}
				var said strings.Builder
				for said.Len() < 300+r.IntN(1000) {
					fmt.Fprintf(&said, "w%d ", zipf.Uint64())
				}
				rows = append(rows, []any{fmt.Sprint("s", session), fmt.Sprint("g", session%100), fmt.Sprint(i), role, user,
					said.String(), ended, people})
			}
			list, err := json.Marshal(rows)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO messages (session_id, platform, channel, message_id, role, user_id, name, content, tokens, at, people)
				SELECT value ->> 0, 'x', value ->> 1, iif(value ->> 3 = 'user', value ->> 2, ''), value ->> 3, value ->> 4, 'somebody', value ->> 5, 200, value ->> 6, value ->> 7 FROM json_each(?)`, string(list)); err != nil {
				return err
			}
			if _, err := tx.Exec("COMMIT"); err != nil {
				return err
			}
		}
		return nil
	}))
}

// BenchmarkLongWork measures what others notice while somebody is forgotten and
// while retention deletes half of a file of a gigabyte: how long a message takes
// to be stored, 20 ms after the one before, against the same with nothing else
// going on. No message waits for more than 100 ms on a disk of its own.
func BenchmarkLongWork(b *testing.B) {
	n := benchMessages()
	s := open(b, Options{})
	years(b, s, n)
	size := func() float64 {
		st, err := os.Stat(s.File.Path())
		must(b, err)
		return float64(st.Size()) / (1 << 20)
	}
	before := size()
	for _, op := range []struct {
		name string
		run  func() error
	}{
		{"nothing", func() error { waittest.Take(bg, 10*time.Second); return nil }},
		{"forgetting", func() error { return s.ForgetPerson(bg, "x:ada", 0) }},
		{"retention", func() error { return second(s.Prune(bg, Retention{Days: 30})) }},
		{"import", func() error { return second(s.Import(bg, strings.NewReader(corpus(100_000)))) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			for range b.N {
				took, began := meanwhile(b, s), time.Now()
				must(b, op.run())
				all := took()
				b.ReportMetric(time.Since(began).Seconds(), "work-s")
				b.ReportMetric(waittest.Percentile(all, 50), "p50-ms")
				b.ReportMetric(waittest.Percentile(all, 95), "p95-ms")
				b.ReportMetric(float64(all[len(all)-1].Microseconds())/1000, "max-ms")
				b.ReportMetric(float64(len(all)), "messages")
				b.ReportMetric(before, "file-MB")
				b.ReportMetric(size(), "after-MB")
			}
		})
	}
}

// meanwhile lets somebody else write 50 times a second, until stop, which returns how
// long each message took to be stored, sorted by Percentile.
func meanwhile(b *testing.B, s *Store) (stop func() []time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	var took []time.Duration
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			m := chat.Message{ID: fmt.Sprint("m", time.Now().UnixNano()), Key: chat.Key{Platform: "y", Channel: "other"},
				From: chat.User{ID: "y:1"}, Text: "hello there"}
			began := time.Now()
			if _, err := s.Accept(ctx, chat.Batch{Platform: "y", Messages: []chat.Message{m}}); err != nil && ctx.Err() == nil {
				b.Error(err)
				return
			}
			took = append(took, time.Since(began))
			waittest.Take(ctx, 20*time.Millisecond)
		}
	})
	return func() []time.Duration { cancel(); wg.Wait(); return took }
}

// BenchmarkLimits measures what is asked before each message, and each minute,
// with a million rows of usage and 540,000 sessions: limits in under 1 ms.
func BenchmarkLimits(b *testing.B) {
	s := open(b, Options{})
	now := s.now()
	must(b, s.db.Write(bg, func(tx *engine.Tx) error {
		if _, err := tx.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
			INSERT INTO usage (day, platform, channel, user_id, purpose, model, prompt_tokens, cost) SELECT ?, 'x', 'c' || (i % 1000), 'u' || i, 'answer', 'm', 10, 0.1 FROM n`, usage.Day(now)); err != nil {
			return err
		}
		_, err := tx.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 540000)
			INSERT INTO sessions (id, platform, channel, status, direct, created_at, last_activity, expires_at, ended_at) SELECT 's' || i, 'x', 'c' || (i % 50000), 'archived', 1, :at, :at, :at, :at FROM n`, engine.Named{"at": Stamp(now)})
		return err
	}))
	k := chat.Key{Platform: "x", Channel: "c7"}
	for _, op := range []struct {
		name string
		run  func(i int) error
	}{
		{"everybody", func(int) error { _, _, err := s.Usage.AllSpent(bg, now); return err }},
		{"a channel", func(int) error { _, _, err := s.Usage.ChannelSpent(bg, k, now); return err }},
		{"a person", func(i int) error { _, _, err := s.Usage.UserSpent(bg, fmt.Sprint("u", i), now); return err }},
		{"counting", func(i int) error {
			s.Usage.AddUsage(k, fmt.Sprint("u", i),
				Used{Purpose: "answer", Model: "m", Usage: llm.Usage{Prompt: 1}}, func(err error) { b.Error(err) })
			return s.db.Settle(bg)
		}},
		{"the sweep", func(int) error {
			_, err := s.Past.DueToExpire(bg, nil, 200)
			_, e2 := s.Past.DueToArchive(bg, nil, 200)
			_, e3 := s.Sessions.MarkIdle(bg, time.Hour)
			return errors.Join(err, e2, e3)
		}},
		{"a reminder's place", func(int) error { _, err := s.Sessions.Alone(bg, k); return err }},
	} {
		b.Run(op.name, func(b *testing.B) {
			var took []time.Duration
			for i := range b.N {
				began := time.Now()
				must(b, op.run(i))
				took = append(took, time.Since(began))
			}
			b.ReportMetric(waittest.Percentile(took, 50), "p50-ms")
			b.ReportMetric(waittest.Percentile(took, 95), "p95-ms")
		})
	}
}
