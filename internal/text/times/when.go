// Package times reads times and rhythms as people say them: "tomorrow at 9", "every
// weekday at 8:30", "in einer halben Stunde", a date, a cron expression. How each
// language says them is data (tongues). It knows no clock but the time it is given, and
// starts nothing.
package times

import (
	"errors"
	"strings"
	"time"

	whole "parley/internal/text"
)

// wordsNoWhen is said in more than one place.
const wordsNoWhen = "I don't understand the time “%s”. Try “in 10 minutes”, “tomorrow at 9”, “on Monday at 17:30”, " +
	"“every weekday at 8:30”, “2026-12-24 18:00” or a cron expression such as “0 9 * * 1”."

// Time is a time that somebody put in words: once, or a schedule.
type Time struct {
	At       time.Time // zero with a Schedule
	Schedule string    // five cron fields, or a rule such as "@every 2d from 2026-03-04T09:00"
	Notes    []Note    // what was chosen or had to be changed, for the person
	more     []Time    // named with it
	ofDay    bool      // only a time of day was said
	Tongue   string    // the language that it was said in, "" for none: a date or a cron expression
}

// farthest is how far ahead a reminder may lie.
const farthest = 10 * 366 * 24 * time.Hour

// maxWhen bounds what is parsed at all, in bytes; most of its tokens are words.
const (
	maxWhen    = 200
	mostTokens = 80
)

// cronForm is five fields, of which months and days of the week may be names.
var cronForm = whole.Pattern(`(?i)^[\d*][\d*/,-]*(?: +[\d*/,?-]+){2} +` +
	cronField(`jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec`) + ` +` + cronField(`sun|mon|tue|wed|thu|fri|sat`) + `$`)

func cronField(names string) string { return `(?:[\d*/,?-]|` + names + `)+` }

// isCron reports whether five fields in small letters can only be cron's: one of them is a
// star, which no time has that people say.
func isCron(fields string) bool {
	return strings.Contains(fields, "*") && cronForm().MatchString(fields)
}

// Parse reads a time or a rhythm in people's words, as a date, or as a cron expression,
// for somebody in loc. Languages that they speak (en, de, es, fr, ru, zh) come first
// where a text says something in several. It never reads the past, nor more than ten
// years ahead. Its errors are sentences for people, a *Partial where a part was read.
func Parse(text string, now time.Time, loc *time.Location, speaks ...string) (Time, error) {
	all, err := All(text, now, loc, speaks...)
	switch {
	case err != nil:
		return Time{}, err
	case len(all) > 1:
		return Time{}, whole.Tell("“%s” is more than one time. Which one?", text)
	}
	return all[0], nil
}

// All reads as Parse does, also several times that are named together: "at 8am and 8pm",
// "Monday and Wednesday at 6pm".
func All(text string, now time.Time, loc *time.Location, speaks ...string) ([]Time, error) {
	said := strings.TrimSpace(text)
	if len(said) > maxWhen {
		return nil, whole.Tell(wordsNoWhen, whole.Clip(said, 20)+"…")
	}
	w, err := read(said, now.In(loc), speaks)
	switch {
	case errors.Is(err, errUnclear):
		if _, _, err := Split(said, now.In(loc), speaks...); err != nil {
			return nil, err
		}
		return nil, whole.Tell(wordsNoWhen, said)
	case errors.Is(err, errEither):
		return nil, whole.Tell("“%s” can be two dates: is the day or the month first? Write it as 2026-12-24, or with the name of the month.", said)
	case errors.Is(err, errDayOrHour):
		return nil, whole.Tell("“%s” can be a day or a time of day. Please say it another way.", said)
	case err != nil:
		return nil, err
	}
	all := append([]Time{w}, w.more...)
	all[0].more = nil
	for i, w := range all {
		switch {
		case w.Schedule != "":
		case !w.At.After(now):
			return nil, whole.Tell("That time (%s) is past.", w.At.In(loc).Format("2006-01-02 15:04 MST"))
		case w.At.Sub(now) > farthest:
			return nil, whole.Tell("That is more than ten years ahead.")
		}
		all[i].Tongue = all[0].Tongue
	}
	return all, nil
}

// Moved reads the time that something due at a time is moved to: as Parse does, but a time of
// day alone is of the day that it is due on, while that is ahead. due is on the person's clock.
func Moved(text string, due, now time.Time, speaks ...string) (Time, error) {
	loc := due.Location()
	w, err := Parse(text, now, loc, speaks...)
	if err != nil || !w.ofDay {
		return w, err
	}
	day := dayOf(due)
	for _, hour := range []int{7, 0} { // "at five" is rather the afternoon's
		from := moment(day.Add(time.Duration(hour)*time.Hour), loc).Add(-time.Minute)
		if from.Before(now) {
			from = now
		}
		if again, err := Parse(text, from, loc, speaks...); err == nil && dayOf(again.At.In(loc)).Equal(day) {
			return again, nil
		}
	}
	return w, nil
}

// Day reads a day or a time as Parse does, also one that is past, for somebody whose
// clock shows now. ok is false where it is none, or a rhythm.
func Day(text string, now time.Time, speaks ...string) (at time.Time, ok bool) {
	if len(text) > maxWhen {
		return at, false
	}
	w, err := read(strings.TrimSpace(text), now, speaks)
	return w.At.In(now.Location()), err == nil && w.Schedule == "" && len(w.more) == 0
}

var (
	errUnclear = errors.New("unclear")
	errEither  = errors.New("a date that is two")
	// errDayOrHour: the words can be a day or a time of day.
	errDayOrHour = errors.New("a day or a time of day")
)

// exactForms are moments as programs write them, without their zone and with it.
var (
	exactForms = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05"}
	zonedForms = []string{"Z07:00", "Z0700", "Z07", " Z07:00", " Z0700", " UTC", " GMT"}
)

// exact reads a moment in the format of programs. zoned is true if it has a zone; otherwise
// it is the time on a wall clock, in UTC.
func exact(said string) (t time.Time, zoned, ok bool) {
	said = strings.ToUpper(said)
	for _, form := range append(exactForms, "2006-01-02 15:04") {
		for _, zone := range zonedForms {
			if t, err := time.Parse(form+zone, said); err == nil {
				return t, true, true
			}
		}
	}
	for _, form := range exactForms {
		if t, err := time.Parse(form, said); err == nil {
			return t, false, true
		}
	}
	return t, false, false
}

// basic writes a moment of ISO 8601's basic format, 20271231 or 20271231T100000Z, in the
// extended one.
func basic(said string) (string, bool) {
	for from, to := range map[string]string{"20060102": "2006-01-02", "20060102T150405Z0700": "2006-01-02T15:04:05Z07:00",
		"20060102T150405": "2006-01-02T15:04:05"} {
		if t, err := time.Parse(from, said); err == nil {
			return t.Format(to), true
		}
	}
	return "", false
}

// read reads a time, past or not. now is on the person's clock.
func read(said string, now time.Time, speaks []string) (Time, error) {
	if t, ok := basic(said); ok {
		said = t
	}
	low := strings.Join(strings.Fields(strings.ToLower(said)), " ")
	if isCron(low) {
		return Time{Schedule: low}, nil
	}
	if strings.HasPrefix(low, "@every ") {
		return Time{Schedule: Anchored(low, now.Location().String(), now)}, nil
	}
	switch t, zoned, ok := exact(low); {
	case ok && zoned:
		return Time{At: t}, nil
	case ok:
		r := resolver{now: now}
		w := r.exactly(dayOf(t), ofDay{hour: t.Hour(), minute: t.Minute()})
		w.At, w.Notes = w.At.Add(t.Sub(t.Truncate(time.Minute))), r.notes
		return w, nil
	}
	all := tokens(said, mostTokens)
	for _, l := range inOrder(speaks) {
		if w, err := l.read(all, now); !errors.Is(err, errUnclear) {
			w.Tongue = l.tag
			return w, err
		}
	}
	return Time{}, errUnclear
}

func (l *tongue) matcher(all []token) *matcher {
	return &matcher{tongue: l, tokens: all, begun: map[int][]step{}, steps: mostSteps}
}

// read reads all of a text in one language.
func (l *tongue) read(all []token, now time.Time) (w Time, err error) {
	err = errUnclear
	end := ended(all)
	if len(all) >= mostTokens {
		return w, err
	}
	l.matcher(all[:end]).cover(0, said{}, func(at int, s said) bool {
		if s.empty() || at != end && (at != end-1 || all[at].text != ".") {
			return true
		}
		r := resolver{said: s, now: now}
		if got, why := r.resolve(); !errors.Is(why, errUnclear) {
			w, err = got, why
			return false
		}
		return true
	})
	return w, err
}

// ended returns where a text ends without the marks behind it. The dot of "3.12." belongs
// to the date; a dot after a word does not.
func ended(all []token) int {
	end := len(all)
	for end > 0 && strings.Contains(".!?,:;", all[end-1].text) && !endsInNumber(all[:end]) {
		end--
	}
	return end
}

// endsInNumber reports whether the last mark is a dot behind a number.
func endsInNumber(all []token) bool {
	end := len(all)
	return end > 1 && all[end-1].text == "." && all[end-2].num >= 0
}
