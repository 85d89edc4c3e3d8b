package transcript

import (
	"parley/internal/memory/facts"
	"parley/internal/memory/sessions"
	"parley/internal/text/ranking"
)

// supported returns the lines of a summarizer that what was said supports: names, numbers and
// most words were said, and not the other way round.
func supported(said string, lines []string) (list []string) {
	var all []sentence
	for _, line := range lines {
		if !sessions.Supports(said, line) {
			continue
		}
		if all == nil {
			for _, s := range sessions.Sentences(said) {
				all = append(all, sentence{ranking.Stems(s), facts.Denies(s)})
			}
		}
		if !inverted(line, all) {
			list = append(list, line)
		}
	}
	return list
}

type sentence struct {
	stems  map[string]bool
	denies bool
}

// inverted reports whether a line says what was denied, or denies what was said: of the
// sentences with at least half of its words, the nearest say it the other way round.
func inverted(line string, said []sentence) bool {
	telling, denies := ranking.Stems(line), facts.Denies(line)
	so, otherwise := 0, 0
	for _, s := range said {
		n := 0
		for w := range telling {
			if s.stems[w] {
				n++
			}
		}
		switch {
		case 2*n < len(telling):
		case s.denies == denies:
			so = max(so, n)
		default:
			otherwise = max(otherwise, n)
		}
	}
	return otherwise > so
}
