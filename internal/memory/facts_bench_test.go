package memory

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// BenchmarkFacts measures with 1,000,000 facts of 10,000 people.
func BenchmarkFacts(b *testing.B) {
	const people, each = 1_000, 100
	s := open(b, Options{})
	words := strings.Fields("tea coffee garden piano violin running cycling chess bread cheese winter summer mountain river sister brother daughter office project deadline holiday train guitar cinema novel recipe allergy doctor school football")
	r := rand.New(rand.NewPCG(1, 2))
	for start := 0; start < people; start += 100 {
		must(b, s.write(bg, func(tx *Tx) error {
			for p := start; p < start+100; p++ {
				user := fmt.Sprintf("x:%d", p)
				for n := range each {
					text := fmt.Sprintf("likes %s and %s since %d near %s", words[r.IntN(len(words))], words[r.IntN(len(words))], 1990+n%30, words[r.IntN(len(words))])
					at := Stamp(time.Now().Add(-time.Duration(n) * time.Hour))
					important := n%25 == 0
					if _, err := tx.Exec(`INSERT INTO key_facts (scope, subject, owner, platform, channel, content, tags, important, type, author, confidence, valid_from, created_at, updated_at)
						VALUES ('person', ?, ?, 'x', ?, ?, ?, ?, 'fact', 'user', 1, ?, ?, ?)`, user, ownerWord(user), "dm-"+user, text, map[bool]string{true: shortTag}[important], important, at, at, at); err != nil {
						return err
					}
				}
			}
			return nil
		}))
	}
	any := func() Viewer { return direct(fmt.Sprintf("x:%d", r.IntN(people))) }
	for _, op := range []struct {
		name string
		run  func(i int) error
	}{
		{"prompt", func(int) error {
			_, err := s.FactsFor(bg, any(), "what did I say about my sister and the piano last winter?", 4000)
			return err
		}},
		{"list", func(int) error { return second(s.Facts(bg, any(), 15, 0)) }},
		{"save", func(i int) error {
			return second(s.SaveFact(bg, any(), NewFact{Content: fmt.Sprintf("moved to house %d with %s and %s", i, words[i%30], words[i*7%30])}))
		}},
	} {
		b.Run(op.name, func(b *testing.B) {
			var took []time.Duration
			for i := range b.N {
				begin := time.Now()
				must(b, op.run(i))
				took = append(took, time.Since(begin))
			}
			b.ReportMetric(percentile(took, 95), "p95-ms")
		})
	}
}
