package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// What others say in private changes nothing of what somebody recalls, its order and scores.
func TestRecallIsOnesOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ many, places int }{{900, 1}, {4800, 2}, {4800, fewPlaces + 2}} {
		many := c.many
		t.Run(fmt.Sprint(many, " in ", c.places), func(t *testing.T) {
			without, with := open(t, Options{}), open(t, Options{})
			r := rand.New(rand.NewPCG(1, uint64(many)))
			words := strings.Fields("dog house mother garden music train concert letter winter boat doctor bread school summer friend")
			for i := range 300 {
				words = append(words, fmt.Sprint("word", i*i%4099))
			}
			line := func(n int) (said string) {
				for range n {
					said += " " + words[int(float64(len(words))*r.Float64()*r.Float64())]
				}
				return strings.TrimSpace(said)
			}
			var list []spoken
			hers := 0
			for hers < many {
				m := spoken{key: chat.Key{Platform: "x", Channel: fmt.Sprint("anna", r.IntN(c.places))}, role: "user", user: "x:anna"}
				m.session = m.key.Channel
				if m.text = line(2 + r.IntN(8)); r.IntN(3) > 0 {
					m.key.Channel, m.user, m.session = "ben", "x:ben", "s-ben"
					m.text += " dog dog house"
				} else {
					hers++
				}
				list = append(list, m)
			}
			for s, all := range map[*Store]bool{without: false, with: true} {
				must(t, s.db.Write(t.Context(), func(tx *engine.Tx) error {
					for i, m := range list {
						if all || m.user == "x:anna" {
							if err := m.insert(tx, i); err != nil {
								return err
							}
						}
					}
					return nil
				}))
			}
			differ := 0
			for range 40 {
				q := Query{User: "x:anna", Text: line(1 + r.IntN(4)), Tokens: 1000}
				a, err := without.Recall(t.Context(), q)
				must(t, err)
				b, err := with.Recall(t.Context(), q)
				must(t, err)
				shown := func(p Passage) string { return fmt.Sprint(p.Text, p.Score) }
				if !slices.EqualFunc(a, b, func(a, b Passage) bool { return shown(a) == shown(b) }) {
					differ++
				}
			}
			if differ > 0 {
				t.Errorf("%d of 40 answers differ", differ)
			}
		})
	}
}
