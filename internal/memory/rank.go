package memory

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Weights of what a message gains beyond its own words.
const (
	relatedWeight = 0.35 // of a related word against the word itself
	nextTo        = 0.45 // of the score of the message before or after
	nextButOne    = 0.2
	ofSitting     = 0.25 // of the mean of the sitting's three best
	bySpeaker     = 1.6  // said by whom the question names
	inPeriod      = 1.5  // said in the month or year the question names
	saysWhen      = 1.2  // tells a time, and a time is asked for
	saysCount     = 1.15 // tells a number, and a number is asked for
	smallTalk     = 0.55 // a few words that only greet or agree
)

// hints is what a question asks for besides its words.
type hints struct {
	when, count bool
	months      []time.Month
	years       []int
}

var (
	timeWords   = regexp.MustCompile(`(?i)\b(yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|since|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|\d{4})\b`)
	numberWords = regexp.MustCompile(`(?i)\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|once|twice|couple|several|few)\b`)
	yearWord    = regexp.MustCompile(`\b(19|20)\d\d\b`)
	seasons     = map[string][]time.Month{
		"spring": {3, 4, 5}, "summer": {6, 7, 8}, "autumn": {9, 10, 11}, "fall": {9, 10, 11}, "winter": {12, 1, 2}, "christmas": {12}, "halloween": {10}, "easter": {3, 4},
	}
)

func hintsOf(question string) (h hints) {
	low := strings.ToLower(question)
	h.when = strings.Contains(low, "when ") || strings.Contains(low, "how long") || strings.Contains(low, "what date") || strings.Contains(low, "what year")
	h.count = strings.Contains(low, "how many") || strings.Contains(low, "how much") || strings.Contains(low, "how often")
	for m := time.January; m <= time.December; m++ {
		if m != time.May && strings.Contains(low, strings.ToLower(m.String())) || m == time.May && strings.Contains(question, "May") {
			h.months = append(h.months, m)
		}
	}
	for word, months := range seasons {
		if strings.Contains(low, word) {
			h.months = append(h.months, months...)
		}
	}
	for _, y := range yearWord.FindAllString(low, -1) {
		t, _ := time.Parse("2006", y) // four digits
		h.years = append(h.years, t.Year())
	}
	return h
}

// period says that a message stands in the time the question names.
func (h hints) period(at time.Time) bool {
	if len(h.months)+len(h.years) == 0 {
		return false
	}
	return (len(h.months) == 0 || slices.Contains(h.months, at.Month())) && (len(h.years) == 0 || slices.Contains(h.years, at.Year()))
}

// named splits the words of a question into the speakers it names and the rest.
func named(found []Passage, words []string) (speakers, rest []string) {
	names := map[string]bool{}
	for _, p := range found {
		for _, n := range strings.Fields(strings.ToLower(p.name)) {
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
	return speakers, rest
}

// rank lets a message gain from its neighbours and its sitting, from a speaker
// and a time the question names, and from telling what is asked for.
func rank(found []Passage, speakers []string, h hints) []Passage {
	own, mean := map[int64]Passage{}, sittings(found)
	for _, p := range found {
		own[p.ID] = p
	}
	near := func(p Passage, d int64) float64 {
		if n := own[p.ID+d]; n.session == p.session {
			return n.Score
		}
		return 0
	}
	best := 0.0
	for i := range found {
		p := &found[i]
		score := p.Score + nextTo*(near(*p, -1)+near(*p, 1)) + nextButOne*(near(*p, -2)+near(*p, 2)) + ofSitting*mean[p.session]
		found[i].total = score * factor(*p, speakers, h)
		best = max(best, found[i].total)
	}
	for i := range found {
		found[i].Score = found[i].total / max(best, 1e-9)
	}
	slices.SortStableFunc(found, func(a, b Passage) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return found
}

// sittings is the mean of the three best scores of each sitting.
func sittings(found []Passage) map[string]float64 {
	scores := map[string][]float64{}
	for _, p := range found {
		scores[p.session] = append(scores[p.session], p.Score)
	}
	mean := map[string]float64{}
	for s, list := range scores {
		slices.Sort(list)
		for _, v := range list[max(0, len(list)-3):] {
			mean[s] += v / 3
		}
	}
	return mean
}

func factor(p Passage, speakers []string, h hints) float64 {
	f := 1.0
	if slices.ContainsFunc(strings.Fields(strings.ToLower(p.name)), func(n string) bool { return slices.Contains(speakers, n) }) {
		f *= bySpeaker
	}
	if h.period(p.At) {
		f *= inPeriod
	}
	if h.when && timeWords.MatchString(p.content) {
		f *= saysWhen
	}
	if h.count && numberWords.MatchString(p.content) {
		f *= saysCount
	}
	if len(strings.Fields(p.content)) < 6 {
		f *= smallTalk
	}
	return f
}

// families are everyday words that stand for each other in questions and
// answers. Stems of the index take care of their endings.
var families = [][]string{
	strings.Fields("job work career occupation profession employed office boss company field"),
	strings.Fields("kid kids child children son daughter baby toddler"),
	strings.Fields("hobby hobbies activity activities pastime enjoy enjoys fun interest interests"),
	strings.Fields("relax unwind destress stress calm"),
	strings.Fields("married marriage husband wife wedding spouse partner engaged relationship dating single"),
	strings.Fields("pet pets dog puppy cat kitten rabbit"),
	strings.Fields("trip travel vacation holiday visit visited traveled camping hike hiking roadtrip"),
	strings.Fields("book books read reading novel author"),
	strings.Fields("art painting paint painted draw drawing sculpture pottery"),
	strings.Fields("music song songs concert band instrument violin guitar piano sing"),
	strings.Fields("food cook cooking recipe dish meal dinner bake baking restaurant"),
	strings.Fields("health injury hurt injured sick ill doctor hospital surgery"),
	strings.Fields("school study studying degree education class course university college exam graduate"),
	strings.Fields("family mom mother dad father parents sister brother grandma grandpa cousin aunt uncle"),
	strings.Fields("buy bought purchase purchased got shopping"),
	strings.Fields("move moved moving relocate country home hometown apartment house live lives living"),
	strings.Fields("game games tournament play played match team sport sports"),
	strings.Fields("exercise gym workout run running yoga marathon race training swim swimming"),
	strings.Fields("car drive driving vehicle truck motorcycle bike"),
	strings.Fields("charity volunteer volunteering donate fundraiser community shelter"),
	strings.Fields("movie film show series watch watched cinema theater"),
	strings.Fields("plan plans planning future hope goal goals dream want wants"),
	strings.Fields("gift present gave birthday anniversary celebrate party"),
	strings.Fields("money financial budget afford pay cost expensive cheap salary"),
	strings.Fields("friend friends mentor support group buddy"),
	strings.Fields("start started begin began new opened launched business store shop"),
	strings.Fields("quit lost left fired resign"),
	strings.Fields("garden plants flowers nature beach mountains lake park outdoors"),
	strings.Fields("computer programming software code coding app tech engineer"),
	strings.Fields("award won win prize competition contest medal"),
}

// related are words of the same families that the question does not have.
func related(words []string) (more []string) {
	for _, family := range families {
		if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(family, w) }) {
			continue
		}
		for _, w := range family {
			if !slices.Contains(words, w) {
				more = append(more, w)
			}
		}
	}
	return more[:min(len(more), maxTerms)]
}
