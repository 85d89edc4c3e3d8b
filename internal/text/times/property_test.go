package times

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/text/catalog"
)

var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia"}

// draw is a person somewhere at some time who says something.
type draw struct {
	*rand.Rand
	now time.Time
	loc *time.Location
}

func drawn(t testing.TB, seed uint64) draw {
	r := rand.New(rand.NewPCG(seed, 17))
	loc := zone(t, zones[r.IntN(len(zones))])
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.Int64N(int64(3 * 366 * 24 * time.Hour))))
	return draw{r, now.In(loc), loc}
}

func (d draw) of(words ...string) string { return words[d.IntN(len(words))] }

// read fails the test where a sentence that says a time is not understood.
func (d draw) read(t *testing.T, said string) Time {
	t.Helper()
	w, err := Parse(said, d.now, d.loc)
	if err != nil {
		t.Fatalf("%q on %s: %v", said, d.now, err)
	}
	return w
}

// half draws a time of day whose half is said: from and to bound its hour.
func (d draw) half() (said string, from, to int) {
	h := 1 + d.IntN(12)
	switch d.IntN(4) {
	case 0:
		return fmt.Sprintf("at %d%s", h, d.of("am", " am", " a.m.")), 0, 11
	case 1:
		return fmt.Sprintf("at %d%s", h, d.of("pm", " pm", ":30 pm")), 12, 23
	case 2:
		return fmt.Sprintf("at %d in the morning", d.IntN(11)+1), 0, 11
	}
	return fmt.Sprintf("at %d in the evening", d.IntN(7)+4), 12, 23
}

// properties are what holds whoever says it whenever and wherever.
var properties = map[string]func(*testing.T, draw){
	"a date keeps its day, its month and its half of the day": func(t *testing.T, d draw) {
		day, month := 1+d.IntN(31), time.Month(1+d.IntN(12))
		if day > daysIn(time.Date(2028, month, 1, 0, 0, 0, 0, time.UTC)) {
			return
		}
		clock, from, to := d.half()
		said := fmt.Sprintf(d.of("on %[1]d %[2]s %[3]s", "%[2]s %[1]d %[3]s", "on the %[1]d%[4]s of %[2]s %[3]s"), day,
			month, clock, suffixOf(day))
		at := d.read(t, said).At.In(d.loc)
		if at.Day() != day || at.Month() != month || (at.Hour() < from || at.Hour() > to) && !skipped(at) {
			t.Errorf("%q on %s is %s", said, d.now, at)
		}
	},
	"a date keeps its day, its month and its hour in every language": func(t *testing.T, d draw) {
		day, month, h := 1+d.IntN(28), 1+d.IntN(12), d.IntN(24)
		tag := d.of("de", "es", "fr", "ru", "zh")
		form := map[string]string{"de": "am %d. %s um %02d:30", "es": "el %d de %s a las %02d:30", "fr": "le %d %s à %02dh30",
			"ru": "%d %s в %02d:30", "zh": "%[2]s%[1]d日%02[3]d:30"}[tag]
		name := time.Month(month).String()
		for _, w := range wordsOf(tag, "month", strconv.Itoa(month)) {
			name = w
		}
		said := fmt.Sprintf(form, day, name, h)
		at := d.read(t, said).At.In(d.loc)
		if at.Day() != day || int(at.Month()) != month || at.Hour() != h && !skipped(at) {
			t.Errorf("%q on %s is %s", said, d.now, at)
		}
	},
	"a day of the month keeps its number": func(t *testing.T, d draw) {
		day := 1 + d.IntN(31)
		clock, from, to := d.half()
		said := fmt.Sprintf("on the %d%s %s", day, suffixOf(day), clock)
		at := d.read(t, said).At.In(d.loc)
		if at.Day() != day || (at.Hour() < from || at.Hour() > to) && !skipped(at) || at.Sub(d.now) > 63*24*time.Hour {
			t.Errorf("%q on %s is %s", said, d.now, at)
		}
	},
	"months from now end in the month that was meant": func(t *testing.T, d draw) {
		n := 1 + d.IntN(14)
		said := fmt.Sprintf("in %d months", n)
		if n == 1 {
			said = d.of("next month", "in a month", "in 1 month")
		}
		at := d.read(t, said).At.In(d.loc)
		months := func(t time.Time) int { return 12*t.Year() + int(t.Month()) }
		if months(at)-months(d.now) != n || at.Day() > d.now.Day() {
			t.Errorf("%q on %s is %s", said, d.now, at)
		}
	},
	"a weekday keeps its day, and its night ends the next morning": func(t *testing.T, d draw) {
		day, h := time.Weekday(d.IntN(7)), 1+d.IntN(12)
		said := fmt.Sprintf("%s night at %d", day, h)
		at := d.read(t, said).At.In(d.loc)
		evening := at.Weekday() == day && at.Hour() >= 18
		night := at.Weekday() == (day+1)%7 && at.Hour() <= 6
		if !evening && !night || evening != (h >= 6 && h < 12) {
			t.Errorf("%q on %s is %s", said, d.now, at)
		}
	},
	"the same hour is the same half of the day once and every day": func(t *testing.T, d draw) {
		h := 1 + d.IntN(12)
		once := d.read(t, fmt.Sprintf("the day after tomorrow at %d", h)).At.In(d.loc)
		every := d.read(t, fmt.Sprintf("every day at %d", h)).Schedule
		if want := fmt.Sprintf("0 %d * * *", once.Hour()); every != want && !skipped(once) {
			t.Errorf("at %d is %s once and %s every day", h, once, every)
		}
	},
	"whole days are counted on the wall clock": func(t *testing.T, d draw) {
		n, h := 2+d.IntN(9), d.IntN(24)
		said := fmt.Sprintf("every %d days at %02d:30", n, h)
		fires := d.fires(t, said, 40)
		for i := 1; i < len(fires); i++ {
			if days(fires[i-1], fires[i]) != n || fires[i].Hour() != h && !skipped(fires[i]) {
				t.Fatalf("%q on %s: %s, then %s", said, d.now, fires[i-1], fires[i])
			}
		}
	},
	"hours do not drift, however late somebody is told": func(t *testing.T, d draw) {
		n := 1 + d.IntN(12)
		said := fmt.Sprintf("every %d hours", n)
		w := d.read(t, said)
		due := d.now
		for i := 1; i < 100; i++ {
			next, err := Next(w.Schedule, d.loc.String(), due.Add(time.Duration(d.IntN(5))*time.Second))
			if err != nil || !next.Equal(d.now.Truncate(time.Second).Add(time.Duration(i*n)*time.Hour)) {
				t.Fatalf("%q on %s: %s as number %d, %v", said, d.now, next, i, err)
			}
			due = next
		}
	},
	"each month has one": func(t *testing.T, d draw) {
		day := 1 + d.IntN(31)
		said := fmt.Sprintf("every month on the %d%s at 10:00", day, suffixOf(day))
		fires := d.fires(t, said, 30)
		for i, at := range fires {
			if at.Day() != min(day, daysIn(at)) || i > 0 && at.Month() != fires[i-1].Month()%12+1 {
				t.Fatalf("%q on %s: %v", said, d.now, fires)
			}
		}
	},
	"each other weekday is 14 days on": func(t *testing.T, d draw) {
		day := time.Weekday(d.IntN(7))
		fires := d.fires(t, fmt.Sprintf("every other %s at 10:00", day), 30)
		for i, at := range fires {
			if at.Weekday() != day || i > 0 && days(fires[i-1], at) != 14 {
				t.Fatalf("every other %s on %s: %v", day, d.now, fires)
			}
		}
	},
}

// wordsOf returns the single words of a meaning in a language.
func wordsOf(tag, class, value string) (all []string) {
	for _, l := range tongues() {
		for first, words := range l.words {
			for _, w := range words {
				if l.tag == tag && w.class == class && w.value == value {
					all = append(all, first+strings.Join(w.rest, ""))
				}
			}
		}
	}
	return all
}

// fires returns the first times of a rhythm.
func (d draw) fires(t *testing.T, said string, n int) (all []time.Time) {
	t.Helper()
	w, at := d.read(t, said), d.now
	for range n {
		next, err := Next(w.Schedule, d.loc.String(), at)
		if err != nil || !next.After(at) {
			t.Fatalf("%q (%s) after %s: %s, %v", said, w.Schedule, at, next, err)
		}
		at = next.In(d.loc)
		all = append(all, at)
	}
	return all
}

// days counts the days on the calendar between two times.
func days(a, b time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(b).Sub(day(a)).Hours() / 24)
}

// skipped tells that the clocks were put forward just before a time.
func skipped(t time.Time) bool {
	_, now := t.Zone()
	_, before := t.Add(-3 * time.Hour).Zone()
	return now != before
}

func suffixOf(day int) string {
	switch {
	case day%10 == 1 && day != 11:
		return "st"
	case day%10 == 2 && day != 12:
		return "nd"
	case day%10 == 3 && day != 13:
		return "rd"
	}
	return "th"
}

func TestProperties(t *testing.T) {
	for name, holds := range properties {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(120) {
				holds(t, drawn(t, seed))
			}
		})
	}
}

func FuzzProperties(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		for _, holds := range properties {
			holds(t, drawn(t, seed))
		}
	})
}

// Whatever is typed, nothing panics, hangs, or is in the past.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"in 10 minutes", "every month on the 5th at 9am", "half past 4", "on 31 feb 2027",
		"0 9 * * 1-5", "next sat at 10.30", "@every 2d from 2026-03-04T09:00", "am 3. Mai um halb fünf", "下周三晚上8点半"} {
		f.Add(s)
	}
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse(text, now, time.UTC)
		if err == nil && w.Schedule == "" && !w.At.After(now) {
			t.Fatalf("%q is %v, which is past", text, w.At)
		}
		if err == nil && w.Schedule != "" {
			Rhythm(w.Schedule, catalog.Printer{})
			if next, err := Next(w.Schedule, "UTC", now); err == nil && !next.After(now) {
				t.Fatalf("%q (%s) is next due at %v, which is past", text, w.Schedule, next)
			}
		}
		Split(text, now)
	})
}
