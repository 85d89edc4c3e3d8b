package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestCrossings plays features against each other: what each of them promises holds
// whichever other feature it meets, and whatever becomes of the process between. A plain
// run plays the pinned ones and some more with a fixed seed, none of which is killed at a random
// moment, and what breaks twice fails: the machine may be busy. make crossings plays N from SEED on
// ENGINE, each once, those WITH one player alone if it is named; PLAY is what a failure prints, and plays that one.
func TestCrossings(t *testing.T) {
	t.Parallel()
	var list []script
	if play := os.Getenv("PARLEY_CROSSING"); play != "" {
		list = []script{parsed(t, play)}
	} else {
		n, _ := strconv.Atoi(os.Getenv("PARLEY_CROSSINGS"))
		seed, _ := strconv.Atoi(os.Getenv("PARLEY_SEED"))
		for _, line := range pinned {
			if s := parsed(t, line); seed == 0 && cmp.Or(os.Getenv("PARLEY_CROSSING_ENGINE"), s.engine) == s.engine {
				list = append(list, s)
			}
		}
		drawn := scripts(cmp.Or(n, 80), seed, os.Getenv("PARLEY_CROSSING_ENGINE"))
		if n == 0 {
			drawn = slices.DeleteFunc(drawn, func(s script) bool { return s.between == "chance" })
		}
		list = append(list, drawn...)
	}
	if testing.Short() { // and no server: those take longest to start
		list = slices.DeleteFunc(list, func(s script) bool { return !slices.Contains(pinned, s.String()) || s.own() })
		list = list[:min(len(list), 20)]
	}
	began := time.Now()
	var mu sync.Mutex
	broken := 0
	t.Run("all", func(t *testing.T) {
		for engine, share := range shared(list) {
			for i, part := range share {
				t.Run(fmt.Sprint(engine, i), func(t *testing.T) {
					t.Parallel()
					n := playAll(t, engine, part)
					mu.Lock()
					defer mu.Unlock()
					broken += n
				})
			}
		}
	})
	t.Logf("%d crossings in %v, %d broken", len(list), time.Since(began).Round(time.Second), broken)
}

// playAll plays crossings in one theatre; after a broken one in another, so that nothing
// of it is left.
func playAll(t *testing.T, engine string, list []script) (broken int) {
	var h *theatre
	for i, s := range list {
		if i > 0 && i%50 == 0 && testing.Verbose() {
			t.Logf("%d of %d played, %d broken", i, len(list), broken)
		}
		if alone := h != nil && (s.own() || h.terminal); alone {
			if wrong := h.close(); len(wrong) > 0 {
				t.Errorf("before %s: %s", s, strings.Join(wrong, "\n\t"))
			}
			h = nil
		}
		if h == nil {
			h = newTheatre(t, engine, s.front == "terminal")
		}
		wrong := h.play(s)
		if i == len(list)-1 || len(wrong) > 0 || h.n == 25 || s.own() {
			wrong = append(wrong, h.close()...)
			h = nil
		}
		if len(wrong) > 0 && os.Getenv("PARLEY_CROSSINGS")+os.Getenv("PARLEY_CROSSING") == "" {
			t.Logf("once more: make crossings PLAY='%s'\n\t%s", s, strings.Join(wrong, "\n\t"))
			if h != nil {
				h.close()
			}
			h = newTheatre(t, engine, s.front == "terminal")
			wrong = append(h.play(s), h.close()...)
			h = nil
		}
		wrong, known := s.due(wrong)
		if len(known) > 0 {
			t.Logf("owed: make crossings PLAY='%s'\n\t%s", s, strings.Join(known, "\n\t"))
		}
		if len(wrong) > 0 {
			broken++
			t.Errorf("make crossings PLAY='%s'\n\t%s", s, strings.Join(wrong, "\n\t"))
		}
	}
	return broken
}

// own reports whether a crossing needs a theatre of its own.
func (s script) own() bool {
	return s.front == "terminal" || slices.ContainsFunc(s.players, func(name string) bool { return players[name].solo })
}

// parsed reads what a failure printed.
func parsed(t *testing.T, line string) script {
	f := strings.Fields(line)
	if len(f) < 5 {
		t.Fatalf("%q is no crossing: front end, engine, what happens between, seed, players", line)
	}
	seed, err := strconv.Atoi(f[3])
	must(t, err)
	s := script{front: f[0], engine: f[1], between: f[2], seed: seed, players: f[4:]}
	for _, p := range s.players {
		if players[p].plays == nil || betweens[s.between] == nil {
			t.Fatalf("%q names what there is not", line)
		}
	}
	return s
}

// shared divides crossings among the theatres of each engine.
func shared(list []script) map[string][][]script {
	all := map[string][][]script{}
	for i, s := range list {
		if all[s.engine] == nil {
			all[s.engine] = make([][]script, 3)
		}
		all[s.engine][i%3] = append(all[s.engine][i%3], s)
	}
	return all
}

// scripts returns n crossings: every pair once in turn, and every eighth time three.
func scripts(n, seed int, engine string) (list []script) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range players {
			if !yield(name) {
				return
			}
		}
	})
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	var pairs [][]string
	for i, a := range names {
		for _, b := range names[i+1:] {
			pairs = append(pairs, []string{a, b})
		}
	}
	for len(list) < n {
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, pair := range pairs {
			who := slices.Clone(pair)
			if with := os.Getenv("PARLEY_CROSSING_WITH"); with != "" && !slices.Contains(who, with) {
				continue
			}
			if third := names[r.IntN(len(names))]; r.IntN(8) == 0 && !slices.Contains(who, third) {
				who = append(who, third)
			}
			if s, ok := staged(r, who, engine); ok && len(list) < n {
				list = append(list, s)
			}
		}
	}
	return list
}

// notTyped are the players that need more than a terminal has.
var notTyped = map[string]bool{"handover": true, "edit": true, "draw": true, "opposite": true, "stop": true, "stream": true,
	"file": true, "digest": true, "shell": true, "program": true}

// staged chooses where players meet; some never do.
func staged(r *rand.Rand, who []string, engine string) (s script, ok bool) {
	s = script{front: []string{"telegram", "discord"}[r.IntN(2)], engine: []string{"sqlite", "sqlite", "postgres"}[r.IntN(3)],
		seed: r.IntN(1_000_000), players: who}
	alone, company, own, fronts := false, false, false, map[string]bool{}
	for _, name := range who {
		p := players[name]
		alone, company, own = alone || p.alone, company || p.company, own || p.solo
		if p.front != "" {
			fronts[p.front], s.front = true, p.front
		}
	}
	s.engine = cmp.Or(engine, s.engine)
	if own && s.engine == "postgres" && engine != "" || len(fronts) > 1 {
		return s, false
	} else if own {
		s.engine = "sqlite"
	}
	if len(fronts) == 0 && !company && !own && r.IntN(8) == 0 && !slices.ContainsFunc(who, func(name string) bool { return notTyped[name] }) {
		s.front, s.engine, s.between = "terminal", "sqlite", []string{"nothing", "kill", "restart", "point"}[r.IntN(4)]
		return s, true
	}
	choice := []string{"nothing", "kill", "chance", "point", "restart", "reload", "kill", "chance", "late"}
	if s.engine == "postgres" {
		choice = append(choice, "another")
	}
	if !alone && s.front == "telegram" {
		choice = append(choice, "migrate", "away", "gone")
	}
	if slices.Contains(who, "handover") {
		choice = append(choice, "desk", "desk")
	}
	s.between = choice[r.IntN(len(choice))]
	return s, !alone || !company
}
