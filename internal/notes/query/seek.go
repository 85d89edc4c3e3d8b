// Package query reads what somebody looks for in their notes: tags, a folder,
// properties and a time, taken out of their words. It searches nothing and knows no
// clock but the time it is given.
package query

import (
	"slices"
	"strings"
	"time"

	"parley/internal/notes/citation"
	"parley/internal/text"
	"parley/internal/text/times"
)

// Sought is what somebody looks for.
type Sought struct {
	Text       string // the words that are left
	Tags       []string
	Folder     string     // "" for all
	Properties []Property // which a note has all of
	Time       *Time      // nil for any
}

// Property is a value at the head of notes; Value "" is any.
type Property struct{ Key, Value string }

// Time is what is looked for in time.
type Time struct {
	times.Span
	days []citation.Date // that were named; without any, the span counts
}

var (
	mark = text.Pattern(`(^|\s)(?:(tag|tags|folder|path|when|date|property):("[^"]*"|\S+)|#([\pL_][\pL\pN_/-]*)|\[([\pL_][\pL\pN_. -]*)(?::([^\]\[]*))?\])`)
	// since are words after which a time goes on until now.
	since = text.Pattern(`(?i)(?:^|[^\pL])(?:since|seit|depuis|desde|dal|dalla|sinds|sedan|od)(?:[^\pL]|$)|自从|以来|から`)
)

// Parse reads a question. Filters are written as people know them from Obsidian:
// #tag and tag:tag, folder:name or path:name, [key], [key:value] or property:key, with
// quotation marks around what has spaces; and a time is said in words, or behind
// when:. What it does not know stays in the text.
func Parse(question string, now time.Time) Sought {
	var s Sought
	said := ""
	s.Text = mark().ReplaceAllStringFunc(question, func(found string) string {
		m := mark().FindStringSubmatch(found)
		value := strings.TrimSpace(strings.Trim(m[3], `"`))
		switch {
		case m[4] != "":
			s.Tags = append(s.Tags, m[4])
		case m[5] != "":
			s.Properties = append(s.Properties, Property{strings.ToLower(strings.TrimSpace(m[5])), strings.TrimSpace(m[6])})
		case value == "":
			return found
		case m[2] == "tag" || m[2] == "tags":
			s.Tags = append(s.Tags, strings.Split(value, ",")...)
		case m[2] == "property":
			key, value, _ := strings.Cut(value, ":")
			s.Properties = append(s.Properties, Property{strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)})
		case m[2] == "folder" || m[2] == "path":
			s.Folder = value
		default:
			said = value
		}
		return m[1]
	})
	s.Text = strings.Join(strings.Fields(s.Text), " ")
	if said != "" {
		s.Time, _ = TimeIn(said, now)
	} else {
		s.Time, s.Text = TimeIn(s.Text, now)
	}
	return s
}

// TimeIn finds the time that a text speaks about, nil for none. rest is the text
// without words that say nothing else.
func TimeIn(text string, now time.Time) (t *Time, rest string) {
	if days := named(text, now); len(days) > 0 {
		return spanning(days, now), text
	}
	span, rest, ok := times.FindSpan(text, now)
	if !ok {
		return nil, text
	}
	if since().MatchString(text) {
		if tomorrow := now.AddDate(0, 0, 1); span.To.Before(tomorrow) {
			span.To, span.Month = time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 0, 0, 0, 0, now.Location()), 0
		}
	}
	return &Time{Span: span}, rest
}

// named lists the days that a text names, each in the first way that it may be read.
func named(text string, now time.Time) (days []citation.Date) {
	for _, d := range citation.Dates(text) {
		if d.Day > 0 && d.Month > 0 && (len(days) == 0 || days[0] != citation.Date{Year: d.Year, Month: d.Day, Day: d.Month}) {
			days = append(days, d)
		}
	}
	return days
}

// spanning makes a time of days: from the earliest to the latest of several. Without
// a year it is the last one that has begun.
func spanning(days []citation.Date, now time.Time) *Time {
	t := &Time{}
	for _, d := range days {
		if len(days) == 1 {
			t.days = days
		}
		if d.Year == 0 {
			if d.Year = now.Year(); time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, now.Location()).After(now) {
				d.Year--
			}
		}
		from := time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, now.Location())
		if t.From.IsZero() || from.Before(t.From) {
			t.From = from
		}
		if to := from.AddDate(0, 0, 1); to.After(t.To) {
			t.To = to
		}
	}
	return t
}

// In reports whether a text names a day of the time, or its month.
func (t *Time) In(text string) bool { return slices.ContainsFunc(citation.Dates(text), t.names) }

// manyDays is longer than any time of which a day without a year is surely in the
// same year.
const manyDays = 40 * 24 * time.Hour

func (t *Time) names(d citation.Date) bool {
	if len(t.days) == 1 {
		o := t.days[0]
		return d.Month == o.Month && d.Day == o.Day && (d.Year == o.Year || d.Year == 0 || o.Year == 0)
	}
	years := []int{d.Year}
	if d.Year == 0 {
		if t.Month != 0 || t.To.Sub(t.From) > manyDays {
			return d.Month == int(t.Month)
		}
		years = []int{t.From.Year(), t.To.Year()}
	}
	return d.Month > 0 && slices.ContainsFunc(years, func(year int) bool {
		return t.Has(time.Date(year, time.Month(d.Month), max(d.Day, 1), 0, 0, 0, 0, t.From.Location()))
	})
}
