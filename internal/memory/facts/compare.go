package facts

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Verdict says how a sentence relates to another.
type Verdict int

// The verdicts. In doubt it is Apart, and both stand.
const (
	Apart   Verdict = iota // about something else, or undecided
	Same                   // the same, perhaps in other words
	Differs                // same subject and relation, another value: both cannot hold
	Doubts                 // another value of what has one at a time: both stand, and the person is asked
)

// Compare compares subject, relation and value of two sentences, without a model. It
// understands sentences that differ in one place, in a negation, in a number or a date, and
// some things of which there is one at a time.
func Compare(earlier, later string) Verdict { return read(later).after(earlier) }

// sentence is a sentence that is compared with earlier ones.
type sentence struct {
	claim
	single // of is "" for none
}

func read(text string) sentence { return sentence{readClaim(text), readSingle(text)} }

// after is Compare.
func (b sentence) after(earlier string) Verdict {
	a := readClaim(earlier)
	if len(a.words) == 0 || len(b.words) == 0 || a.about != b.about || b.begins && !a.begins {
		return Apart
	}
	if slices.EqualFunc(a.words, b.words, func(x, y word) bool { return x.is == y.is }) {
		switch {
		case a.negated != b.negated:
			return Differs
		case b.of != "" && readSingle(earlier).contradicts(b.single): // A+ and A-
			return Doubts
		}
		return Same
	}
	if a.negated != b.negated || b.adds {
		return Apart
	}
	verdict := a.against(b.claim)
	if verdict == Apart && b.of != "" && readSingle(earlier).contradicts(b.single) {
		return Doubts
	}
	return verdict
}

// word is a word that carries meaning.
type word struct {
	is      string // lower case, without the plural ending
	proper  bool   // begins with a capital, or contains a digit
	several bool   // follows an indefinite article: there may be several
}

// claim is a parsed sentence.
type claim struct {
	words   []word
	negated bool
	adds    bool   // says that it adds to what is known
	about   string // the pronoun of another person at the beginning
	begins  bool   // holds from a later day on, so that the old claim holds until then
}

func readClaim(text string) (c claim) {
	several, from := false, false
	for _, raw := range split(unsaid.Replace(text)) {
		w := strings.ToLower(raw)
		if n := counts[w]; n > 0 {
			w = strconv.Itoa(n)
		}
		if w = singular(w); others[w] != "" && len(c.words) == 0 {
			c.about = others[w]
		}
		c.begins = c.begins || from && (monthOf(w) > 0 || weekdays[w] || nexts[w] || year(w) || nearDays[w] > 1)
		from = froms[w]
		if to, ok := opposites[w]; ok {
			c.negated, w = !c.negated, to
		} else if to, ok := likings[w]; ok {
			w = to
		}
		switch {
		case negations[w]:
			c.negated = !c.negated
		case additions[w]:
			c.adds = true
		case articles[w]:
			several = true
		case c.negated && lasting[w]:
		case definite[w]:
			several = false
		case empty[w]:
		default:
			first := []rune(raw)[0]
			c.words = append(c.words, word{is: w, proper: unicode.IsUpper(first) || strings.ContainsFunc(w, unicode.IsNumber), several: several})
			several = false
		}
	}
	return c
}

// split splits a text into words and numbers. In scripts without spaces each character is a
// word.
func split(text string) (list []string) {
	var b strings.Builder
	flush := func() {
		if w := strings.Trim(b.String(), ".:,/-'"); w != "" {
			list = append(list, w)
		}
		b.Reset()
	}
	for _, r := range strings.ReplaceAll(text, "’", "'") {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			flush()
			list = append(list, string(r))
		case unicode.In(r, unicode.L, unicode.M, unicode.N), strings.ContainsRune(".:,/-@_", r) && b.Len() > 0:
			b.WriteRune(r)
		default: // also an apostrophe
			flush()
		}
	}
	flush()
	return list
}

// singular removes the s of plurals and verbs, and the ending of ordinals.
func singular(w string) string {
	switch {
	case quantity(w):
		for _, end := range []string{"st", "nd", "rd", "th"} {
			if n, ok := strings.CutSuffix(w, end); ok {
				return n
			}
		}
	case w == "has" || w == "does" || w == "is" || w == "was" || len(w) <= 3 || strings.HasSuffix(w, "ss"):
	default:
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// quantity reports whether a word is a number, a time or a date.
func quantity(w string) bool {
	for _, r := range w {
		return unicode.IsNumber(r)
	}
	return false
}

// against compares two different sentences, both negated or both not.
func (c claim) against(d claim) Verdict {
	n := 0
	for n < min(len(c.words), len(d.words)) && c.words[n].is == d.words[n].is {
		n++
	}
	end := 0
	for end < min(len(c.words), len(d.words))-n && c.words[len(c.words)-1-end].is == d.words[len(d.words)-1-end].is {
		end++
	}
	before, after := c.words[:n], c.words[len(c.words)-end:]
	was, is := c.words[n:len(c.words)-end], d.words[n:len(d.words)-end]
	switch {
	case n == 0 || len(was) == 0 || len(is) == 0: // another subject, or only more words
		return Apart
	case max(len(was), len(is)) > 4:
		return Apart
	case swapped(before, was, is):
		return Differs
	case share(was, is):
		return Apart
	}
	verb := slices.IndexFunc(before, func(w word) bool { return verbs(w.is) })
	if verb < 0 && (slices.ContainsFunc(was, isVerb) || slices.ContainsFunc(is, isVerb)) {
		return Apart // the verbs differ, or another subject comes before the verb
	}
	if verb < 0 && slices.ContainsFunc(after, isVerb) {
		return Apart
	}
	v := value{before: before, after: after, was: was, is: is, verb: verb}
	if all(was, timely) && all(is, timely) {
		return v.times()
	}
	return v.names().at(moments(was), moments(is))
}

// moments are the words that say on which days, in which months or at which times of day
// something holds.
func moments(list []word) (set map[string]bool) {
	set = map[string]bool{}
	for _, w := range list {
		if weekdays[w.is] || dayTimes[w.is] || rhythm[w.is] && w.is != "every" || monthOf(w.is) > 0 {
			set[w.is] = true
		}
	}
	return set
}

// at weighs a contradiction of two sentences that hold at some moments: at different ones
// they don't contradict each other, and if only one says when, that is unsure.
func (v Verdict) at(was, is map[string]bool) Verdict {
	switch {
	case v != Differs || equal(was, is):
		return v
	case len(was) > 0 && len(is) > 0:
		return Apart
	}
	return Doubts
}

func verbs(w string) bool {
	return being[w] || dwelling[w] || working[w] || choosing[w] || having[w] || w == "like" || w == "mag"
}

func isVerb(w word) bool { return verbs(w.is) }

func timely(w word) bool { return quantity(w.is) || calendar[w.is] || weekdays[w.is] }

func all(list []word, is func(word) bool) bool {
	return !slices.ContainsFunc(list, func(w word) bool { return !is(w) })
}

// share reports whether two parts have a word in common: then several things differ.
func share(a, b []word) bool {
	return slices.ContainsFunc(a, func(x word) bool {
		return !calendar[x.is] && !places[x.is] && slices.ContainsFunc(b, func(y word) bool { return x.is == y.is })
	})
}

// swapped reports whether a preference was reversed: tea to coffee, coffee to tea.
func swapped(before, was, is []word) bool {
	sorted := func(list []word) (out []string) {
		for _, w := range list {
			out = append(out, w.is)
		}
		slices.Sort(out)
		return out
	}
	return len(was) > 1 && choosing[before[len(before)-1].is] && slices.Equal(sorted(was), sorted(is))
}

// value is the place in which two sentences differ, with the words around it.
type value struct {
	before, after, was, is []word
	verb                   int // index of the first verb in before; -1 for none
}

// times compares numbers, dates and times.
func (v value) times() Verdict {
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(v.before, func(w word) bool { return set[w.is] })
	}
	several := slices.ContainsFunc(append(slices.Clone(v.before), v.was...), func(w word) bool { return w.several })
	plain := func(w word) bool { return rhythm[w.is] || timely(w) }
	switch {
	case all(v.before, timely):
		return Apart // the date is the subject
	case several && !has(yearly):
		return Apart // there may be another
	case v.verb < 0 && !all(v.after, plain):
		return Apart // the number of a room or a bus
	case v.verb < 0 && !has(unique) && !has(foremost) && !slices.ContainsFunc(v.after, func(w word) bool { return rhythm[w.is] }):
		return Apart // it may have happened again: visited hall 7, visited hall 8
	case v.verb >= 0 && !has(being) && !has(dwelling) && len(v.after) == 0 && !has(unique) && !has(foremost):
		return Apart // which one, not how many: owns book 7, owns book 8
	case has(passed) && all(v.was, func(w word) bool { return year(w.is) }):
		return Apart // it happened again
	case v.verb < 0 || !has(being) && !has(dwelling):
		if all(v.was, func(w word) bool { return weekdays[w.is] || calendar[w.is] || year(w.is) }) {
			return Apart // it may happen on several days
		}
	}
	return Differs
}

// year reports whether a word may be a year.
func year(w string) bool {
	return len(w) == 4 && (w[:2] == "19" || w[:2] == "20") && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsDigit(r) })
}

// names compares other words. They contradict only where there can be just one.
func (v value) names() Verdict {
	if all(v.before, timely) {
		return Apart
	}
	last := v.before[len(v.before)-1].is
	in := func(set map[string]bool, list []word) bool {
		return slices.ContainsFunc(list, func(w word) bool { return set[w.is] })
	}
	several := slices.ContainsFunc(append(slices.Clone(v.was), v.is...), func(w word) bool { return w.several })
	proper := all(v.was, func(w word) bool { return w.proper }) && all(v.is, func(w word) bool { return w.proper })
	subject := v.before
	if v.verb >= 0 {
		subject = v.before[:v.verb]
	}
	switch {
	case v.verb >= 0 && len(v.before) > v.verb+1 && in(dwelling, v.before[v.verb:]) && places[last]:
		return Differs
	case v.verb >= 0 && working[v.before[v.verb].is] && len(v.before) == v.verb+2 && places[last]:
		return Differs
	case choosing[last] && !several && len(v.after) > 0 && !places[v.after[0].is]:
		return Differs // dark mode, light mode
	case (in(foremost, subject) || slices.ContainsFunc(subject, func(w word) bool { return strings.HasPrefix(w.is, "lieblings") })) &&
		len(v.after) == 0 && (v.verb < 0 || being[last]):
		return Differs
	case in(unique, subject) && len(v.after) == 0 && (v.verb < 0 || being[last]) && proper && !several:
		return Differs
	}
	return Apart
}
