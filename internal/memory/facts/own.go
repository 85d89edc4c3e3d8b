package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/ranking"
)

// weigh lowers the rank of a fact that its person did not say themselves. In a correction
// only the new words count.
func (f *NewFact) weigh(old Fact) {
	if f.Spoken == "" || spokenSo(f.Content, f.Spoken) || spokenSo(unnamed(f.Content), f.Spoken) {
		return
	}
	if old.ID != 0 && differsIn(old.Content, f.Content, f.Spoken) {
		return
	}
	f.Rank = Guessed
}

// spokenSo reports whether people said a sentence about themselves: they used its words, if
// possible in one clause, negated like the sentence, and about nobody else. In doubt it is
// false.
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

// partOf is Within, except that it ignores negation and the endings of verbs: "I live" has
// the word lives.
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

// clauses splits a text into parts that may be about different things.
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

// ofAnother reports whether a clause begins with another person, whom the sentence made of
// it leaves out.
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
		case said[ranking.Stem(text.Lower(raw))]:
			return other
		}
	}
	return other
}

// unnamed returns a sentence without a name at its beginning, because people say I of
// themselves. Wife and Mum are other people.
func unnamed(content string) string {
	first, rest, _ := strings.Cut(content, " ")
	name, _, _ := strings.Cut(first, "'")
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) || relations[singular(strings.ToLower(name))] {
		return content
	}
	return rest
}

// AsksToKeep reports whether somebody asks the bot to remember something.
func AsksToKeep(said string) bool {
	return slices.ContainsFunc(split(said), func(w string) bool { return keeping[strings.ToLower(w)] }) ||
		strings.Contains(said, "记住") || strings.Contains(said, "覚えて")
}

// differsIn reports whether somebody spoke all words that a text has and the old one has
// not.
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

// Denies reports whether a sentence denies or drops something, rather than states it.
func Denies(said string) bool {
	return readClaim(unsaid.Replace(said)).negated || hasAny(said, drops)
}
