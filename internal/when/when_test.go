package when

import (
	"errors"
	"strings"
	"testing"
	"time"

	whole "parley/internal/text"
)

func TestParse(t *testing.T) {
	zurich, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, zurich) // a Wednesday
	for text, want := range map[string]string{
		"in 10 minutes": "2026-03-04 14:30", "in 2 hours and 15 min": "2026-03-04 16:35", "in half an hour": "2026-03-04 14:50",
		"in an hour": "2026-03-04 15:20", "in 3 days": "2026-03-07 14:20", "in a week": "2026-03-11 14:20", "in 2h": "2026-03-04 16:20",
		"in 1 hour and a half": "2026-03-04 15:50", "in a month": "2026-04-04 14:20", "in two weeks": "2026-03-18 14:20",
		"in 30 days": "2026-04-03 14:20", // over the change of the clocks
		"at 17:30":   "2026-03-04 17:30", "at 5pm": "2026-03-04 17:00", "at 5": "2026-03-04 17:00", "at 9": "2026-03-04 21:00", "at 3 pm": "2026-03-04 15:00",
		"9am": "2026-03-05 09:00", "at 8:15": "2026-03-05 08:15", "noon": "2026-03-05 12:00", "midnight": "2026-03-05 00:00", "half past 4": "2026-03-04 16:30",
		"tomorrow": "2026-03-05 09:00", "tomorrow at 9": "2026-03-05 09:00", "tomorrow at 5": "2026-03-05 17:00", "tomorrow morning": "2026-03-05 09:00",
		"tomorrow morning at 7": "2026-03-05 07:00", "tomorrow evening at 8": "2026-03-05 20:00", "tonight": "2026-03-04 20:00", "this evening": "2026-03-04 18:00",
		"tonight at 11": "2026-03-04 23:00", "the day after tomorrow at noon": "2026-03-06 12:00", "today at 18:00": "2026-03-04 18:00",
		"on Friday": "2026-03-06 09:00", "Friday at 5pm": "2026-03-06 17:00", "next Wednesday": "2026-03-11 09:00", "on Wednesday at 15:00": "2026-03-04 15:00",
		"on wed at 8:00": "2026-03-11 08:00", "next week": "2026-03-11 09:00", "on 24 December at 6pm": "2026-12-24 18:00", "December 24th": "2026-12-24 09:00",
		"on the 2nd": "2026-04-02 09:00", "on 1 March": "2027-03-01 09:00", "March 5, 2027 at 10:00": "2027-03-05 10:00", "in 2 days at 8:00": "2026-03-06 08:00",
		"2026-12-24 18:00": "2026-12-24 18:00", "2026-12-24": "2026-12-24 09:00", "2026-12-24T18:00": "2026-12-24 18:00", "2026-12-24T18:00:00Z": "2026-12-24 19:00",
		"on Saturday, at 10.30": "2026-03-07 10:30", "at the weekend": "2026-03-07 09:00",

		"every day": "0 9 * * *", "every day at 7:30": "30 7 * * *", "every morning": "0 9 * * *", "every evening at 8": "0 20 * * *", "daily at 6pm": "0 18 * * *",
		"every weekday at 8:30": "30 8 * * 1-5", "every Monday": "0 9 * * 1", "every Monday and Thursday at 10": "0 10 * * 1,4", "every 2 hours": "@every 2h0m0s",
		"hourly": "0 * * * *", "every 15 minutes": "@every 15m0s", "every week on Friday at noon": "0 12 * * 5", "every month on the 5th at 9am": "0 9 5 * *",
		"every 1st of the month": "0 9 1 * *", "every 24 December": "0 9 24 12 *", "every other day": "0 9 */2 * *", "weekends at 11:00": "", "on weekdays at 9": "0 9 * * 1-5",
		"0 9 * * 1-5": "0 9 * * 1-5", "*/30 8-18 * * MON": "*/30 8-18 * * mon", "every 3 days": "@every 72h0m0s", "every year on 4 May": "0 9 4 5 *",

		"": "", "soon": "", "at 25:00": "", "in 0 minutes": "", "on the 32nd": "", "30 February": "", "every": "", "every blue moon": "", "yesterday": "",
		"today at 8:00": "past", "2020-01-01 10:00": "past", "this morning": "past", "in 100 years": "ahead", "at 5 apples": "", "tomorrow at 13pm": "",
		"in 99999999999999999999 minutes": "", strings.Repeat("every ", 100): "",
	} {
		w, err := Parse(text, now, zurich)
		got := w.Schedule
		switch {
		case err == nil && w.Schedule == "":
			got = w.At.In(zurich).Format("2006-01-02 15:04")
		case err != nil && strings.Contains(err.Error(), "past"):
			got = "past"
		case err != nil && strings.Contains(err.Error(), "ahead"):
			got = "ahead"
		}
		if people := (*whole.Error)(nil); err != nil && !errors.As(err, &people) {
			t.Errorf("%q: %v is not for people", text, err)
		}
		if got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
}

func TestParseAtTheChangeOfClocks(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	w, err := Parse("tomorrow at 2:30", time.Date(2026, 3, 28, 12, 0, 0, 0, berlin), berlin)
	if err != nil || w.Note == "" || w.At.Sub(time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)).Abs() > time.Hour {
		t.Errorf("a time that does not exist: %+v, %v", w, err)
	}
	if w, err := Parse("tomorrow at 2:30", time.Date(2026, 10, 24, 12, 0, 0, 0, berlin), berlin); err != nil || w.Note != "" {
		t.Errorf("a time that comes twice: %+v, %v", w, err)
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
		"call mom":                                {"", ""},
		"tomorrow":                                {"tomorrow", ""},
		"in 10 minutes":                           {"in 10 minutes", ""},
		strings.Repeat("very long words ", 10000): {"", ""},
	} {
		when, what, ok := Split(text, now)
		if when != want[0] || what != want[1] || ok != (want[1] != "") {
			t.Errorf("%.40q: %q, %q, %v; want %q", text, when, what, ok, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"in 10 minutes", "every month on the 5th at 9am", "half past 4", "on 31 feb 2027", "0 9 * * 1-5", "next sat at 10.30"} {
		f.Add(s)
	}
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse(text, now, time.UTC)
		if err == nil && w.Schedule == "" && !w.At.After(now) {
			t.Fatalf("%q is %v, which is past", text, w.At)
		}
		Split(text, now)
	})
}
