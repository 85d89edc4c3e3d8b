package query

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 18, 15, 30, 0, 0, time.UTC) // a Wednesday

func TestParse(t *testing.T) {
	for question, want := range map[string]string{
		"tea":                                      "tea",
		"sourdough #baking/bread":                  "sourdough | tag baking/bread",
		"tag:a,b tea":                              "tea | tag a b",
		`rent folder:"My Flat" due`:                "rent due | in My Flat",
		"[status:open] invoices":                   "invoices | status=open",
		"[Phone]":                                  " | phone=",
		"invoices last week #tax":                  "invoices | tag tax | 2026-11-09 2026-11-16",
		`notes when:"last week"`:                   "notes | 2026-11-09 2026-11-16",
		"was war letzte Woche":                     "was war | 2026-11-09 2026-11-16",
		"garden in May":                            "garden in May | 2026-05-01 2026-06-01",
		"dentist on 4 May":                         "dentist on 4 May | 2026-05-04 2026-05-05",
		"am 4. Mai 2025":                           "am 4. Mai 2025 | 2025-05-04 2025-05-05",
		"2026-05-04":                               "2026-05-04 | 2026-05-04 2026-05-05",
		"between 1 May and 15 May":                 "between 1 May and 15 May | 2026-05-01 2026-05-16",
		"since March":                              "since March | 2026-03-01 2026-11-19",
		"seit letzter Woche":                       "seit | 2026-11-09 2026-11-19",
		"issue #3, C# and [1] and a [[link]] 8:30": "issue #3, C# and [1] and a [[link]] 8:30",
		"see https://example.org/path:x#frag":      "see https://example.org/path:x#frag",
		"tag:":                                     "tag:",
	} {
		s := Parse(question, now)
		got := s.Text
		if len(s.Tags) > 0 {
			got += " | tag " + strings.Join(s.Tags, " ")
		}
		if s.Folder != "" {
			got += " | in " + s.Folder
		}
		for _, p := range s.Properties {
			got += " | " + p.Key + "=" + p.Value
		}
		if s.Time != nil {
			got += fmt.Sprintf(" | %s %s", s.Time.From.Format(time.DateOnly), s.Time.To.Format(time.DateOnly))
		}
		if got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

// A text that names a day of the period belongs to it.
func TestTextsOfATime(t *testing.T) {
	for _, c := range []struct {
		ask, text string
		want      bool
	}{
		{"in May", "Dentist: 12 May", true},
		{"in May", "Dentist: 12 May 2024", false},
		{"in May", "Dentist: 12.05.2026", true},
		{"in May", "Dentist: 12 June", false},
		{"im Mai", "Zahnarzt am 12. Mai", true},
		{"last week", "Met Ann on 2026-11-10", true},
		{"last week", "Met Ann on 10 November", true},
		{"last week", "Met Ann on 2026-11-17", false},
		{"on 4 May", "Rome, 4 May 2025", true},
		{"on 4 May 2026", "Rome, 4 May 2025", false},
		{"on 4 May 2026", "Rome, May 4", true},
		{"in 2025", "Rome, 4 May 2025", true},
		{"in 2025", "Rome, 4 May", false},
		{"last week", "nothing", false},
	} {
		at, _ := TimeIn(c.ask, now)
		if at == nil || at.In(c.text) != c.want {
			t.Errorf("%q of %q: %v", c.text, c.ask, at)
		}
	}
}
