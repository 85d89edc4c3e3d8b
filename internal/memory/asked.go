package memory

import (
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// asked is a question, taken apart.
type asked struct {
	words    int                // how many telling words it has
	kin      map[string][]share // by stem, the words it stands for
	speakers []string           // whom it names
	dates    []share            // the words that name a time, which is also said by when it is said
	days     []int
	months   []time.Month
	years    []int
	when     bool // asks for a time
	count    bool // asks for a number
}

// share is how much a stem stands for the n-th word of a question.
type share struct {
	word  int
	share float64
}

// ask takes a question apart. Somebody who is asked about is rarely named in
// their own words: a name says whose words count, and finds greetings otherwise.
func ask(text string, found []Passage) asked {
	speakers, words := named(found, text)
	low := strings.ToLower(text)
	a := asked{words: len(words), kin: map[string][]share{}, speakers: speakers, when: asksWhen.MatchString(low), count: asksCount.MatchString(low)}
	for i, w := range words {
		own := stem(w)
		for s := range families()[own] {
			if s != own {
				a.kin[s] = append(a.kin[s], share{i, kinship})
			}
		}
		a.kin[own] = append(a.kin[own], share{i, 1})
		if _, season := seasons[w]; season || yearWord.MatchString(w) || monthWord.MatchString(w) {
			a.dates = append(a.dates, share{i, 1})
		}
	}
	a.calendar(text)
	return a
}

// named splits the words of a question into the speakers it names and the rest;
// a question of names alone is about the names. A short name stands for a long
// one, and for a word: somebody else may go by it.
func named(found []Passage, text string) (speakers, rest []string) {
	names := map[string]bool{}
	for _, p := range found {
		for n := range strings.FieldsSeq(strings.ToLower(p.name)) {
			names[n] = true
		}
	}
	for _, w := range terms(text) {
		if names[w] {
			speakers = append(speakers, w)
			continue
		}
		rest = append(rest, w)
		for _, n := range slices.Sorted(maps.Keys(names)) {
			if shortFor(w, n) && strings.Contains(text, strings.ToUpper(w[:1])+w[1:]) {
				speakers = append(speakers, n)
			}
		}
	}
	if len(rest) == 0 {
		rest = speakers
	}
	return speakers, rest
}

// shortFor says that two names may be the same person's.
func shortFor(a, b string) bool {
	_, known := nicknames()[stem(a)][stem(b)]
	return known || min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

var (
	yearWord  = regexp.MustCompile(`\b(19|20)\d\d\b`)
	monthWord = regexp.MustCompile(`^(january|february|march|april|may|june|july|august|september|october|november|december)$`)
	dayWord   = regexp.MustCompile(`\b([12]?\d|3[01])(st|nd|rd|th)?\b`)
	asksWhen  = regexp.MustCompile(`^(since |until )?when\b|\bhow (long|often|soon)\b|\b(what|which) (day|date|month|year|time|week|season)\b`)
	asksCount = regexp.MustCompile(`\bhow (many|much|old|long|often|far|big|high|tall)\b`)
	seasons   = map[string][]time.Month{
		"spring": {3, 4, 5}, "summer": {6, 7, 8}, "autumn": {9, 10, 11}, "fall": {9, 10, 11}, "winter": {12, 1, 2}, "christmas": {12}, "halloween": {10}, "easter": {3, 4},
	}
)

// calendar finds the months and years that a question names, and days beside them;
// may is a month only as May.
func (a *asked) calendar(text string) {
	low := strings.ToLower(text)
	for m := time.January; m <= time.December; m++ {
		if m != time.May && strings.Contains(low, strings.ToLower(m.String())) || m == time.May && strings.Contains(text, "May") {
			a.months = append(a.months, m)
		}
	}
	for _, d := range dayWord.FindAllStringSubmatch(low, -1) {
		if len(a.months) > 0 {
			n, _ := strconv.Atoi(d[1]) // two digits
			a.days = append(a.days, n)
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

// dated says that the question names a time.
func (a asked) dated() bool { return len(a.months)+len(a.years) > 0 }

// period is what speaks for a message that was said at a time.
func (a asked) period(at time.Time) float64 {
	if !a.dated() || len(a.months) > 0 && !slices.Contains(a.months, at.Month()) || len(a.years) > 0 && !slices.Contains(a.years, at.Year()) {
		return 1
	}
	if slices.Contains(a.days, at.Day()) {
		return inPeriod * inPeriod
	}
	return inPeriod
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
