package tools

import (
	"strings"
	"testing"
	"time"

	"parley/internal/text/catalog"
)

// TestDaysInEachLanguage: the days that people are told to try are read.
func TestDaysInEachLanguage(t *testing.T) {
	now := time.Date(2026, 3, 12, 10, 0, 0, 0, time.UTC) // a Thursday
	for tag, said := range map[string][4]string{
		"en": {"today", "yesterday", "Tuesday", "2026-05-01"}, "de": {"heute", "gestern", "Dienstag", "2026-05-01"},
		"es": {"hoy", "ayer", "martes", "2026-05-01"},
		"fr": {"aujourd’hui", "hier", "mardi", "2026-05-01"}, "ru": {"сегодня", "вчера", "вторник", "2026-05-01"},
		"zh": {"今天", "昨天", "星期二", "2026-05-01"},
	} {
		p, _ := catalog.For(tag)
		for i, want := range []string{"2026-03-12", "2026-03-11", "2026-03-10", "2026-05-01"} {
			got, err := ParseDay(p, said[i], now, time.UTC)
			if err != nil || got.Format(time.DateOnly) != want || !strings.Contains(p.Text("I don't understand the day “%s”. Try today, yesterday, Tuesday or 2026-05-01."), said[i]) {
				t.Errorf("%s: %q is %v, %v; want %s; shown in %q", tag, said[i], got, err, want, p.Text("I don't understand the day “%s”. Try today, yesterday, Tuesday or 2026-05-01."))
			}
		}
	}
	fr, _ := catalog.For("fr")
	if got, err := ParseDay(fr, "Aujourd'hui", now, time.UTC); err != nil || got.Day() != 12 {
		t.Errorf("with the apostrophe of a keyboard: %v, %v", got, err)
	}
	if _, err := ParseDay(fr, "gestern", now, time.UTC); err != nil {
		t.Errorf("a day in another language: %v", err)
	}
}
