package facts

import (
	"strings"

	"parley/internal/db/engine"
	"parley/internal/text/ranking"
)

// relatives are the facts that matter to a new one.
type relatives struct {
	same   Fact // says the same; its id is 0 for none
	differ Fact // cannot hold beside it, the newest of them; its id is 0 for none
	others int  // how many more cannot
}

// related finds them on the same subject. What holds no more is no relative.
func (s *Store) related(tx *engine.Tx, v Viewer, about Fact, text string) (found relatives, err error) {
	list, err := kindred(tx, v, about, text)
	if err != nil {
		return found, err
	}
	var same, differ int64
	for _, f := range list { // newest first
		switch {
		case f.Past(s.o.Now()):
		case strings.EqualFold(f.Content, text):
			same = f.ID
		default:
			switch Compare(f.Content, text) {
			case Same:
				if same == 0 {
					same = f.ID
				}
			case Differs:
				if differ == 0 {
					differ = f.ID
				} else {
					found.others++
				}
			}
		}
	}
	for id, to := range map[int64]*Fact{same: &found.same, differ: &found.differ} {
		if id == 0 {
			continue
		}
		list, err := facts(tx.Query, v, byID, engine.Named{"id": id})
		if err != nil {
			return found, err
		}
		*to = one(list)
	}
	return found, nil
}

// kindred returns the texts of the facts that are about the same, newest first: of
// all of them, or of those that share a word where there are many.
func kindred(tx *engine.Tx, v Viewer, about Fact, text string) ([]Fact, error) {
	words := ranking.Terms(text)
	var n int
	if err := tx.QueryRow(around, about.Subject, "", "", maxCandidates+1).Scan(&n); err != nil {
		return nil, err
	}
	if n <= maxCandidates {
		return factTexts.facts(tx.Query, v, sameSubject, engine.Named{"subject": about.Subject, "scope": string(about.Scope),
			"limit": maxCandidates})
	}
	if len(words) == 0 {
		return nil, nil
	}
	match := `owner : "` + ownerWord(about.Subject) + `" AND content : (` + matchAny(words) + `)`
	return factTexts.facts(tx.Query, v, "f.subject = :subject AND "+matching, engine.Named{"subject": about.Subject,
		"match": engine.Match{Expr: match, Stem: ranking.Stem}, "limit": maxCandidates})
}

// Within reports whether words are wholly those of a text: that every telling word of
// theirs stands there, and that there is one.
func Within(words, text string) bool {
	said, n := ranking.Stems(text), 0
	for w := range ranking.Stems(words) {
		if n++; !said[w] {
			return false
		}
	}
	return n > 0
}

// Contributes reports whether an answer has telling words of a fact that the question
// did not have.
func Contributes(fact, answer, question string) bool {
	said, asked := ranking.Stems(answer), ranking.Stems(question)
	for w := range ranking.Stems(fact) {
		if said[w] && !asked[w] {
			return true
		}
	}
	return false
}

// RestsOn is Contributes for what people are shown: the small words of other
// languages, which English counts as telling, do not count.
func RestsOn(fact, answer, question string) bool {
	return Contributes(ranking.Telling(fact), answer, question)
}

// matchAny returns the full-text query for any of some words, each quoted so that
// none is an operator.
func matchAny(words []string) string {
	return `"` + strings.Join(words, `" OR "`) + `"`
}
