package times

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	whole "parley/internal/text"
)

// Split splits "in 10 minutes to stretch" or "stretch in 10 minutes" into the time and
// what it is for. The longest readable time wins; parts at both ends make one time. Both
// results are empty without a time, and what is empty without anything else. The error is
// a *Partial: words beside the time belong, or may belong, to it and were not read ("at
// 26", "before"). Then both are empty, too.
func Split(text string, now time.Time, speaks ...string) (when, what string, err error) {
	text = strings.TrimSpace(text)
	if f := strings.Fields(text); len(f) > 5 && isCron(strings.Join(f[:5], " ")) {
		return strings.Join(f[:5], " "), strings.Join(f[5:], " "), nil
	}
	all := tokens(text, mostSplit)
	best, first := parted{}, (*splitter)(nil)
	for _, l := range inOrder(speaks) {
		s := &splitter{matcher: l.matcher(all), text: text, now: now}
		if s.readers = []*splitter{s}; first == nil {
			first = s
		} else if l.tag != "zh" { // whose words are no others'
			s.readers = append(s.readers, first)
		}
		p := s.split(ended(all))
		if endsInNumber(all) {
			if q := s.split(len(all) - 1); len(q.when) > len(p.when) && !q.bare { // the dot ends the sentence
				p = q
			}
		}
		if len(p.when) > len(best.when) && (s == first || !p.slight) {
			best = p
		}
	}
	if best.left != "" {
		return "", "", &Partial{Read: best.when, Left: best.left, What: best.what, bound: best.bound}
	}
	return best.when, best.what, nil
}

// mostSplit is how many tokens are searched for a time; the rest is what the reminder is
// for.
const mostSplit = 400

// parted is a text in parts: the time, what it is for, and words that belong to the time
// but were not read.
type parted struct {
	when, what, left string
	bound            bool // what was left says that it is the latest time
	bare             bool // ends in an hour that is but a number
	slight           bool // a short name of a weekday, which in another language is a word: "do", "so"
}

// splitter looks for the time in a text in one language.
type splitter struct {
	*matcher
	text    string
	now     time.Time
	readers []*splitter // in whose words something beside a time counts: this language, and the person's own
}

// stretch is a time that was read, from one token until before another.
type stretch struct {
	from, to int
	said
	exact bool // as programs write it, in no language
}

// split looks at the beginning, then at the end. Without a time in this language, when is
// empty.
func (s *splitter) split(to int) parted {
	from := s.led(0)
	front := s.front(from, to)
	if front.to == from {
		back := s.back(from, to)
		switch {
		case len(s.tokens) >= mostSplit:
			return parted{}
		case back.from == to:
			return s.inside(from, to)
		}
		return s.part([]stretch{back}, from, to)
	}
	rest := s.joint(front.to, to)
	back := s.back(rest, to)
	with := s.and(rest, back.from)
	switch {
	case rest >= to || back.from >= to:
	case s.reads(s.words(front.from, front.to) + " " + s.words(with, back.to)):
		back.from = with
		return s.part([]stretch{front, back}, from, to)
	case with < back.from: // "at 8pm the pills, and on a day"
		p := s.part([]stretch{front}, from, to)
		p.left = strings.TrimSpace(p.left + " " + s.words(back.from, back.to))
		return p
	}
	return s.part([]stretch{front}, from, to)
}

// part splits a text at the times that were read in it.
func (s *splitter) part(times []stretch, from, to int) parted {
	var p parted
	var when, left []string
	begin, end := from, to // of what the time is for
	for i, t := range times {
		first, until := t.from, to
		if i+1 < len(times) {
			until = times[i+1].from
		}
		if t.from > from {
			first = s.backward(t, begin)
			end = first
		}
		last := s.forward(t, until)
		if t.from == from {
			begin = last
		}
		when = append(when, s.words(t.from, t.to))
		left = append(left, s.unread(&p, t, first, last)...)
	}
	p.when, p.left = strings.Join(when, " "), strings.Join(left, " … ")
	if clocks := times[len(times)-1].clocks; len(clocks) > 0 {
		last := clocks[len(clocks)-1]
		p.bare = last.bare && last.half == ""
	}
	one := times[0]
	p.slight = numbers(s.tokens[one.from:one.to]) ||
		len(times) == 1 && one.byDay() && one.to == one.from+1 && utf8.RuneCountInString(p.when) < 4
	if begin = s.joint(begin, end); begin < end && end == to { // to the very end, with its marks
		p.what = strings.TrimSpace(s.text[s.tokens[begin].from:])
	} else {
		p.what = s.what(begin, end)
	}
	return p
}

// numbers reports whether tokens are nothing but numbers, which are a date in few languages.
func numbers(all []token) bool {
	return !slices.ContainsFunc(all, func(t token) bool { return t.num < 0 })
}

// unread returns the words from first to last that belong to a time and were not read, and
// notes whether they make it a bound.
func (s *splitter) unread(p *parted, t stretch, first, last int) (left []string) {
	for _, more := range [][2]int{{first, t.from}, {t.to, last}} {
		if more[0] == more[1] {
			continue
		}
		left = append(left, s.words(more[0], more[1]))
		for i := more[0]; i < more[1]; i++ {
			for _, x := range s.readers {
				p.bound = p.bound || x.means(i, "bound", "")
			}
		}
	}
	return left
}

func (s *splitter) words(from, to int) string { return s.text[s.tokens[from].from:s.tokens[to-1].to] }

// what returns the words before a time that ends the text.
func (s *splitter) what(from, to int) string {
	for to > from && strings.Contains(",:;-", s.tokens[to-1].text) {
		to--
	}
	if from >= to {
		return ""
	}
	return s.words(from, to)
}

// led skips "remind me".
func (s *splitter) led(i int) int {
	for more := true; more; {
		_, end := s.value(i, "lead")
		if more = end > i; more {
			i = end
		}
	}
	return i
}

// joint skips words between a time and what it is for, and another "remind me".
func (s *splitter) joint(i, to int) int {
	for i < to && strings.Contains(",:;-", s.tokens[i].text) {
		i++
	}
	i = s.led(i)
	if _, end := s.value(i, "joint"); end > i && end < to {
		i = end
	}
	return i
}

// front returns the longest time at the beginning of the text; without one it ends at
// from.
func (s *splitter) front(from, to int) stretch {
	best := stretch{from: from, to: from}
	if end := s.exactly(from, to); end > from {
		return stretch{from: from, to: end, exact: true}
	}
	m := s.tongue.matcher(s.tokens[:min(to, from+mostTokens/2)])
	m.cover(from, said{}, func(at int, got said) bool {
		if at > best.to && !got.empty() && s.meant(got) && !s.hanging(got, at, to) && s.and(from, at) == at {
			best.to, best.said = at, got
		}
		return true
	})
	for best.to > from+1 && s.joins(best.to-1, best.to) {
		best.to--
	}
	return best
}

// joins reports whether a token is a comma, or a word such as "about" that introduces what
// the time is for.
func (s *splitter) joins(i, to int) bool {
	if s.tokens[i].text == "," {
		return true
	}
	_, filler := s.value(i, "filler")
	_, joint := s.value(i, "joint")
	_, at := s.value(i, "at")
	return filler == to && (joint == to || at == to)
}

// hanging reports whether a time ends in a number that may not be an hour: "every day 2
// pills".
func (s *splitter) hanging(got said, at, to int) bool {
	if at >= to || len(got.clocks) == 0 || strings.Contains(",:;-", s.tokens[at].text) {
		return false
	}
	last := got.clocks[len(got.clocks)-1]
	_, joined := s.value(at, "joint")
	return (got.last == "bare" || got.part == "") && last.bare && last.half == "" && joined == 0
}

// back returns the longest time at the end of the text; without one it begins at to.
func (s *splitter) back(from, to int) stretch {
	m := s.tongue.matcher(s.tokens[:to])
	for i := max(from+1, to-mostTokens/2); i < to; i++ {
		if s.exactly(i, to) == to {
			return stretch{from: i, to: to, exact: true}
		}
		found := stretch{}
		m.steps = mostSteps / 10
		if len(m.at(i)) > 0 {
			m.cover(i, said{}, func(at int, got said) bool {
				if at == to && !got.empty() && s.meant(got) && !s.leading(got, i) {
					found = stretch{from: i, to: to, said: got}
				}
				return found.to == 0
			})
		}
		if found.to > 0 {
			return found
		}
	}
	return stretch{from: to, to: to}
}

// leading reports whether a time begins with a number that may not be an hour: "read
// chapter 3 tomorrow", but not "8 tonight".
func (s *splitter) leading(got said, i int) bool {
	_, end, _ := s.numberAt(i)
	if end == i || len(got.clocks) == 0 {
		return false
	}
	if len(got.clocks) > 1 || !s.apart(i) || s.backOver(i, 0, &way{}) < i {
		return got.clocks[0].bare && got.clocks[0].half == "" // "milk and 7 tonight"
	}
	return slices.ContainsFunc(got.clocks, func(c clock) bool {
		return c.bare && c.half == "" && (got.part == "" || (got.part == "night" || got.part == "late") && c.hour < 6)
	})
}

// exactly returns where a moment in the format of programs, which begins at a token, ends;
// that token if there is none.
func (s *splitter) exactly(from, to int) int {
	if from >= to || from > 0 && !s.tokens[from].open || len(s.tokens[from].text) != 4 || s.tokens[from].num < 0 {
		return from
	}
	for end := min(to, from+mostExact); end > from+4; end-- {
		if end < len(s.tokens) && !s.tokens[end].open && !slices.Contains([]string{",", ":", ";"}, s.tokens[end].text) {
			continue
		}
		if _, _, ok := exact(s.words(from, end)); ok {
			return end
		}
	}
	return from
}

// mostExact is how many tokens "2026-12-24T18:00:00.000+02:00" has, at most.
const mostExact = 20

// meant reports whether the words mean a time, which may be past.
func (s *splitter) meant(got said) bool {
	_, err := (&resolver{said: got, now: s.now}).resolve()
	return err == nil || err == errEither || err == errDayOrHour
}

func (s *splitter) reads(text string) bool {
	_, err := s.tongue.read(tokens(text, mostTokens), s.now)
	return err == nil
}

// Partial reports that only a part of a time was read: "tomorrow before 4pm". Nothing may
// be set from that part. Its sentence asks the person.
type Partial struct {
	Read  string // the words that were read as a time
	Left  string // the words beside them that were not
	What  string // the text without both: what the time is for; "" for nothing
	bound bool   // the words that were not read make it the latest time: "before 4pm"
}

// Error implements error.
func (p *Partial) Error() string { return p.Unwrap().Error() }

// Unwrap returns the question for the person.
func (p *Partial) Unwrap() error {
	if p.bound {
		return whole.Tell("I read “%s”, but not “%s”. At that time, or before it? Say when exactly.", p.Read, p.Left)
	}
	return whole.Tell("I read “%s”, but not “%s”. When exactly?", p.Read, p.Left)
}
