package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/ranking"
)

// weigh lowers the rank of what its person did not say themselves: of a
// correction the words count by which it differs.
func (f *NewFact) weigh(old Fact) {
	if f.Spoken == "" || spokenSo(f.Content, f.Spoken) || spokenSo(unnamed(f.Content), f.Spoken) {
		return
	}
	if old.ID != 0 && differsIn(old.Content, f.Content, f.Spoken) {
		return
	}
	f.Rank = Guessed
}

// spokenSo says that somebody said of themselves what a sentence says: its words
// are theirs, in one clause if they can be, which denies what it denies and is
// about nobody else. In doubt it is no.
func spokenSo(content, spoken string) bool {
	if !partOf(content, spoken) {
		return false
	}
	whole, denies := true, readClaim(content).negated
	for _, clause := range clauses(spoken) {
		if !partOf(content, clause) {
			continue
		}
		if readClaim(clause).negated == denies && !ofAnother(content, clause) {
			return true
		}
		whole = false
	}
	return whole && slices.ContainsFunc(clauses(spoken), func(c string) bool { return readClaim(c).negated }) == denies &&
		!ofAnother(content, spoken)
}

// partOf is Within, whether something is denied or not, and by verbs in another
// person, too: lives is what I live says.
func partOf(content, spoken string) bool {
	said, n := ranking.Stems(spoken), 0
	for _, w := range split(spoken) {
		said[singular(strings.ToLower(w))] = true
	}
	for _, w := range ranking.TermsUpTo(unsaid.Replace(content), MaxLength) {
		if negations[w] {
			continue
		}
		if n++; !said[ranking.Stem(w)] && !said[singular(w)] {
			return false
		}
	}
	return n > 0
}

// clauses are the parts of what somebody said that may be about different things.
func clauses(said string) []string {
	var list []string
	last := []string{}
	flush := func() {
		if len(last) > 0 {
			list = append(list, strings.Join(last, " "))
		}
		last = nil
	}
	for _, w := range strings.Fields(unsaid.Replace(strings.ReplaceAll(said, "’", "'"))) {
		if joins[strings.ToLower(w)] {
			flush()
			continue
		}
		last = append(last, w)
		if strings.ContainsAny(w[len(w)-1:], ".,;!?") {
			flush()
		}
	}
	flush()
	return list
}

// ofAnother says that a clause has somebody in front whom a sentence made of it
// leaves out, and not who says it.
func ofAnother(content, clause string) bool {
	named, said := map[string]bool{}, ranking.Stems(content)
	for _, w := range split(content) {
		named[singular(strings.ToLower(w))] = true
	}
	other := false
	for _, raw := range split(clause) {
		w := strings.ToLower(raw)
		switch one := singular(w); {
		case speakers[w]:
			return false
		case (relations[one] || others[w] != "") && !named[one]:
			other = true
		case said[ranking.Stem(w)]:
			return other
		}
	}
	return other
}

// unnamed is a sentence without the name that it begins with, if it does: people
// say I of themselves. Wife and Mum are somebody else.
func unnamed(content string) string {
	first, rest, _ := strings.Cut(content, " ")
	name, _, _ := strings.Cut(first, "'")
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) || relations[singular(strings.ToLower(name))] {
		return content
	}
	return rest
}

// AsksToKeep says that somebody asked to have something remembered.
func AsksToKeep(said string) bool {
	return slices.ContainsFunc(split(said), func(w string) bool { return keeping[strings.ToLower(w)] }) ||
		strings.Contains(said, "记住") || strings.Contains(said, "覚えて")
}

// differsIn says that all the words that a text has beyond an older one were
// spoken.
func differsIn(old, text, spoken string) bool {
	said, had, n := ranking.Stems(spoken), ranking.Stems(old), 0
	for w := range ranking.Stems(text) {
		if had[w] {
			continue
		}
		if n++; !said[w] {
			return false
		}
	}
	denied := func(s string) bool { return readClaim(s).negated }
	return !ofAnother(text, spoken) && (n > 0 && denied(text) == denied(old) || denied(text) && denied(spoken))
}
