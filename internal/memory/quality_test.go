package memory

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

// question is one line of testdata/recall/questions.jsonl: what a stranger who
// read the chat a week ago might ask, and the messages that hold the answer.
type question struct {
	Channel  string
	Question string
	Kind     string
	Evidence []string
	Loose    bool // asked in words that hardly occur
}

// heldOut are the chats that no figure was tuned on.
var heldOut = []string{"bea-oskar", "hana-felix"}

// everyone is somebody who was in all the chats.
const everyone = "archive:everyone"

func chatFiles(t testing.TB) (texts []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/recall/*-*.jsonl")
	must(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		must(t, err)
		texts = append(texts, string(text))
	}
	return texts
}

// oldChats is a store with the chats of testdata/recall, and the questions.
func oldChats(t testing.TB) (*Store, []question) {
	t.Helper()
	s := open(t, Options{})
	for _, text := range chatFiles(t) {
		importText(t, s, text)
	}
	must(t, s.write(context.Background(), func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO participants SELECT DISTINCT ?, platform, channel, thread FROM participants", everyone)
		return err
	}))
	text, err := os.ReadFile("testdata/recall/questions.jsonl")
	must(t, err)
	var list []question
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var q question
		must(t, json.Unmarshal(lines.Bytes(), &q))
		list = append(list, q)
	}
	return s, list
}

// share is how much of the evidence is among the passages.
func (q question) share(found []Passage) float64 {
	n := 0
	for _, p := range found {
		if p.Key.Channel == q.Channel && slices.Contains(q.Evidence, p.MessageID) {
			n++
		}
	}
	return float64(n) / float64(len(q.Evidence))
}

// groups a question counts for.
func (q question) groups() []string {
	half := "tuned"
	if slices.Contains(heldOut, q.Channel) {
		half = "held out"
	}
	return []string{"all", half, q.Kind}
}

// score is the mean share by group, in percent, of what one way of recalling
// brings within a budget.
func score(list []question, found [][]Passage, tokens int) map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for i, q := range list {
		share := q.share(pack(found[i], Query{Tokens: tokens}))
		for _, g := range q.groups() {
			sum[g] += 100 * share
			n[g]++
		}
	}
	for g := range sum {
		sum[g] /= n[g]
	}
	return sum
}

// The chats are half as long as those that are asked about in earnest, so the
// budgets are also measured at a third, and in all four chats at once.
func TestRecallQuality(t *testing.T) {
	s, list := oldChats(t)
	own := func(q question) string { user, _, _ := strings.Cut(q.Channel, "-"); return "archive:" + user }
	all := func(question) string { return everyone }
	recall := func(q Query) ([]Passage, error) { return s.Recall(context.Background(), q) }
	alone := func(q Query) ([]Passage, error) { return s.matching(q, terms(q.Text)) }
	for _, way := range []struct {
		name   string
		asker  func(question) string
		recall func(Query) ([]Passage, error)
		floor  map[int]float64 // of every half
	}{
		{"full-text search alone, one chat", own, alone, nil},
		{"full-text search alone, four chats", all, alone, nil},
		{"recall, one chat", own, recall, map[int]float64{4000: 98, 1000: 89}},
		{"recall, four chats", all, recall, map[int]float64{4000: 95, 1000: 82}},
	} {
		var found [][]Passage
		for _, q := range list {
			p, err := way.recall(Query{User: way.asker(q), Text: q.Question, Tokens: 4000})
			must(t, err)
			found = append(found, p)
		}
		for _, tokens := range []int{4000, 1000, 1400, 350} {
			got := score(list, found, tokens)
			var b strings.Builder
			for _, g := range []string{"all", "tuned", "held out", "single", "multi", "temporal", "open"} {
				fmt.Fprintf(&b, "  %s %.1f", g, got[g])
			}
			t.Logf("%s, %d tokens:%s", way.name, tokens, b.String())
			if floor := way.floor[tokens]; min(got["tuned"], got["held out"]) < floor {
				t.Errorf("%s, %d tokens: under %.0f", way.name, tokens, floor)
			}
		}
	}
}

// babble is n messages put together from halves of real sentences, so that
// words are as frequent as in talk.
func babble(t testing.TB, n, places int) string {
	var texts [][]string
	for _, file := range chatFiles(t) {
		for l := range strings.Lines(file) {
			var m line
			must(t, json.Unmarshal([]byte(l), &m))
			texts = append(texts, strings.Fields(*m.Text))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	at := time.Date(2010, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range n {
		at = at.Add(time.Minute)
		if i%20 == 0 {
			at = at.Add(20 * time.Hour)
		}
		x, y := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]
		text, err := json.Marshal(strings.Join(append(slices.Clone(x[:(len(x)+1)/2]), y[len(y)/2:]...), " "))
		must(t, err)
		name := []string{"priya", "jonas", "leila", "marcus", "bea", "oskar", "hana", "felix"}[i%2*(1+i*places/n%7)]
		fmt.Fprintf(&b, `{"platform":"archive","channel":"c%d","user":"%s","name":"%s","text":%s,"at":"%s","id":"%d"}`+"\n", i*places/n, name, name, text, at.Format(time.RFC3339), i)
	}
	return b.String()
}

// BenchmarkRecallTalk100k asks real questions among 100,000 messages in which
// most words are frequent, the worst there is.
func BenchmarkRecallTalk100k(b *testing.B) {
	_, list := oldChats(b)
	for _, places := range []int{1, 100} {
		s := open(b, Options{})
		importText(b, s, babble(b, 100_000, places))
		for _, key := range []chat.Key{{}, {Platform: "archive", Channel: "c0"}} {
			b.Run(fmt.Sprintf("places=%d,in=%s", places, key.Channel), func(b *testing.B) {
				var took []time.Duration
				for i := range b.N {
					began := time.Now()
					_, err := s.Recall(context.Background(), Query{User: "archive:priya", Key: key, Text: list[i*7%len(list)].Question})
					must(b, err)
					took = append(took, time.Since(began))
				}
				b.ReportMetric(percentile(took, 50), "p50-ms")
				b.ReportMetric(percentile(took, 95), "p95-ms")
			})
		}
	}
}
