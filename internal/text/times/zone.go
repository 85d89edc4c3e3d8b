package times

import (
	"iter"
	"strings"
	"time"
)

// zoneOf is what a short name of a zone stands for: the hours from UTC, or a place where
// it is said all year.
type zoneOf struct {
	hours float64
	place string
	small bool // also in small letters, which no other word has
	asks  bool // which of several, people are asked
}

// zoneClocks are the short names of zones.
var zoneClocks = map[string]zoneOf{
	"utc": {small: true}, "gmt": {small: true}, "z": {},
	"est": {hours: -5}, "edt": {hours: -4, small: true}, "cst": {hours: -6}, "cdt": {hours: -5, small: true},
	"mst": {hours: -7}, "mdt": {hours: -6}, "pst": {hours: -8, small: true}, "pdt": {hours: -7, small: true},
	"et": {place: "America/New_York"}, "ct": {place: "America/Chicago"}, "mt": {place: "America/Denver"}, "pt": {place: "America/Los_Angeles"},
	"cet": {place: "Europe/Berlin", small: true}, "mez": {place: "Europe/Berlin"}, "cest": {hours: 2, small: true}, "mesz": {hours: 2},
	"eet": {place: "Europe/Helsinki"}, "eest": {hours: 3}, "wet": {place: "Europe/Lisbon"}, "west": {hours: 1},
	"bst": {hours: 1}, "ist": {asks: true}, // India, Israel, Ireland
	"msk": {hours: 3, small: true}, "мск": {hours: 3, small: true}, "jst": {hours: 9}, "kst": {hours: 9},
	"hkt": {hours: 8}, "sgt": {hours: 8}, "aest": {hours: 10}, "aedt": {hours: 11}, "awst": {hours: 8},
	"nzst": {hours: 12}, "nzdt": {hours: 13},
}

// zone returns the clock that a word names; nil for none.
func (t token) zone() *time.Location {
	z, ok := zoneClocks[t.text]
	switch {
	case !ok || z.asks || !t.upper && !z.small:
		return nil
	case z.place == "":
		return time.FixedZone(t.text, int(z.hours*3600))
	}
	loc, err := time.LoadLocation(z.place)
	if err != nil {
		return nil // then it is asked about, like any word beside a time
	}
	return loc
}

// zones are the clocks that words name, and where these end: "PST" and "in Tokyo" behind a
// time of day, "Tokyo time" anywhere.
func (m *matcher) zones(i int, clocks bool) iter.Seq2[*time.Location, int] {
	return func(yield func(*time.Location, int) bool) {
		if i >= len(m.tokens) {
			return
		}
		if at := m.tokens[i].zone(); at != nil && clocks && !yield(at, i+1) {
			return
		}
		name, before := i, false
		if v, end := m.first(i, "zone"); v == "1" {
			name, before = end, true
		}
		for end := min(name+3, len(m.tokens)); end > name; end-- {
			zone := Place(m.said(name, end))
			v, after := m.first(end, "zone")
			if v != "2" {
				after = end
			}
			if zone == "" || v != "2" && (!before || !clocks || m.tokens[name].small) {
				continue
			}
			if at, err := time.LoadLocation(zone); err == nil && !yield(at, after) {
				return
			}
		}
	}
}

// said returns tokens as they were written, apart from capital letters and accents.
func (m *matcher) said(from, to int) string {
	var words strings.Builder
	for _, t := range m.tokens[from:to] {
		if t.open && words.Len() > 0 {
			words.WriteByte(' ')
		}
		words.WriteString(t.text)
	}
	return words.String()
}
