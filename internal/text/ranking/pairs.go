package ranking

import "slices"

// pairs returns how much of what is asked the i-th message says in the question's order:
// the weight of words that follow each other in the question, and here too with at most one
// word between.
func (t *talk) pairs(i int) (sum float64) {
	if len(t.said[i].shares) < 2 {
		return 0
	}
	var once [16]int
	counted := once[:0] // the earlier word of each
	var last, before []share
	for _, w := range t.said[i].words {
		for _, s := range w.shares {
			if s.share == 1 && !slices.Contains(counted, s.word-1) && (says(last, s.word-1) || says(before, s.word-1)) {
				counted = append(counted, s.word-1)
				sum += t.rare[s.word-1] + t.rare[s.word]
			}
		}
		before, last = last, w.shares
	}
	return sum
}

// says reports whether a word of the question, and no synonym of it, is among shares.
func says(shares []share, word int) bool { return slices.Contains(shares, share{word, 1}) }
