package times

import (
	"testing"
	"time"
)

func TestFindSpan(t *testing.T) {
	now := time.Date(2026, 11, 18, 15, 30, 0, 0, time.UTC) // a Wednesday
	for text, want := range map[string]string{
		"what did I write last week":   "2026-11-09 2026-11-16 what did I write",
		"Garden notes from last week?": "2026-11-09 2026-11-16 Garden notes from ?",
		"yesterday":                    "2026-11-17 2026-11-18 ",
		"today's plan":                 "2026-11-18 2026-11-19 's plan",
		"the day before yesterday":     "2026-11-16 2026-11-17 ",
		"this month":                   "2026-11-01 2026-12-01 ",
		"Last month, taxes":            "2026-10-01 2026-11-01 , taxes",
		"the last 3 days":              "2026-11-16 2026-11-19 ",
		"past two weeks":               "2026-11-05 2026-11-19 ",
		"a week ago":                   "2026-11-09 2026-11-16 ",
		"3 days ago":                   "2026-11-15 2026-11-16 ",
		"two months ago":               "2026-09-01 2026-10-01 ",
		"dentist in May":               "2026-05-01 2026-06-01 dentist in May",
		"dentist in December":          "2025-12-01 2026-01-01 dentist in December",
		"May 2024":                     "2024-05-01 2024-06-01 May 2024",
		"invoices of 2026-03":          "2026-03-01 2026-04-01 invoices of 2026-03",
		"in 2025":                      "2025-01-01 2026-01-01 in 2025",
		"last year":                    "2025-01-01 2026-01-01 ",
		"september invoices":           "2026-09-01 2026-10-01 september invoices",
		"Was war letzte Woche":         "2026-11-09 2026-11-16 Was war",
		"im Mai":                       "2026-05-01 2026-06-01 im Mai",
		"Rechnungen vom März":          "2026-03-01 2026-04-01 Rechnungen vom März",
		"vor zwei Tagen":               "2026-11-16 2026-11-17 ",
		"gestern":                      "2026-11-17 2026-11-18 ",
		"letzten Monat":                "2026-10-01 2026-11-01 ",
		"la semaine dernière":          "2026-11-09 2026-11-16 ",
		"en mai":                       "2026-05-01 2026-06-01 en mai",
		"il y a 3 jours":               "2026-11-15 2026-11-16 ",
		"les 7 derniers jours":         "2026-11-12 2026-11-19 ",
		"la semana pasada":             "2026-11-09 2026-11-16 ",
		"en mayo":                      "2026-05-01 2026-06-01 en mayo",
		"hace 2 semanas":               "2026-11-02 2026-11-09 ",
		"settimana scorsa":             "2026-11-09 2026-11-16 ",
		"a maggio":                     "2026-05-01 2026-06-01 a maggio",
		"2 giorni fa":                  "2026-11-16 2026-11-17 ",
		"semana passada":               "2026-11-09 2026-11-16 ",
		"em maio":                      "2026-05-01 2026-06-01 em maio",
		"vorige week":                  "2026-11-09 2026-11-16 ",
		"in mei":                       "2026-05-01 2026-06-01 in mei",
		"что было на прошлой неделе": "2026-11-09 2026-11-16 что было",
		"в мае":              "2026-05-01 2026-06-01 в мае",
		"w zeszłym tygodniu": "2026-11-09 2026-11-16 ",
		"上周的会议":              "2026-11-09 2026-11-16 的会议",
		"我上个月写了什么":           "2026-10-01 2026-11-01 我 写了什么",
		"5月":                 "2026-05-01 2026-06-01 5月",
		"2024年5月":            "2024-05-01 2024-06-01 2024年5月",
		"3天前":                "2026-11-15 2026-11-16 ",
		"先週の会議":              "2026-11-09 2026-11-16 の会議",
		"지난주 회의":             "2026-11-09 2026-11-16 회의",
	} {
		s, rest, ok := FindSpan(text, now)
		if got := s.From.Format(time.DateOnly) + " " + s.To.Format(time.DateOnly) + " " + rest; !ok || got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "tea", "may I have tea", "march on", "the weekly plan", "week numbers", "was steht hier",
		"day trips", "dental plan 20255", "marshal", "todays", "port 2025", "the last three"} {
		if s, _, ok := FindSpan(text, now); ok {
			t.Errorf("%q: %v", text, s)
		}
	}
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	if s, _, _ := FindSpan("this week", monday); !s.From.Equal(monday) {
		t.Errorf("on a Monday: %v", s)
	}
	if s, _, _ := FindSpan("last month", time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)); s.From.Month() != time.February {
		t.Errorf("on the 31st: %v", s)
	}
}
