package facts_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/llm/llmtest"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// reworded are facts about one person, and questions with hardly a word of the fact that
// they are about: those behind ? shaped the lists of words, those behind ! did not.
type reworded struct {
	facts         []string
	shaped, fresh map[string]string // fact by question
}

func readReworded(t *testing.T, file string) reworded {
	t.Helper()
	b, err := os.ReadFile(file)
	must(t, err)
	r := reworded{shaped: map[string]string{}, fresh: map[string]string{}}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		switch question := strings.TrimSpace(line[1:]); line[0] {
		case '?':
			r.shaped[question] = r.facts[len(r.facts)-1]
		case '!':
			r.fresh[question] = r.facts[len(r.facts)-1]
		default:
			r.facts = append(r.facts, line)
		}
	}
	return r
}

// person saves the facts in an order of their own.
func (r reworded) person(t *testing.T, s *memory.Store, clock *clockAt) facts.Viewer {
	t.Helper()
	v := direct("x:a")
	list := append([]string(nil), r.facts...)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, f := range list {
		clock.t = clock.t.Add(time.Hour)
		save(t, s, v, f)
	}
	return v
}

// reach asks all questions, and returns for how many the fact is before the model, and for
// how many it is among those chosen for the question alone.
func reach(t *testing.T, s *memory.Store, v facts.Viewer, questions map[string]string, budget int) (known, chosen int) {
	t.Helper()
	for q, fact := range questions {
		k, err := s.Facts.FactsFor(bg, v, q, budget)
		must(t, err)
		in := func(list []facts.Fact) bool {
			for _, f := range list {
				if f.Content == fact {
					return true
				}
			}
			return false
		}
		if in(k.All()) {
			known++
		} else {
			t.Logf("%s does not bring %q", q, fact)
		}
		if in(k.Relevant) {
			chosen++
		}
	}
	return known, chosen
}

// A question in other words brings its fact, though there are more facts than fit.
func TestRewordedQuestionsBringTheirFacts(t *testing.T) {
	for _, language := range []string{"en", "de", "es"} {
		for _, budget := range []int{4000, 1000} {
			t.Run(fmt.Sprint(language, budget), func(t *testing.T) {
				clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
				s := memorytest.Open(t, memory.Options{Now: clock.now})
				r := readReworded(t, "testdata/reworded/"+language+".txt")
				v := r.person(t, s, clock)
				for name, questions := range map[string]map[string]string{"shaped": r.shaped, "fresh": r.fresh} {
					known, chosen := reach(t, s, v, questions, budget)
					t.Logf("%s: %d of %d are known, %d chosen for the question", name, known, len(questions), chosen)
					if known < 26 || chosen < 26 {
						t.Errorf("%s: of %d questions only %d bring their fact, %d for themselves", name, len(questions), known, chosen)
					}
				}
			})
		}
	}
}

// Of thirty questions about a hundred facts in three languages that shaped nothing, so many
// bring their fact: make recall adds the figures to its table, and asks an encoder.
func TestReworded30(t *testing.T) {
	o, how := memory.Options{}, "words"
	if base := os.Getenv("PARLEY_RECALL_ENCODER"); base != "" {
		embed, model, err := llmtest.Encoder(t.Context(), base)
		must(t, err)
		o.Embed, o.EmbedModel, how = embed, model, model
	}
	goal := map[bool]int{false: 24, true: 29}[o.Embed != nil]
	for _, budget := range []int{4000, 1000} {
		asked, known, chosen := 0, 0, 0
		for _, language := range []string{"en", "fr", "ru"} {
			clock := &clockAt{time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
			o.Now = clock.now
			s := memorytest.Open(t, o)
			r := readReworded(t, "../../../eval/recall/reworded/"+language+".txt")
			v := r.person(t, s, clock)
			embedAll(t, s)
			k, c := reach(t, s, v, r.fresh, budget)
			t.Logf("%s, %d tokens: of %d questions %d bring their fact, %d for themselves", language, budget, len(r.fresh), k, c)
			asked, known, chosen = asked+len(r.fresh), known+k, chosen+c
		}
		engine := cmp.Or(os.Getenv("PARLEY_TEST_ENGINE"), "sqlite")
		row := fmt.Sprintf("| facts in other words: before the model, with %d tokens for facts | %s, %s | %d | - | %d (chosen for the question: %d) |  |  |  |  |\n",
			budget, engine, how, asked, known, chosen)
		t.Log("\n" + row)
		if file := os.Getenv("PARLEY_RECALL_TABLE"); file != "" {
			f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			must(t, err)
			_, err = f.WriteString(row)
			must(t, err)
			must(t, f.Close())
		}
		if known < goal {
			t.Errorf("of %d questions only %d bring their fact, not %d", asked, known, goal)
		}
	}
}
