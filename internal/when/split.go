package when

import (
	"strings"
	"time"
)

// Split parts "in 10 minutes to stretch" or "stretch in 10 minutes" into the time and
// what it is for: the longest time that can be read wins, and one at both ends is one
// time. ok is false when there is none, or nothing else: then what is empty, and when is
// the time if there is one. Something that looks like a time and is none ("at 26") is
// never taken as what it is for: then there is no time either.
func Split(text string, now time.Time, speaks ...string) (when, what string, ok bool) {
	text = strings.TrimSpace(text)
	if f := strings.Fields(text); len(f) > 5 && cronForm().MatchString(strings.Join(f[:5], " ")) {
		return strings.Join(f[:5], " "), strings.Join(f[5:], " "), true
	}
	all := tokens(text, mostSplit)
	for _, l := range inOrder(speaks) {
		s := splitter{l: l, text: text, all: all, now: now}
		if when, what, ok, found := s.split(); found {
			return when, what, ok
		}
	}
	return "", "", false
}

// mostSplit bounds the words that a time is looked for in, in tokens; what follows
// belongs to what the reminder is for.
const mostSplit = 400

// splitter looks for the time in a text in one language.
type splitter struct {
	l    *tongue
	text string
	all  []token
	now  time.Time
}

// split looks at the beginning, then at the end. found is false where this language has
// no time in the text.
func (s *splitter) split() (when, what string, ok, found bool) {
	from, to := s.led(0), ended(s.all)
	if end := s.front(from, to); end > from {
		when = s.words(from, end)
		rest := s.joint(end, to)
		if rest >= to {
			return when, "", false, true
		}
		if s.odd(rest) {
			return "", "", false, true
		}
		if at := s.back(rest, to); at < to {
			if both := when + " " + s.words(at, to); s.reads(both) {
				return both, s.what(rest, at), true, true
			}
		}
		return when, s.rest(rest), true, true
	}
	if at := s.back(from, to); at < to && len(s.all) < mostSplit {
		return s.words(at, to), s.what(s.joint(from, at), at), true, true
	}
	return "", "", false, false
}

func (s *splitter) words(from, to int) string { return s.text[s.all[from].from:s.all[to-1].to] }

// rest is the text from a token on, to its very end.
func (s *splitter) rest(from int) string { return strings.TrimSpace(s.text[s.all[from].from:]) }

// what is what stands before a time that ends the text.
func (s *splitter) what(from, to int) string {
	for to > from && strings.Contains(",:;-", s.all[to-1].text) {
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
		_, end := s.l.value(s.all, i, "lead")
		if more = end > i; more {
			i = end
		}
	}
	return i
}

// joint skips what joins a time and what it is for, and "remind me" again.
func (s *splitter) joint(i, to int) int {
	for i < to && strings.Contains(",:;-", s.all[i].text) {
		i++
	}
	i = s.led(i)
	if _, end := s.l.value(s.all, i, "joint"); end > i && end < to {
		i = end
	}
	return i
}

// front returns where the longest time ends that the text begins with; from for none.
func (s *splitter) front(from, to int) int {
	best := from
	m := s.l.matcher(s.all[:min(to, from+mostTokens/2)])
	m.cover(from, said{}, func(at int, got said) bool {
		if at > best && !got.empty() && s.meant(got) && !s.hanging(got, at, to) {
			best = at
		}
		return true
	})
	return best
}

// hanging tells that a time ends in a number of which nothing says that it is an hour:
// "every day 2 pills".
func (s *splitter) hanging(got said, at, to int) bool {
	if at >= to || len(got.clocks) == 0 || strings.Contains(",:;-", s.all[at].text) {
		return false
	}
	last := got.clocks[len(got.clocks)-1]
	_, joined := s.l.value(s.all, at, "joint")
	return last.bare && last.half == "" && joined == 0
}

// back returns where the longest time begins that the text ends with; to for none.
func (s *splitter) back(from, to int) int {
	m := s.l.matcher(s.all[:to])
	for i := max(from+1, to-mostTokens/2); i < to; i++ {
		found := false
		m.steps = mostSteps / 10
		if len(m.at(i)) > 0 {
			m.cover(i, said{}, func(at int, got said) bool {
				found = at == to && !got.empty() && s.meant(got)
				return !found
			})
		}
		if found {
			return i
		}
	}
	return to
}

// meant tells that what was said means a time, also a past one.
func (s *splitter) meant(got said) bool {
	_, err := (&resolver{said: got, now: s.now}).resolve()
	return err == nil || err == errEither
}

func (s *splitter) reads(text string) bool {
	_, err := s.l.read(tokens(text, mostTokens), s.now)
	return err == nil
}

// odd tells that what is left begins like a time of day that is none.
func (s *splitter) odd(i int) bool {
	number := func(i int) bool { return i < len(s.all) && s.all[i].num >= 0 }
	if _, end := s.l.value(s.all, i, "at"); end > i {
		return number(end)
	}
	return number(i) && i+1 < len(s.all) && s.all[i+1].text == ":" && number(i+2) && !s.all[i+2].open
}
