package facts

import (
	"cmp"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/text"
	"parley/internal/text/ranking"
)

// relatives are the facts that decide what a new fact does.
type relatives struct {
	same   Fact // says the same; its ID is 0 for none
	differ Fact // the newest that contradicts it; its ID is 0 for none
	doubt  bool // differ may hold, too
	others int  // how many more contradict it
}

// related finds them on the same subject. Facts that no longer hold do not count.
func (s *Store) related(tx *engine.Tx, v Viewer, about Fact, text string) (found relatives, err error) {
	list, err := kindred(tx, v, about, text)
	if err != nil {
		return found, err
	}
	said := read(text)
	var same, differ, doubted int64
	for _, f := range list { // newest first
		if f.Past(s.o.Now()) {
			continue
		}
		verdict := said.after(f.Content)
		switch {
		case strings.EqualFold(f.Content, text):
			same = f.ID
		case verdict == Same:
			same = cmp.Or(same, f.ID)
		case verdict == Differs && differ == 0:
			differ = f.ID
		case verdict == Differs:
			found.others++
		case verdict == Doubts && doubted == 0:
			doubted = f.ID
		}
	}
	if differ == 0 {
		differ, found.doubt = doubted, doubted != 0
	}
	if found.same, err = factOf(tx, v, same); err == nil {
		found.differ, err = factOf(tx, v, differ)
	}
	return found, err
}

// kindred returns the texts of the facts on the same subject, newest first. If there are
// many, it returns those that share a word.
func kindred(tx *engine.Tx, v Viewer, about Fact, text string) ([]Fact, error) {
	words := ranking.Terms(text)
	var n int
	if err := tx.QueryRow(around, about.Subject, "", "", maxCandidates+1).Scan(&n); err != nil {
		return nil, err
	}
	if n <= maxCandidates {
		return factTexts.facts(tx, v, sameSubject, engine.Named{"subject": about.Subject, "scope": string(about.Scope),
			"limit": maxCandidates})
	}
	if len(words) == 0 {
		return nil, nil
	}
	match := `owner : "` + ownerWord(about.Subject) + `" AND content : (` + matchAny(words) + `)`
	return factTexts.facts(tx, v, "f.subject = :subject AND "+matching, engine.Named{"subject": about.Subject,
		"match": engine.Match{Expr: match, Stem: ranking.Stem}, "limit": maxCandidates})
}

// Within reports whether words has a significant word, and a text has all of them.
func Within(words, text string) bool {
	said, n := ranking.Stems(text), 0
	for w := range ranking.Stems(words) {
		if n++; !said[w] {
			return false
		}
	}
	return n > 0
}

// Contributes reports whether an answer has significant words of a fact that the question
// does not have.
func Contributes(fact, answer, question string) bool {
	said, asked := ranking.Stems(answer), ranking.Stems(question)
	for w := range ranking.Stems(fact) {
		if said[w] && !asked[w] {
			return true
		}
	}
	return false
}

// RestsOn is Contributes for what people are shown. Unlike there, function words of other
// languages do not count.
func RestsOn(fact, answer, question string) bool {
	return Contributes(ranking.Telling(fact), answer, question)
}

// matchAny returns the full-text query for any of some words. Each is quoted, so that none
// is an operator.
func matchAny(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, text.Spellings(w)...)
	}
	return `"` + strings.Join(all, `" OR "`) + `"`
}
