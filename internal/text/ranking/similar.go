package ranking

// Dice returns how much two sets have in common: 2·|a∩b| / (|a|+|b|), from 0 to 1.
func Dice(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// Trigrams returns the three-letter pieces of a word with its ends marked, for
// words that differ by a slip.
func Trigrams(word string) map[string]bool {
	r := []rune(" " + word + " ")
	set := map[string]bool{}
	for i := 0; i+3 <= len(r); i++ {
		set[string(r[i:i+3])] = true
	}
	return set
}
