// Package query reads what somebody looks for in their notes: tags, a folder,
// properties and a time, taken out of their words. It searches nothing and knows no
// clock but the time it is given.
package query

import (
	"slices"
	"strings"
	"time"

	"parley/internal/notes/citation"
	"parley/internal/notes/frontmatter"
	"parley/internal/text"
	"parley/internal/text/times"
)

// Sought is what somebody looks for.
type Sought struct {
	Text       string // the words that remain
	Tags       []string
	Folder     string                 // "" means any
	Properties []frontmatter.Property // of which a note has all; Value "" matches any
	Time       *Time                  // nil means any
}

// Time is the period that somebody asks about.
type Time struct {
	times.Span
	days []citation.Date // the one day that was named; else the span counts
}

var (
	mark = text.Pattern(`(^|\s)(?:(tag|tags|folder|path|when|date|property):("[^"]*"|\S+)|#([\pL_][\pL\pN_/-]*)|\[([\pL_][\pL\pN_. -]*)(?::([^\]\[]*))?\])`)
	// since matches words for a period that lasts until now.
	since = text.Pattern(`(?i)(?:^|[^\pL])(?:since|seit|depuis|desde|dal|dalla|sinds|sedan|od)(?:[^\pL]|$)|自从|以来|から`)
)

// Parse reads a question. Filters look as in Obsidian: #tag or tag:tag, folder:name or
// path:name, [key], [key:value] or property:key, with quotes around values that have
// spaces. A time stands in the words, or after when:. What it does not know stays in the
// text.
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
			s.Properties = append(s.Properties, property(m[5], m[6]))
		case value == "":
			return found
		case m[2] == "tag" || m[2] == "tags":
			s.Tags = append(s.Tags, strings.Split(value, ",")...)
		case m[2] == "property":
			key, value, _ := strings.Cut(value, ":")
			s.Properties = append(s.Properties, property(key, value))
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

func property(key, value string) frontmatter.Property {
	return frontmatter.Property{Key: strings.ToLower(strings.TrimSpace(key)), Value: strings.TrimSpace(value)}
}

// TimeIn finds the time that a text speaks about, or nil. rest is the text without the
// words that only tell the time.
func TimeIn(text string, now time.Time) (t *Time, rest string) {
	if days := named(text); len(days) > 0 {
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

// named lists the days that a text names, each in its first reading.
func named(text string) (days []citation.Date) {
	for _, d := range citation.Dates(text) {
		if d.Day > 0 && d.Month > 0 && (len(days) == 0 || days[0] != citation.Date{Year: d.Year, Month: d.Day, Day: d.Month}) {
			days = append(days, d)
		}
	}
	return days
}

// spanning returns the time from the earliest to the latest of some days. A day without
// a year is the last such day that has begun.
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

// manyDays limits the length of a span to which a date without a year can belong.
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
