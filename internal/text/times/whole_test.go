package times

import (
	"testing"
	"time"
)

// TestWholeTimes: what people say in many words is one time, and what stands beside it is
// what it is for.
func TestWholeTimes(t *testing.T) {
	now := time.Date(2026, 3, 4, 14, 20, 0, 0, zone(t, "Europe/Zurich")) // a Wednesday
	for tag, sentences := range map[string]map[string][2]string{         // what it is for, and when
		"en": {
			"on mon 13th see Ann":                     {"see Ann", "2026-04-13 09:00"},
			"the first tuesday of february to pay":    {"pay", "2027-02-02 09:00"},
			"pay on the last friday of june 2026":     {"pay", "2026-06-26 09:00"},
			"at 3pm PST call the team":                {"call the team", "2026-03-05 00:00"},
			"call at 5pm CET":                         {"call", "2026-03-04 17:00"},
			"tomorrow at 17h call":                    {"call", "2026-03-05 17:00"},
			"two weeks before christmas buy presents": {"buy presents", "2026-12-11 09:00"},
			"3 days after tomorrow ask Bob":           {"ask Bob", "2026-03-08 09:00"},
			"on the 20th day of next month pay":       {"pay", "2026-04-20 09:00"},
			"on good friday bake":                     {"bake", "2026-04-03 09:00"},
			"thanksgiving cook a turkey":              {"cook a turkey", "2026-11-26 09:00"},
			"tomorrow at 7p call":                     {"call", "2026-03-05 19:00"},
			"tomorrow at seven twenty call":           {"call", "2026-03-05 07:20"},
			"at 730 in the evening call":              {"call", "2026-03-04 19:30"},
			"on oct/2 call":                           {"call", "2026-10-02 09:00"},
			"on february twenty second call":          {"call", "2027-02-22 09:00"},
		},
		"de": {
			"Mittwoch in 2 Wochen zum Arzt":             {"zum Arzt", "2026-03-18 09:00"},
			"um 15 Uhr MEZ anrufen":                     {"anrufen", "2026-03-04 15:00"},
			"am dritten Dienstag im September anrufen":  {"anrufen", "2026-09-15 09:00"},
			"übernächsten Freitag Miete zahlen":         {"Miete zahlen", "2026-03-13 09:00"},
			"am Ostermontag Oma anrufen":                {"Oma anrufen", "2026-04-06 09:00"},
			"zwei Wochen vor Weihnachten Karten kaufen": {"Karten kaufen", "2026-12-11 09:00"},
		},
		"fr": {
			"mardi en huit appeler maman":          {"appeler maman", "2026-03-17 09:00"},
			"appeler maman samedi 5 à 18h":         {"appeler maman", "2026-09-05 18:00"},
			"le premier mardi de février payer":    {"payer", "2027-02-02 09:00"},
			"le dernier jour d'octobre payer":      {"payer", "2026-10-31 09:00"},
			"demain à midi et quart appeler maman": {"appeler maman", "2026-03-05 12:15"},
		},
		"es": {
			"el primer martes de febrero pagar":         {"pagar", "2027-02-02 09:00"},
			"mañana a las once y cuarenta y cinco ir":   {"ir", "2026-03-05 11:45"},
			"el viernes santo llamar a Ana":             {"llamar a Ana", "2026-04-03 09:00"},
			"tres semanas a partir de mañana ver a Eva": {"ver a Eva", "2026-03-26 09:00"},
		},
		"ru": {
			"в 15:00 мск позвонить":             {"позвонить", "2026-03-05 13:00"},
			"первый вторник февраля заплатить":  {"заплатить", "2027-02-02 09:00"},
			"тридцать первое мая позвонить":     {"позвонить", "2026-05-31 09:00"},
			"за 2 недели до нового года купить": {"купить", "2026-12-18 09:00"},
		},
		"zh": {
			"十月第一个星期一交房租":  {"交房租", "2026-10-05 09:00"},
			"二零二六年五月十五號開會": {"開會", "2026-05-15 09:00"},
			"这个月最后一天交房租":   {"交房租", "2026-03-31 09:00"},
			"圣诞节前两周买礼物":    {"买礼物", "2026-12-11 09:00"},
		},
	} {
		for text, want := range sentences {
			when, what, err := Split(text, now, tag)
			if err != nil || what != want[0] {
				t.Errorf("%s: %q is for %q (%q), %v", tag, text, what, when, err)
				continue
			}
			if got := outcome(t, when, now, tag); got != want[1] {
				t.Errorf("%s: %q is %q, want %q", tag, text, got, want[1])
			}
		}
	}
}

// TestFeasts: the dates that churches and offices publish.
func TestFeasts(t *testing.T) {
	for year, want := range map[int][2]string{2024: {"03-31", "05-05"}, 2025: {"04-20", "04-20"}, 2026: {"04-05", "04-12"},
		2038: {"04-25", "04-25"}} {
		if got := [2]string{easter(year).Format("01-02"), pascha(year).Format("01-02")}; got != want {
			t.Errorf("%d: %v, want %v", year, got, want)
		}
	}
	if t5 := nthWeekday(2026, time.February, 5, time.Monday); !t5.IsZero() {
		t.Errorf("a fifth Monday of February 2026: %v", t5)
	}
}

// An article is no hour: "at a party" names no time.
func TestAnArticleIsNoHour(t *testing.T) {
	for said, is := range map[string]bool{"at a": false, "at an": false, "at one": true, "in an hour": true, "at 1": true} {
		if _, err := All(said, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), time.UTC, "en"); (err == nil) != is {
			t.Errorf("%q: %v", said, err)
		}
	}
}
