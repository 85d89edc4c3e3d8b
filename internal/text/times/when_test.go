package times

import (
	"errors"
	"strings"
	"testing"
	"time"

	whole "parley/internal/text"
	"parley/internal/text/catalog"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// outcome is what a text is read as: a time, a schedule, or why it is none.
func outcome(t *testing.T, text string, now time.Time, speaks ...string) string {
	t.Helper()
	w, err := Parse(text, now, now.Location(), speaks...)
	if people := (*whole.Error)(nil); err != nil && !errors.As(err, &people) {
		t.Errorf("%q: %v is not for people", text, err)
	}
	switch {
	case err != nil && strings.Contains(err.Error(), "past"):
		return "past"
	case err != nil && strings.Contains(err.Error(), "ahead"):
		return "ahead"
	case err != nil && strings.Contains(err.Error(), "two dates"):
		return "two"
	case err != nil:
		return ""
	case w.Schedule != "":
		return w.Schedule
	}
	return w.At.In(now.Location()).Format("2006-01-02 15:04")
}

func TestParse(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, zone(t, "Europe/Zurich")) // a Wednesday
	for text, want := range map[string]string{
		"in 10 minutes": "2026-03-04 14:30", "in 2 hours and 15 min": "2026-03-04 16:35", "in half an hour": "2026-03-04 14:50",
		"in an hour": "2026-03-04 15:20", "in 3 days": "2026-03-07 14:20", "in a week": "2026-03-11 14:20", "in 2h": "2026-03-04 16:20",
		"in 1 hour and a half": "2026-03-04 15:50", "in a month": "2026-04-04 14:20", "in two weeks": "2026-03-18 14:20",
		"in 30 days": "2026-04-03 14:20", // over the change of the clocks
		"at 17:30":   "2026-03-04 17:30", "at 5pm": "2026-03-04 17:00", "at 5": "2026-03-04 17:00", "at 9": "2026-03-04 21:00",
		"at 3 pm": "2026-03-04 15:00",
		"9am":     "2026-03-05 09:00", "at 8:15": "2026-03-05 08:15", "noon": "2026-03-05 12:00", "midnight": "2026-03-05 00:00",
		"half past 4": "2026-03-04 16:30",
		"tomorrow":    "2026-03-05 09:00", "tomorrow at 9": "2026-03-05 09:00", "tomorrow at 5": "2026-03-05 17:00",
		"tomorrow morning":      "2026-03-05 09:00",
		"tomorrow morning at 7": "2026-03-05 07:00", "tomorrow evening at 8": "2026-03-05 20:00", "tonight": "2026-03-04 20:00",
		"this evening":  "2026-03-04 18:00",
		"tonight at 11": "2026-03-04 23:00", "the day after tomorrow at noon": "2026-03-06 12:00", "today at 18:00": "2026-03-04 18:00",
		"on Friday": "2026-03-06 09:00", "Friday at 5pm": "2026-03-06 17:00", "next Wednesday": "2026-03-11 09:00",
		"on Wednesday at 15:00": "2026-03-04 15:00",
		"on wed at 8:00":        "2026-03-11 08:00", "next week": "2026-03-11 09:00", "on 24 December at 6pm": "2026-12-24 18:00",
		"December 24th": "2026-12-24 09:00",
		"on the 2nd":    "2026-04-02 09:00", "on 1 March": "2027-03-01 09:00", "March 5, 2027 at 10:00": "2027-03-05 10:00",
		"in 2 days at 8:00": "2026-03-06 08:00",
		"2026-12-24 18:00":  "2026-12-24 18:00", "2026-12-24": "2026-12-24 09:00", "2026-12-24T18:00": "2026-12-24 18:00",
		"2026-12-24T18:00:00Z":  "2026-12-24 19:00",
		"on Saturday, at 10.30": "2026-03-07 10:30", "at the weekend": "2026-03-07 09:00",

		"every day": "0 9 * * *", "every day at 7:30": "30 7 * * *", "every morning": "0 9 * * *", "every evening at 8": "0 20 * * *",
		"daily at 6pm":          "0 18 * * *",
		"every weekday at 8:30": "30 8 * * 1-5", "every Monday": "0 9 * * 1", "every Monday and Thursday at 10": "0 10 * * 1,4",
		"every 2 hours": "@every 2h0m0s from 2026-03-04T13:20:00Z",
		"hourly":        "@every 1h0m0s from 2026-03-04T13:00:00Z", "every 15 minutes": "@every 15m0s from 2026-03-04T13:20:00Z",
		"every week on Friday at noon": "0 12 * * 5", "every month on the 5th at 9am": "0 9 5 * *",
		"every 1st of the month": "0 9 1 * *", "every 24 December": "0 9 24 12 *", "every other day": "@every 2d from 2026-03-05T09:00",
		"on weekdays at 9": "0 9 * * 1-5", "weekends at 11:00": "0 11 * * 0,6",
		"0 9 * * 1-5": "0 9 * * 1-5", "*/30 8-18 * * MON": "*/30 8-18 * * mon", "every 3 days": "@every 3d from 2026-03-05T09:00",
		"every year on 4 May":      "0 9 4 5 *",
		"every other Monday at 10": "@every 2w from 2026-03-09T10:00", "every 2 weeks on Friday": "@every 2w from 2026-03-06T09:00",
		"every 31st at 8":                          "@every 1mo on 31 from 2026-03-31T08:00",
		"every last friday of the month at 5pm":    "@every 1mo on -1fri from 2026-03-27T17:00",
		"the last day of every month":              "@every 1mo on 31 from 2026-03-31T09:00",
		"every first monday of the month at 10:00": "@every 1mo on 1mon from 2026-04-06T10:00",
		"every 29 february":                        "@every 1y on 29 from 2027-02-28T09:00", "every day at 8am and 6pm": "0 8,18 * * *",
		"every hour and a half":      "@every 1h30m0s from 2026-03-04T13:20:00Z",
		"every 3 months on the 15th": "@every 3mo on 15 from 2026-03-15T09:00", "every friday night at 1": "0 1 * * 6",
		"every day at midnight": "0 0 * * *",

		"": "", "soon": "", "at 25:00": "", "in 0 minutes": "", "on the 32nd": "", "30 February": "", "every": "",
		"every blue moon": "", "yesterday": "",
		"today at 8:00": "past", "2020-01-01 10:00": "past", "this morning": "past", "in 100 years": "ahead", "at 5 apples": "",
		"tomorrow at 13pm":                "",
		"in 99999999999999999999 minutes": "", strings.Repeat("every ", 100): "",
	} {
		if got := outcome(t, text, now); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// What is no time is asked about, and never half understood.
func TestStrict(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for _, text := range []string{"every day at 25:00", "tomorrow at 26", "in 5", "in five", "marchmallow 5", "every 45th",
		"every 0 days", "every 32 january", "friday at 9 at 10",
		"tomorrow today", "at 9 am in the evening", "tomorrow morning at 17:00", "this afternoon at 11", "monday tomorrow",
		"in 2 days on friday", "at 12:60", "31 june", "31 april 2027", "2026-02-30",
		"29.2.2027", "32.1.2027", "every 31 june", "every 2 hours at 9", "every month on friday", "next", "every other",
		"may", "5", "five", "thursday 13 march 2026", "at 24:30", "in -5 minutes", "every -2 days",
		"every 2.5 days", "in 1.3 months", "next month on the 31st 9 bananas", "in 3 moons", "sunday monday", "the 5th of",
		"0 am", "at 0 pm", "every 6th friday of the month"} {
		if got := outcome(t, text, now); got != "" {
			t.Errorf("%q is %q, want a question", text, got)
		}
	}
	for _, text := range []string{"3/12/2026", "on 4/5", "5-6-2027 at 9"} {
		if got := outcome(t, text, now); got != "two" {
			t.Errorf("%q is %q, want a question which date", text, got)
		}
	}
}

// Each of these was once another time than was said.
func TestNeverAnotherTime(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	at := func(y int, m time.Month, d, h, min int) time.Time { return time.Date(y, m, d, h, min, 0, 0, berlin) }
	for _, tt := range []struct {
		now        time.Time
		said, want string
	}{
		{at(2026, 1, 31, 10, 0), "next month", "2026-02-28 09:00"},
		{at(2026, 1, 31, 10, 0), "in a month", "2026-02-28 10:00"},
		{at(2026, 1, 31, 10, 0), "in 3 months", "2026-04-30 10:00"},
		{at(2026, 1, 31, 10, 0), "every month", "@every 1mo on 31 from 2026-02-28T09:00"},
		{at(2026, 1, 31, 10, 0), "next month on the 31st", ""},
		{at(2028, 2, 29, 10, 0), "next year", "2029-02-28 09:00"},
		{at(2026, 10, 31, 10, 0), "on the 31st at 8", "2026-12-31 08:00"},
		{at(2026, 10, 31, 10, 0), "on the 31st at 11", "2026-10-31 11:00"},
		{at(2026, 1, 30, 10, 0), "on the 30th at 8", "2026-03-30 08:00"},
		{at(2026, 3, 4, 14, 20), "tonight at 12", "2026-03-05 00:00"},
		{at(2026, 3, 4, 14, 20), "12 at night", "2026-03-05 00:00"},
		{at(2026, 3, 4, 14, 20), "tomorrow night at 12", "2026-03-06 00:00"},
		{at(2026, 3, 4, 14, 20), "12 am", "2026-03-05 00:00"},
		{at(2026, 3, 4, 10, 20), "12 pm", "2026-03-04 12:00"},
		{at(2026, 3, 4, 10, 20), "at 12", "2026-03-04 12:00"},
		{at(2026, 3, 4, 14, 20), "friday night at 1", "2026-03-07 01:00"},
		{at(2026, 3, 4, 14, 20), "friday night at 11", "2026-03-06 23:00"},
		{at(2026, 3, 4, 14, 20), "tonight at 1", "2026-03-05 01:00"},
		{at(2026, 3, 5, 0, 20), "tonight at 1", "2026-03-05 01:00"},
		{at(2026, 3, 4, 14, 20), "tomorrow at 6", "2026-03-05 18:00"},
		{at(2026, 3, 4, 14, 20), "every day at 5", "0 17 * * *"},
		{at(2026, 3, 4, 14, 20), "every day at 5 am", "0 5 * * *"},
		{at(2026, 3, 4, 14, 20), "every friday at 6", "0 18 * * 5"},
		{at(2026, 3, 4, 14, 20), "2027-05-01T10:00:00Z", "2027-05-01 12:00"},
		{at(2026, 3, 4, 14, 20), "29 february", "2028-02-29 09:00"},
		{at(2026, 3, 4, 14, 20), "in two and a half hours", "2026-03-04 16:50"},
		{at(2026, 3, 4, 14, 20), "in 2.5 hours", "2026-03-04 16:50"},
		{at(2026, 3, 4, 14, 20), "every 2 days at 8", "@every 2d from 2026-03-05T08:00"},
		{at(2026, 3, 4, 14, 20), "2 weeks from now", "2026-03-18 14:20"},
		{at(2026, 3, 4, 14, 20), "next weekend", "2026-03-14 09:00"},
		{at(2026, 3, 4, 14, 20), "3.12.2026", "2026-12-03 09:00"},
		{at(2026, 3, 4, 14, 20), "3.12.2026 at 17:00", "2026-12-03 17:00"},
		{at(2026, 3, 4, 14, 20), "24/12/2026", "2026-12-24 09:00"},
		{at(2026, 3, 4, 14, 20), "12/24/2026", "2026-12-24 09:00"},
		{at(2026, 3, 4, 14, 20), "friday next week at 8am", "2026-03-13 08:00"},
		{at(2026, 3, 4, 14, 20), "twenty five minutes from now", "2026-03-04 14:45"},
		{at(2026, 3, 4, 14, 20), "quarter to 5", "2026-03-04 16:45"},
		{at(2026, 3, 4, 14, 20), "half past twelve", "2026-03-05 12:30"},
		{at(2026, 3, 4, 14, 20), "the last day of the month", "2026-03-31 09:00"},
		{at(2026, 3, 4, 14, 20), "today at 8", "2026-03-04 20:00"},
		{at(2026, 3, 4, 14, 20), "on christmas eve at 5pm", "2026-12-24 17:00"},
		{at(2026, 3, 4, 14, 20), "an Weihnachten", "2026-12-25 09:00"},
		{at(2026, 3, 4, 14, 20), "in 10 minuets", "2026-03-04 14:30"},
	} {
		if got := outcome(t, tt.said, tt.now); got != tt.want {
			t.Errorf("%q on %s is %q, want %q", tt.said, tt.now.Format("2 Jan 15:04"), got, tt.want)
		}
	}
}

// What can mean two times is confirmed in words, and what cannot is not.
func TestNotes(t *testing.T) {
	now := time.Date(2026, 3, 27, 14, 20, 0, 0, zone(t, "Europe/Berlin")) // a Friday
	for text, want := range map[string]string{
		"tomorrow at 6":                  "18:00",
		"every day at 5":                 "17:00",
		"every day at 8":                 "08:00 in the morning",
		"tomorrow at 6:30":               "06:30 in the morning",
		"tomorrow at 12":                 "noon",
		"next tuesday":                   "Tuesday, 31 March",
		"saturday night at 1":            "from Saturday, 28 March to Sunday, 29 March",
		"on sunday at 2:30":              "02:30 does not exist",
		"2026-03-29 02:30":               "02:30 does not exist",
		"2026-03-29T02:30":               "02:30 does not exist",
		"every month on the 31st at 9am": "last day",
		"every 29 february at 9am":       "28th",
		"friday at midnight":             "the night from Friday",

		"2027-05-01T10:00:00Z": "", "tomorrow at 18:00": "", "tomorrow at 6 pm": "", "tomorrow": "", "in 10 minutes": "",
		"every weekday at 8:30": "", "tonight at 11": "",
		"tomorrow morning at 6": "", "2026-10-25 02:30": "", "every day at 05:00": "",
	} {
		w, err := Parse(text, now, now.Location())
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var notes []string
		for _, n := range w.Notes {
			notes = append(notes, n.In(catalog.Printer{}))
		}
		got := strings.Join(notes, " ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q notes %q, want %q", text, got, want)
		}
	}
}

func TestRhythmInWords(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"every day at 7:30": "every day at 07:30", "every weekday at 8:30": "Monday to Friday at 08:30",
		"every Monday and Thursday at 10": "every week on Monday and Thursday at 10:00",
		"every 2 hours":                   "every 2 hours", "every hour": "every hour", "every 90 minutes": "every 90 minutes",
		"every other day": "every 2 days at 09:00", "every month on the 5th": "every month on day 5 at 09:00",
		"every 31st": "every month on the last day at 09:00", "every 30th": "every month on day 30, or on its last day, at 09:00",
		"every other Monday at 10": "every 2 weeks on Monday at 10:00",
		"every 24 December":        "every year on 24 December at 09:00", "every 29 february": "every year on 29 February at 09:00",
		"every last friday of the month": "every month on the last Friday at 09:00",
		"every 3 months on the 15th":     "every 3 months on day 15 at 09:00", "every weekend": "every week on Sunday and Saturday at 09:00",
		"*/30 8-18 * * mon": "by the cron expression */30 8-18 * * mon",
		"0 9 * * 1":         "every week on Monday at 09:00", "0 9 * * mon,tue": "every week on Monday and Tuesday at 09:00",
		"every day at 8am and 6pm": "every day at 08:00 and 18:00", "every 2 years": "every 2 years, on 4 March, at 09:00",
	} {
		w, err := Parse(text, now, now.Location())
		if got := Rhythm(w.Schedule, catalog.Printer{}); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
}

func TestSplit(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	for text, want := range map[string][2]string{
		"in 10 minutes to stretch":                {"in 10 minutes", "stretch"},
		"me to stretch in 10 minutes":             {"in 10 minutes", "stretch"},
		"remind me tomorrow at 9 to call Bob":     {"tomorrow at 9", "call Bob"},
		"water the plants every Monday at 9":      {"every Monday at 9", "water the plants"},
		"every weekday at 8:30 stand-up":          {"every weekday at 8:30", "stand-up"},
		"buy 5 apples at 17:00":                   {"at 17:00", "buy 5 apples"},
		"0 9 * * 1 weekly report":                 {"0 9 * * 1", "weekly report"},
		"2026-12-24 18:00: open the presents":     {"2026-12-24 18:00", "open the presents"},
		"tomorrow to call mom at 5":               {"tomorrow at 5", "call mom"},
		"on friday submit the timesheet at 5pm":   {"on friday at 5pm", "submit the timesheet"},
		"every day 2 pills":                       {"every day", "2 pills"},
		"to 🧘 in 2 hours":                         {"in 2 hours", "🧘"},
		"stretch in 10 minutes.":                  {"in 10 minutes", "stretch"},
		"call mom":                                {"", ""},
		"tomorrow":                                {"tomorrow", ""},
		"in 10 minutes":                           {"in 10 minutes", ""},
		"every day at 25:00 foo":                  {"", ""},
		"tomorrow at 26 foo":                      {"", ""},
		"foo tomorrow at 26":                      {"", ""},
		"in 5 to foo":                             {"", ""},
		"marchmallow 5":                           {"", ""},
		strings.Repeat("very long words ", 10000): {"", ""},
	} {
		when, what, err := Split(text, now)
		if when != want[0] || what != want[1] || err != nil && want != [2]string{} {
			t.Errorf("%.40q: %q, %q, %v; want %q", text, when, what, err, want)
		}
	}
}

func TestMoved(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 3, 27, 14, 20, 0, 0, berlin) // a Friday
	for _, tt := range []struct{ said, due, want string }{
		{"at five", "2026-03-30 09:00", "2026-03-30 17:00"},
		{"17:30", "2026-03-30 09:00", "2026-03-30 17:30"},
		{"6am", "2026-03-30 09:00", "2026-03-30 06:00"},
		{"at 8", "2026-03-30 17:00", "2026-03-30 08:00"},
		{"at five", "2026-03-27 18:00", "2026-03-27 17:00"},
		{"6am", "2026-03-27 18:00", "2026-03-28 06:00"},     // today's is past
		{"at five", "2026-03-20 09:00", "2026-03-27 17:00"}, // it was told last week
		{"tomorrow at five", "2026-03-30 09:00", "2026-03-28 17:00"},
		{"in 2 hours", "2026-03-30 09:00", "2026-03-27 16:20"},
		{"monday", "2026-03-28 09:00", "2026-03-30 09:00"},
		{"02:30", "2026-03-29 09:00", "2026-03-29 03:30"}, // the clocks change
	} {
		due, err := time.ParseInLocation("2006-01-02 15:04", tt.due, berlin)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Moved(tt.said, due, now)
		if got := w.At.In(berlin).Format("2006-01-02 15:04"); err != nil || got != tt.want {
			t.Errorf("%s, %q: %s %v, want %s", tt.due, tt.said, got, err, tt.want)
		}
	}
	if w, err := Moved("every day at 5", now.Add(time.Hour), now); err != nil || w.Schedule == "" {
		t.Errorf("a rhythm: %+v %v", w, err)
	}
}
