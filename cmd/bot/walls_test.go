package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// TestWalls plays the same script in two worlds that differ in the private words of one or two
// people only: in one they are said, in the other not. What leaves the bot toward anybody else,
// or toward the model for anybody else, is the same byte for byte, but for what what is
// written down in docs/security.md. make walls plays EPISODES from SEED on
// ENGINE, and EPISODE is what a failure prints.
func TestWalls(t *testing.T) {
	t.Parallel()
	apart(t)
	var list []episode
	n, _ := strconv.Atoi(os.Getenv("PARLEY_WALLS"))
	seed, _ := strconv.Atoi(os.Getenv("PARLEY_SEED"))
	engine := cmp.Or(os.Getenv("PARLEY_WALLS_ENGINE"), "sqlite")
	for i := range cmp.Or(n, len(taleNames)) {
		long := 30
		if n > 0 {
			long = 250
		}
		list = append(list, episode{tale: taleNames[(seed+i)%len(taleNames)], engine: engine, seed: seed + i, turns: long})
	}
	if one := os.Getenv("PARLEY_EPISODE"); one != "" {
		list = []episode{parsedEpisode(t, one)}
	}
	if testing.Short() {
		list = list[:1]
	}
	var compared, things atomic.Int64
	t.Run("all", func(t *testing.T) {
		for i, e := range list {
			t.Run(fmt.Sprint(i, " ", e.tale), func(t *testing.T) {
				if n == 0 {
					t.Parallel()
				}
				a, b := e.play(t)
				compared.Add(int64(a))
				things.Add(int64(b))
			})
		}
	})
	t.Logf("%d turns of others compared in %d episodes: %d messages and requests", compared.Load(), len(list), things.Load())
	if least := int64(len(list)) * 15; compared.Load() < least && os.Getenv("PARLEY_EPISODE") == "" {
		t.Errorf("only %d turns were compared, not %d", compared.Load(), least)
	}
}

// episode is one script that is played in two worlds.
type episode struct {
	tale, engine string
	seed, turns  int
}

func (e episode) String() string { return fmt.Sprint(e.tale, " ", e.engine, " ", e.seed, " ", e.turns) }

func parsedEpisode(t *testing.T, line string) (e episode) {
	if n, _ := fmt.Sscan(line, &e.tale, &e.engine, &e.seed, &e.turns); n != 4 || tales[e.tale] == nil {
		t.Fatalf("%q is no episode: its tale, engine, seed and turns", line)
	}
	return e
}

// play plays an episode in both worlds at once, and returns how many turns of others, and how
// many things that left, were compared.
func (e episode) play(t *testing.T) (turns, things int) {
	script := e.script(t)
	worlds, ok := e.worlds(t, script)
	if !ok {
		return 0, 0
	}
	for _, said := range script {
		if !said.private && said.text != "" {
			turns++
		}
	}
	differences := compare(worlds[0].left, worlds[1].left)
	lapses := worlds[0].lapses() + worlds[1].lapses()
	if t.Logf("%s: leases lapsed %d times", e, lapses); lapses > 0 { // what was under way is asked again
		differences = slices.DeleteFunc(differences, func(d difference) bool { return d.to == "model" && min(d.times[0], d.times[1]) > 0 })
	}
	for i, d := range differences {
		if i < 12 {
			t.Errorf("make walls EPISODE='%s'\n%s", e, d.show(script))
		}
	}
	if n := len(differences); n > 12 {
		t.Errorf("and %d more", n-12)
	}
	return turns, len(worlds[0].left)
}

// worlds plays a script in two worlds; ok is false if one ended too soon.
func (e episode) worlds(t *testing.T, script []turn) (worlds [2]*house, ok bool) {
	worlds = [2]*house{newHouse(t, e), newHouse(t, e)}
	worlds[0].private, worlds[1].private = tales[e.tale].control, true
	for _, h := range worlds {
		h.begin()
		h.ready()
		h.ends(t)
	}
	worlds[0].alike(worlds[1])
	done := make(chan struct{}, 2)
	for _, h := range worlds {
		go func() {
			defer func() { done <- struct{}{} }()
			h.lives(script)
		}()
	}
	<-done
	<-done
	for i, h := range worlds {
		if h.wrong != "" {
			t.Errorf("world %d: %s", i, h.wrong)
		}
	}
	if t.Failed() {
		t.Logf("make walls EPISODE='%s'", e)
	}
	return worlds, !t.Failed()
}

// sight is one thing that left the bot.
type sight struct {
	turn int
	to   string // whom it went to: "telegram 11", "model"
	text string
	// theirs is a request to a model that shows nobody but those whose private words make the
	// worlds differ; beside is one that shows them among others, or was made in their turn. Such
	// a one may be there in addition, but takes the place of no other.
	theirs, beside bool
}

// difference is what is in one world alone, or otherwise there.
type difference struct {
	to            string
	without, with *sight // nil is nothing
	times         [2]int // how often a model was asked that
}

// lapses counts how often a process of several was too slow to keep its lease.
func (h *house) lapses() int { return strings.Count(h.log.String(), "lost its lease") }

// compare goes through what each place was sent, in its order. What models were asked is
// compared whatever its order: conversations run beside each other.
func compare(without, with []sight) (list []difference) {
	streams := map[string]*[2][]sight{}
	for i, all := range [2][]sight{without, with} {
		for _, s := range all {
			if streams[s.to] == nil {
				streams[s.to] = &[2][]sight{}
			}
			streams[s.to][i] = append(streams[s.to][i], s)
		}
	}
	for to, both := range streams {
		a, b := both[0], both[1]
		if to == "model" {
			a, b = others(both[0], both[1]), others(both[1], both[0])
			a = slices.DeleteFunc(a, func(s sight) bool { return s.theirs })
			b = slices.DeleteFunc(b, func(s sight) bool { return s.theirs || s.beside })
		}
		for i := range max(len(a), len(b)) {
			d := difference{to: to}
			if i < len(a) {
				d.without = &a[i]
			}
			if i < len(b) {
				d.with = &b[i]
			}
			if d.without == nil || d.with == nil || d.without.text != d.with.text {
				for i, all := range both {
					one := cmp.Or(d.without, d.with).text
					d.times[i] = len(slices.DeleteFunc(slices.Clone(all), func(s sight) bool { return s.text != one }))
				}
				list = append(list, d)
				if to != "model" {
					break // what follows may only be shifted
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b difference) int { return cmp.Or(cmp.Compare(a.turn(), b.turn()), cmp.Compare(a.to, b.to)) })
	return list
}

// others returns what of a has no equal in b. What may be there in addition is what is over
// where both have the same words: a verdict's request does not say whose they are.
func others(a, b []sight) (list []sight) {
	there := map[string]int{}
	for _, s := range b {
		there[s.text]++
	}
	extra := func(s sight) int { return map[bool]int{true: 1}[s.beside] }
	for _, s := range slices.SortedStableFunc(slices.Values(a), func(a, b sight) int { return extra(a) - extra(b) }) {
		if there[s.text]--; there[s.text] < 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b sight) int { return cmp.Compare(a.turn, b.turn) })
	return list
}

// TestWallsCompare: what is asked of a model in private takes the place of nothing, and stands for
// nothing, that is asked for somebody else in the same words.
func TestWallsCompare(t *testing.T) {
	t.Parallel()
	asked := func(turn int, beside bool) sight {
		return sight{turn: turn, to: "model", text: "same words", beside: beside}
	}
	for _, tt := range []struct {
		name          string
		without, with []sight
		want          int
	}{
		{"said before in private", []sight{asked(5, false)}, []sight{asked(2, true), asked(5, false)}, 0},
		{"said later in private", []sight{asked(5, false)}, []sight{asked(5, false), asked(9, true)}, 0},
		{"asked no more", []sight{asked(5, false), asked(7, false)}, []sight{asked(5, false)}, 1},
		{"asked once more", []sight{asked(5, false)}, []sight{asked(2, true), asked(5, false), asked(6, false)}, 1},
	} {
		if got := compare(tt.without, tt.with); len(got) != tt.want {
			t.Errorf("%s: %d differences, want %d", tt.name, len(got), tt.want)
		}
	}
}

func (d difference) turn() int {
	switch {
	case d.without == nil:
		return d.with.turn
	case d.with == nil:
		return d.without.turn
	}
	return min(d.without.turn, d.with.turn)
}

// show says where a difference came from.
func (d difference) show(script []turn) string {
	at, most := 0, 250
	if os.Getenv("PARLEY_EPISODE") != "" {
		most = 4000
	}
	if d.without != nil && d.with != nil {
		for at < min(len(d.without.text), len(d.with.text)) && d.without.text[at] == d.with.text[at] {
			at++
		}
	}
	excerpt := func(s *sight) string {
		if s == nil {
			return "nothing"
		}
		from := max(0, at-150)
		if at == 0 && s.to == "model" { // what it is asked about comes last
			from = max(0, len(s.text)-600)
			return fmt.Sprintf("turn %d: …%q", s.turn, s.text[from:])
		}
		return fmt.Sprintf("turn %d: …%q", s.turn, s.text[min(from, len(s.text)):min(len(s.text), at+most)])
	}
	said := "the beginning"
	if n := d.turn(); n >= 0 {
		said = script[n].String()
	}
	return fmt.Sprintf("to %s, when %s\n\twithout, %d times: %s\n\twith, %d times:    %s", d.to, said, d.times[0], excerpt(d.without),
		d.times[1], excerpt(d.with))
}
