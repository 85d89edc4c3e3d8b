package memory

import (
	"strings"

	"parley/internal/sqlite"
)

// sameFact is the overlap above which two facts say the same thing, one of
// them corrected (requirements C2).
const sameFact = 0.70

// stems is the set of a text's telling words, without their endings.
func stems(text string) map[string]bool {
	set := map[string]bool{}
	for w := range tellingWords(text) {
		set[stem(w)] = true
	}
	return set
}

// dice is how much two sets have in common: 2·|a∩b| / (|a|+|b|), from 0 to 1.
func dice(a, b map[string]bool) float64 {
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

// twin finds the fact on the same subject that says the same as a text: of
// several the one that says it most nearly, of equal ones the newest. Its id is
// 0 when there is none.
func twin(tx *sqlite.Tx, v Viewer, about Fact, text string) (Fact, error) {
	list, err := kindred(tx, v, about, text)
	if err != nil {
		return Fact{}, err
	}
	set, best, id := stems(text), sameFact, int64(0)
	for _, f := range list { // newest first
		d := dice(set, stems(f.Content))
		if strings.EqualFold(f.Content, text) {
			d = 1
		}
		if d > best {
			best, id = d, f.ID
		}
	}
	if id == 0 {
		return Fact{}, nil
	}
	list, err = facts(tx.Query, v, "f.id = ?6", id)
	return one(list), err
}

// kindred are the texts of the facts that are about the same, newest first: of
// all of them, or of those that share a word where there are many.
func kindred(tx *sqlite.Tx, v Viewer, about Fact, text string) ([]Fact, error) {
	words := allTerms(text, maxTerms)
	if len(words) == 0 {
		return nil, nil
	}
	var n int
	if err := tx.QueryRow(around, about.Subject, "", "", candidates+1).Scan(&n); err != nil {
		return nil, err
	}
	if n <= candidates {
		return factTexts.facts(tx.Query, v, sameSubject, about.Subject, string(about.Scope), candidates)
	}
	match := `owner : "` + ownerWord(about.Subject) + `" AND content : (` + matchAny(words) + `)`
	return factTexts.facts(tx.Query, v, "f.subject = ?8 AND "+matching, match, candidates, about.Subject)
}

// Contributes says that an answer has telling words of a fact that the question
// did not have.
func Contributes(fact, answer, question string) bool {
	said, asked := stems(answer), stems(question)
	for w := range stems(fact) {
		if said[w] && !asked[w] {
			return true
		}
	}
	return false
}

// trigrams are the three-letter pieces of a word with its ends marked, for
// words that differ by a slip.
func trigrams(word string) map[string]bool {
	r := []rune(" " + word + " ")
	set := map[string]bool{}
	for i := 0; i+3 <= len(r); i++ {
		set[string(r[i:i+3])] = true
	}
	return set
}

// matchAny is the full-text query for any of some words, each quoted so that
// none is an operator.
func matchAny(words []string) string {
	return `"` + strings.Join(words, `" OR "`) + `"`
}
