package memory

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

// question is one line of testdata/recall/questions.jsonl.
type question struct {
	Channel  string
	Question string
	Kind     string
	Evidence []string
}

func (q question) query(tokens int) Query {
	user, _, _ := strings.Cut(q.Channel, "-")
	return Query{User: "archive:" + user, Text: q.Question, Tokens: tokens}
}

// heldOut are the chats that nothing was tuned on.
var heldOut = []string{"bea-oskar", "hana-felix"}

// oldChats is a store with the chats of testdata/recall, and the questions.
func oldChats(t testing.TB) (*Store, []question) {
	t.Helper()
	s := open(t, Options{})
	files, err := filepath.Glob("testdata/recall/*-*.jsonl")
	must(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		must(t, err)
		importText(t, s, string(text))
	}
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
		if slices.Contains(q.Evidence, p.MessageID) {
			n++
		}
	}
	return float64(n) / float64(len(q.Evidence))
}

// bm25Only is what full-text search alone brings, for comparison.
func bm25Only(s *Store, q Query) ([]Passage, error) {
	found, err := s.matching(q, terms(q.Text), 1)
	return pack(found, q), err
}

func TestRecallQuality(t *testing.T) {
	s, list := oldChats(t)
	ways := []struct {
		name   string
		recall func(Query) ([]Passage, error)
	}{
		{"full-text search alone", func(q Query) ([]Passage, error) { return bm25Only(s, q) }},
		{"recall", func(q Query) ([]Passage, error) { return s.Recall(context.Background(), q) }},
	}
	for _, way := range ways {
		for _, tokens := range []int{4000, 1400, 1000, 350} {
			sum, n := map[string]float64{}, map[string]int{}
			for _, q := range list {
				found, err := way.recall(q.query(tokens))
				must(t, err)
				half := "tuned"
				if slices.Contains(heldOut, q.Channel) {
					half = "held out"
				}
				share := q.share(found)
				for _, k := range []string{"all", half, q.Kind} {
					sum[k] += share
					n[k]++
				}
				if os.Getenv("MISS") != "" && half != "held out" && way.name == "recall" && fmt.Sprint(tokens) == os.Getenv("MISS") && share < 1 {
					t.Logf("miss %.2f %s %v", share, q.Question, q.Evidence)
				}
			}
			var b strings.Builder
			for _, k := range []string{"all", "tuned", "held out", "single", "multi", "temporal", "open"} {
				fmt.Fprintf(&b, "  %s %.1f (%d)", k, 100*sum[k]/float64(n[k]), n[k])
			}
			t.Logf("%s, %d tokens:%s", way.name, tokens, b.String())
		}
	}
	_ = cmp.Or[int]
	_ = chat.Key{}
	_ = time.Now
}
