package memory

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// asked is a question, taken apart.
type asked struct {
	words    int                // how many telling words it has
	kin      map[string][]share // by stem, the words it stands for
	speakers []string           // whom it names
	months   []time.Month
	years    []int
}

// share is how much a stem stands for the n-th word of a question.
type share struct {
	word  int
	share float64
}

// ask takes a question apart. Somebody who is asked about is rarely named in
// their own words: a name says whose words count, and finds greetings otherwise.
func ask(text string, found []Passage) asked {
	speakers, words := named(found, terms(text))
	a := asked{words: len(words), kin: map[string][]share{}, speakers: speakers}
	for i, w := range words {
		own := stem(w)
		for s := range families()[own] {
			if s != own {
				a.kin[s] = append(a.kin[s], share{i, kinship})
			}
		}
		a.kin[own] = append(a.kin[own], share{i, 1})
	}
	a.dates(text)
	return a
}

// named splits the words of a question into the speakers it names and the rest;
// a question of names alone is about the names.
func named(found []Passage, words []string) (speakers, rest []string) {
	names := map[string]bool{}
	for _, p := range found {
		for n := range strings.FieldsSeq(strings.ToLower(p.name)) {
			names[n] = true
		}
	}
	for _, w := range words {
		if names[w] {
			speakers = append(speakers, w)
		} else {
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 {
		rest = speakers
	}
	return speakers, rest
}

var (
	yearWord = regexp.MustCompile(`\b(19|20)\d\d\b`)
	seasons  = map[string][]time.Month{
		"spring": {3, 4, 5}, "summer": {6, 7, 8}, "autumn": {9, 10, 11}, "fall": {9, 10, 11}, "winter": {12, 1, 2}, "christmas": {12}, "halloween": {10}, "easter": {3, 4},
	}
)

// dates finds the months and years that a question names; may is a month only
// as May.
func (a *asked) dates(text string) {
	low := strings.ToLower(text)
	for m := time.January; m <= time.December; m++ {
		if m != time.May && strings.Contains(low, strings.ToLower(m.String())) || m == time.May && strings.Contains(text, "May") {
			a.months = append(a.months, m)
		}
	}
	for word, months := range seasons {
		if strings.Contains(low, word) {
			a.months = append(a.months, months...)
		}
	}
	for _, y := range yearWord.FindAllString(low, -1) {
		t, _ := time.Parse("2006", y) // four digits
		a.years = append(a.years, t.Year())
	}
}

// period says that a message stands in the time the question names.
func (a asked) period(at time.Time) bool {
	if len(a.months)+len(a.years) == 0 {
		return false
	}
	return (len(a.months) == 0 || slices.Contains(a.months, at.Month())) && (len(a.years) == 0 || slices.Contains(a.years, at.Year()))
}

// stopWords carry no meaning in a question.
var stopWords = setOf("a about after an and any are as at be been before being by can could d did didn do does doesn don during ever for from had has have having he her him his how i if in into is it its kind ll many me much my of on or our re s she should so some sort t than that the their them then there these they this those to type us ve was we were what when where which while who whom whose why will with would you your")

// terms are the telling words of a question: letters and digits only, so that
// no query syntax can pass, each once and not too many.
func terms(text string) []string { return allTerms(text, maxTerms) }

// allTerms are at most limit of them.
func allTerms(text string, limit int) []string {
	var out []string
	seen := map[string]bool{}
	for w := range tellingWords(text) {
		if len(out) == limit {
			break
		}
		if !seen[w] {
			seen[w], out = true, append(out, w)
		}
	}
	return out
}

// tellingWords are those of a text, as often as they stand there.
func tellingWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(strings.ToLower(strings.ToValidUTF8(text, " ")), notWord) {
			if len(w) <= 64 && !stopWords[w] && !yield(w) {
				return
			}
		}
	}
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
