package times

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// said holds the parts of a time that a text names, not yet interpreted.
type said struct {
	ahead  *piece         // how long from now
	day    *piece         // which day
	shift  *piece         // next week, this month, next year
	rhythm *piece         // how often
	clocks []clock        // times of day
	part   string         // "morning", …; "" was not said
	off    *piece         // so long before or after that day
	zone   *time.Location // whose clock it is; nil is the person's own
	last   string         // the kind of the last piece
	joined joined         // by what a further time of day, which needs it, is joined to the last
	after  bool           // "after": the time of day is the earliest that is meant
	coming bool           // "next" or "this" came last, which says nothing more of a day that has a name
}

type joined int

const (
	byNothing joined = iota
	byComma
	byAnd
)

// with adds a piece. ok is false if the text named that part already.
func (s said) with(p piece) (said, bool) {
	free := func(at **piece) bool {
		if *at != nil {
			return false
		}
		*at = &p
		return true
	}
	ok := !s.torn(p) && (!s.coming || p.named()) && (s.last != "after" || p.kind == "clock")
	s.coming = p.kind == "coming"
	if p.kind == "clock" || p.kind == "bare" {
		ok = ok && (len(s.clocks) == 0 || s.joined != byNothing)
	}
	if p.kind == "part" && s.part != "" && len(s.clocks) > 0 && (s.joined != byNothing || s.last == "clock" || s.last == "bare") {
		s = s.parted()
	}
	switch p.kind {
	case "clock", "bare":
		s.joined = byNothing
	case "part", "after": // of the time of day that follows
	default:
		ok, s.joined = ok && s.joined != byAnd, byNothing
	}
	switch s.last = p.kind; p.kind {
	case "coming":
	case "after":
		s, ok = s.from(p.arg(0), ok)
	case "ahead":
		ok = free(&s.ahead) && ok && p.from(s.day)
	case "off":
		ok = free(&s.off) && ok && (s.day != nil) == (p.arg(1) == "behind")
	case "day", "weekday", "next-weekday", "weekend", "date", "monthday":
		if both := s.day.with(p); both != nil {
			s.day = both
		} else {
			ok = free(&s.day) && ok
		}
	case "week", "month", "year":
		if day := s.day.in(p.year); day != nil {
			s.day = day
		} else {
			ok = free(&s.shift) && ok && p.year == 0
		}
	case "clock", "bare":
		c, fits := p.time()
		s.clocks, ok = append(s.clocks[:len(s.clocks):len(s.clocks)], c), fits && ok && len(s.clocks) < 4
		p.part = ""
	case "part":
	default:
		ok = free(&s.rhythm) && ok
	}
	if own := map[string]string{"day": p.arg(1), "daily": p.arg(0)}[p.kind]; p.part == "" {
		p.part = own
	}
	if p.part != "" {
		ok = ok && s.part == ""
		s.part = p.part
	}
	return s, ok
}

// from notes that the time of day that follows, or stands behind, is the earliest.
func (s said) from(where string, ok bool) (said, bool) {
	ok = ok && !s.after && (len(s.clocks) == 0) == (where == "")
	if s.after = true; where == "behind" {
		s.last = "clock"
	}
	return s, ok
}

// from reports whether a length can be counted from a day: "Wednesday in two weeks", "Easter in
// 2 years".
func (p *piece) from(day *piece) bool {
	return day == nil || day.kind == "weekday" && p.weeks() > 0 || day.named() && p.years()+p.months() > 0
}

// in returns a date in a year that was said apart from it, "Easter in 2028"; nil for none.
func (p *piece) in(year int) *piece {
	if p == nil || year == 0 || p.kind != "date" || p.year > 0 {
		return nil
	}
	day := *p
	day.year = year
	return &day
}

// parted gives the part of the day that was said to the times of day it belongs to, so that
// another can follow: "8 in the morning and 8 in the evening".
func (s said) parted() said {
	own := len(s.clocks)
	if s.joined == byNothing {
		own-- // the last one's part comes behind it
	}
	s.clocks = slices.Clone(s.clocks)
	for i, c := range s.clocks[:own] {
		if c.part == "" {
			s.clocks[i].part = s.part
		}
	}
	s.part = ""
	return s
}

// with returns a date together with the weekday that was said before or after it; nil if the
// two are something else: "the second Friday" is no 2nd.
func (p *piece) with(q piece) *piece {
	if p == nil {
		return nil
	}
	on, of := p, &q
	if of.kind == "weekday" {
		on, of = of, on
	}
	if on.kind != "weekday" || len(on.args) > 0 || len(on.spans) > 0 || len(on.days) > 1 || len(of.days) > 0 ||
		of.nth != 0 || of.date.day == 0 ||
		of.kind != "date" && (of.kind != "monthday" || of == p) || slices.Contains([]string{"in", "hour"}, of.arg(0)) {
		return nil
	}
	both := *of
	both.days = on.days
	return &both
}

// named reports whether a day has a name of its own: Easter, New Year.
func (p *piece) named() bool {
	return p != nil && p.kind == "date" && p.nth == 0 && len(p.args) > 1
}

// torn reports whether a bare number stands beside a piece that it may belong to instead:
// "Thursday 15", "31 10", "20 of next month", "midi quinze".
func (s said) torn(p piece) bool {
	switch {
	case p.kind == "bare" && s.last == "part":
		return s.part == "noon" || s.part == "midnight"
	case p.kind == "bare":
		return slices.Contains(dated, s.last)
	}
	return s.last == "bare" && slices.Contains(dated, p.kind)
}

// dated are the pieces that a number beside them may belong to.
var dated = []string{"weekday", "next-weekday", "date", "monthday", "week", "month", "year"}

// time returns the clock of a piece: "clock +30" is half an hour after the named hour,
// "clock past" the minutes after it, "clock to" the minutes before it.
func (p piece) time() (clock, bool) {
	c, less := p.clock, 0
	c.part, c.bare = p.part, p.kind == "bare"
	for _, arg := range p.args {
		if hour, err := strconv.Atoi(strings.TrimPrefix(arg, "h")); err == nil && arg[0] == 'h' {
			c.hour, c.said = hour, true
		}
		switch arg {
		case "24":
			c.written = true
		case "am", "pm":
			c.half = arg
		case "12", "0":
			c.hour, c.said, c.digits, c.padded = len(arg)/2*12, true, true, true
		case "to":
			less, c.minute = c.minute, 0
		case "five":
			c.minute *= 5
		case "+15":
			c.minute = 15
		case "+30":
			c.minute = 30
		case "+45":
			c.minute = 45
		case "-15":
			less = 15
		case "-45":
			less = 45
		case "-30":
			less = 30
		}
	}
	if c.before = less > 0; c.before {
		if c.minute = 60 - less; c.hour == 0 {
			c.hour = 24
		}
		c.hour--
		if c.hour == 0 && !c.padded {
			c.hour = 12 // half an hour before one
		}
	}
	return c, c.hour < 24 || c.minute == 0
}

// cover reads pieces one after another from token i on, and calls on at each end it
// reaches, until that returns false.
func (m *matcher) cover(i int, s said, on func(end int, s said) bool) bool {
	if m.steps--; m.steps < 0 {
		return false
	}
	if !on(i, s) {
		return false
	}
	for _, step := range m.at(i) {
		if next, ok := s.with(step.piece); ok && !m.cover(step.end, next, on) {
			return false
		}
	}
	if len(s.clocks) > 0 { // "at 8 and at 18:00"
		with := s
		with.joined = byAnd
		if _, end := m.value(i, "and"); end > i && !m.cover(end, with, on) {
			return false
		}
	}
	if s.zone == nil {
		for at, end := range m.zones(i, len(s.clocks) > 0) {
			s.zone = at
			if !m.cover(end, s, on) {
				return false
			}
		}
		s.zone = nil
	}
	if s.day != nil && len(s.clocks) == 0 && i < len(m.tokens) && slices.Contains([]string{"-", "–", "—"}, m.tokens[i].text) {
		for _, step := range m.at(i + 1) { // "4 May - 11:30"
			if next, ok := s.with(step.piece); ok && step.kind == "clock" && !m.cover(step.end, next, on) {
				return false
			}
		}
	}
	if end, p := m.bracketed(i); end > i {
		if next, ok := s.with(p); ok && s.day != nil && !m.cover(end, next, on) {
			return false
		}
	}
	for _, end := range m.meanings(i, "filler") {
		if m.tokens[i].text == "," {
			s.joined = max(s.joined, byComma)
		}
		if !m.cover(end, s, on) {
			return false
		}
	}
	return true
}

// bracketed reads a weekday in brackets, as it stands behind a date: "14 March (Sat)".
func (m *matcher) bracketed(i int) (int, piece) {
	if i+2 >= len(m.tokens) || m.tokens[i].text != "(" {
		return i, piece{}
	}
	for _, step := range m.at(i + 1) {
		if step.kind == "weekday" && step.end < len(m.tokens) && m.tokens[step.end].text == ")" {
			return step.end + 1, step.piece
		}
	}
	return i, piece{}
}

// step is a piece, and where it ends.
type step struct {
	piece
	end int
}

// at returns the pieces that can begin at a token, the longest first.
func (m *matcher) at(i int) []step {
	if i >= len(m.tokens) {
		return nil
	}
	if all, ok := m.begun[i]; ok {
		return all
	}
	var all []step
	likely := append(slices.Clone(m.begin[m.tokens[i].text]), m.begin[""]...)
	slices.Sort(likely)
	for _, n := range slices.Compact(likely) {
		ph := m.phrases[n]
		m.match(ph.shape, i, piece{kind: ph.kind, args: ph.args}, func(end int, p piece) bool {
			if end > i {
				all = append(all, step{p, end})
			}
			return true
		})
	}
	slices.SortStableFunc(all, func(a, b step) int { return b.end - a.end })
	m.begun[i] = all
	return all
}

// empty reports whether nothing was named.
func (s said) empty() bool {
	return s.ahead == nil && s.day == nil && s.shift == nil && s.rhythm == nil && len(s.clocks) == 0 && s.part == ""
}
