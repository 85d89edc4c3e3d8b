package facts

import (
	"strings"

	"parley/internal/recall"
	"parley/internal/sqlite"
)

// sameFact is the overlap above which two facts say the same thing, one of
// them corrected.
const sameFact = 0.70

// twin finds the fact on the same subject that says the same as a text: of
// several the one that says it most nearly, of equal ones the newest. Its id is
// 0 when there is none.
func twin(tx *sqlite.Tx, v Viewer, about Fact, text string) (Fact, error) {
	list, err := kindred(tx, v, about, text)
	if err != nil {
		return Fact{}, err
	}
	set, best, id := recall.Stems(text), sameFact, int64(0)
	for _, f := range list { // newest first
		d := recall.Dice(set, recall.Stems(f.Content))
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
	list, err = facts(tx.Query, v, byID, sqlite.Named{"id": id})
	return one(list), err
}

// kindred returns the texts of the facts that are about the same, newest first: of
// all of them, or of those that share a word where there are many.
func kindred(tx *sqlite.Tx, v Viewer, about Fact, text string) ([]Fact, error) {
	words := recall.Terms(text)
	if len(words) == 0 {
		return nil, nil
	}
	var n int
	if err := tx.QueryRow(around, about.Subject, "", "", maxCandidates+1).Scan(&n); err != nil {
		return nil, err
	}
	if n <= maxCandidates {
		return factTexts.facts(tx.Query, v, sameSubject, sqlite.Named{"subject": about.Subject, "scope": string(about.Scope), "limit": maxCandidates})
	}
	match := `owner : "` + ownerWord(about.Subject) + `" AND content : (` + matchAny(words) + `)`
	return factTexts.facts(tx.Query, v, "f.subject = :subject AND "+matching, sqlite.Named{"subject": about.Subject, "match": match, "limit": maxCandidates})
}

// Within reports whether words are wholly those of a text: that every telling word of
// theirs stands there, and that there is one.
func Within(words, text string) bool {
	said, n := recall.Stems(text), 0
	for w := range recall.Stems(words) {
		if n++; !said[w] {
			return false
		}
	}
	return n > 0
}

// Contributes reports whether an answer has telling words of a fact that the question
// did not have.
func Contributes(fact, answer, question string) bool {
	said, asked := recall.Stems(answer), recall.Stems(question)
	for w := range recall.Stems(fact) {
		if said[w] && !asked[w] {
			return true
		}
	}
	return false
}

// matchAny returns the full-text query for any of some words, each quoted so that
// none is an operator.
func matchAny(words []string) string {
	return `"` + strings.Join(words, `" OR "`) + `"`
}
