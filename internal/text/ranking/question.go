package ranking

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/text"
)

// question holds the parts of a question.
type question struct {
	words    int                // how many words count
	worth    []float64          // of each word, up to 1
	stands   map[string][]share // by stem, its words that this stands for
	speakers []string           // whom it names
	dates    []share            // words that name a time; a message of that time has them, too
	days     []int
	months   []time.Month
	years    []int
	when     bool // asks for a time
	count    bool // asks for a number
	ofBot    bool // asks what the assistant said
	assisted bool // an assistant takes part
	own      bool // asks about who asks
	chosen   bool // what is ranked was chosen from very many
	stem     func(string) string
}

// share is how much a stem counts for the n-th word of a question.
type share struct {
	word  int
	share float64
}

// ask parses a question. People rarely name themselves, so a name in it selects the author
// of the answer; searched for, it would find greetings.
func ask(text string, said []Message) question {
	speakers, words := named(said, text)
	low := strings.ToLower(text)
	q := question{words: len(words), worth: worths(text, words),
		stands: map[string][]share{}, speakers: speakers, when: asksWhen().MatchString(low), count: asksCount().MatchString(low),
		ofBot: asksBot().MatchString(low), own: asksOwn().MatchString(low), stem: stemmerOf(text),
		assisted: slices.ContainsFunc(said, func(m Message) bool { return m.Bot })}
	for i, w := range words {
		own := Stem(w)
		for s := range synonyms()[own] {
			if s != own {
				q.stands[s] = append(q.stands[s], share{i, SynonymWorth})
			}
		}
		own = q.stem(w)
		q.stands[own] = append(q.stands[own], share{i, 1})
		if _, season := seasons[w]; season || yearWord().MatchString(w) || monthWord().MatchString(w) {
			q.dates = append(q.dates, share{i, 1})
		}
	}
	q.calendar(text)
	return q
}

// named splits the words of a question into the authors it names and the rest; a question
// of names alone is about the names. A short form of a name counts as both: it may also be
// somebody else's.
func named(said []Message, text string) (speakers, rest []string) {
	names := map[string]bool{}
	for _, m := range said {
		for _, n := range nameWords(m.Name) {
			names[n] = true
		}
	}
	for _, w := range Terms(text) {
		if names[w] {
			speakers = append(speakers, w)
			continue
		}
		if n := calledBy(said, text, w); n != "" {
			speakers = append(speakers, strings.Fields(n)...)
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

// nameWords returns the words of a name, of its first 256 bytes: whoever takes a text for a
// name costs no more than others.
func nameWords(name string) []string {
	return strings.Fields(text.Lower(name[:min(len(name), 256)]))
}

// shortFor reports whether two names may be the same person's.
func shortFor(a, b string) bool {
	_, known := nicknames()[Stem(a)][Stem(b)]
	return known || min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

var (
	yearWord  = text.Pattern(`\b(19|20)\d\d\b`)
	monthWord = text.Pattern(`^(january|february|march|april|may|june|july|august|september|october|november|december)$`)
	dayWord   = text.Pattern(`\b([12]?\d|3[01])(st|nd|rd|th)?\b`)
	asksWhen  = text.Pattern(`^(since |until )?when\b|\bhow (long|often|soon)\b|\b(what|which) (day|date|month|year|time|week|season)\b`)
	asksCount = text.Pattern(`\bhow (many|much|old|far|big|tall|often)\b|\b(number|amount|price|cost|percentage|score|age)\b|` +
		`\bwie ?(viele?|alt|teuer|weit|oft)\b|cuánt[oa]s?|combien|сколько|多少|[几幾]`)
	seasons = map[string][]time.Month{
		"spring": {3, 4, 5}, "summer": {6, 7, 8}, "autumn": {9, 10, 11}, "fall": {9, 10, 11}, "winter": {12, 1, 2},
		"christmas": {12}, "halloween": {10}, "easter": {3, 4},
	}
)

// calendar finds the months and years that a question names, and days beside them;
// may is a month only as May.
func (q *question) calendar(text string) {
	low := strings.ToLower(text)
	for m := time.January; m <= time.December; m++ {
		if m != time.May && strings.Contains(low, strings.ToLower(m.String())) || m == time.May && strings.Contains(text, "May") {
			q.months = append(q.months, m)
		}
	}
	for _, d := range dayWord().FindAllStringSubmatch(low, -1) {
		if len(q.months) > 0 {
			n, _ := strconv.Atoi(d[1]) // two digits
			q.days = append(q.days, n)
		}
	}
	for word, months := range seasons {
		if strings.Contains(low, word) {
			q.months = append(q.months, months...)
		}
	}
	for _, y := range yearWord().FindAllString(low, -1) {
		t, _ := time.Parse("2006", y) // four digits
		q.years = append(q.years, t.Year())
	}
}

// dated reports whether the question names a time.
func (q question) dated() bool { return len(q.months)+len(q.years) > 0 }

// period returns the evidence from a message's time.
func (q question) period(at time.Time) float64 {
	if !q.dated() || len(q.months) > 0 && !slices.Contains(q.months, at.Month()) || len(q.years) > 0 && !slices.Contains(q.years, at.Year()) {
		return 0
	}
	if slices.Contains(q.days, at.Day()) {
		return inPeriod + onDay
	}
	return inPeriod
}
