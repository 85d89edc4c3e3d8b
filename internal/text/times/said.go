package times

import (
	"slices"
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
}

// with adds a piece. ok is false if the text named that part already.
func (s said) with(p piece) (said, bool) {
	free := func(at **piece) bool {
		if *at != nil {
			return false
		}
		*at = &p
		return true
	}
	ok := !s.torn(p)
	switch s.last = p.kind; p.kind {
	case "ahead":
		ok = free(&s.ahead) && ok && (s.day == nil || s.day.kind == "weekday" && p.weeks() > 0)
	case "off":
		ok = free(&s.off) && ok && (s.day != nil) == (p.arg(1) == "behind")
	case "day", "weekday", "next-weekday", "weekend", "date", "monthday":
		ok = free(&s.day) && ok
	case "week", "month", "year":
		ok = free(&s.shift) && ok
	case "clock", "bare":
		c, fits := p.time()
		s.clocks, ok = append(s.clocks[:len(s.clocks):len(s.clocks)], c), fits && ok && len(s.clocks) < 4
		p.part = ""
	case "part":
	default:
		ok = free(&s.rhythm) && ok
	}
	if p.kind == "day" && p.part == "" {
		p.part = p.arg(1)
	}
	if p.kind == "daily" && p.part == "" {
		p.part = p.arg(0)
	}
	if p.part != "" {
		ok = ok && s.part == ""
		s.part = p.part
	}
	return s, ok
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
		switch arg {
		case "24":
			c.written = true
		case "am", "pm":
			c.half = arg
		case "12", "0":
			c.hour, c.said, c.digits, c.padded = len(arg)/2*12, true, true, true
		case "to":
			less, c.minute = c.minute, 0
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
		if _, end := m.value(i, "and"); end > i && !m.cover(end, s, on) {
			return false
		}
	}
	if len(s.clocks) > 0 && s.zone == nil && i < len(m.tokens) {
		if at := m.tokens[i].zone(); at != nil {
			s.zone = at
			if !m.cover(i+1, s, on) {
				return false
			}
			s.zone = nil
		}
	}
	for _, end := range m.meanings(i, "filler") {
		if !m.cover(end, s, on) {
			return false
		}
	}
	return true
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
	for _, ph := range m.phrases {
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
