package citation

import (
	"fmt"
	"strings"
	"testing"
)

func TestDisputes(t *testing.T) {
	for _, c := range []struct {
		ask, a, b string // a passage is "Title | text"
		want      bool
	}{
		{"When does the bakery open?", "Shops | The bakery opens at 8:00.", "Errands | Bakery opens 9:30 now.", true},
		{"bakery", "Shops | The bakery opens at 8:00.", "Errands | The bakery opens at 8.", false},
		{"bakery", "Shops | The bakery opens at 8:00.", "Errands | The bakery opens at 8 am.", false},
		{"bakery", "Bakery | Opens: 8:00", "Errands | - the bakery opens at 9:30", true},
		{"bakery", "Bakery | Opens at 8:00", "Bakery hours | Opens at 9:30", true},
		{"opening hours", "Bakery | Opens at 8:00", "Library | Opens at 9:30", false},
		{"bakery", "Shops | The bakery opens at 8:00.", "Errands | On Sundays the bakery opens at 9:30.", false},
		{"bakery", "Shops | The bakery opens 8:00 on Mondays.", "Errands | On Monday the bakery opens at 9:30.", true},
		{"bakery", "Shops | The bakery opens 8:00 on Mondays.", "Errands | The bakery opens at 9:30 on Tuesdays.", false},
		{"bakery", "Shops | The bakery opens at 8:00.", "Errands | The bakery used to open at 9:30.", false},
		{"bakery", "Shops | The bakery opens 8:00–18:00.", "Errands | The bakery opens 8:00–17:30.", true},
		{"bakery", "Shops | The bakery opens at 8:00.", "Errands | The bakery closes at 18:00.", false},
		{"", "Shops | Café Luna opens at 8:00.", "Luna | Opening time: 9:30", true},
		{"Anna's phone", "Anna | phone: +49 30 5550123", "Contacts | Anna's phone is 030 5550199", true},
		{"Anna's phone", "Anna | phone: +49 30 5550123", "Contacts | Anna's phone is 030/555 0123", false},
		{"phone", "Anna | phone: +49 30 5550123", "Ben | phone: +49 30 5550199", false},
		{"rent", "Lease | The rent is 900 euros a month.", "Budget | Rent is €950 a month.", true},
		{"rent", "Lease | The rent is 1,900 euros a month.", "Budget | Rent is €1.900 a month.", false},
		{"rent", "Lease | The rent is 900 euros a month.", "Budget | The deposit is 1800 euros.", false},
		{"lease", "Lease | The lease ends on 30 April 2030.", "Flat | The lease ends 31 March 2030.", true},
		{"lease", "Lease | The lease ends on 30 April 2030.", "Flat | The lease ends on 30.4.2030.", false},
		{"lease", "Lease | The lease ends on 30 April.", "Flat | The lease ends on 30.4.2030.", false},
		{"", "Team | Bob Miller earns 3000 euros a month", "Team 2 | Ann Smith earns 4000 euros a month", false},
		{"tea", "Tea | Green tea brews at 75 degrees.", "Kitchen | Green tea brews at 80 degrees.", true},
		{"tea", "Tea | Green tea brews at 75 degrees.", "Kitchen | Black tea brews at 95 degrees.", false},
		{"", "Rooms | Room 12 is free", "Floor | Room 14 is free", false},
		{"Wann öffnet die Bäckerei", "Läden | Die Bäckerei öffnet um 8 Uhr.", "Einkauf | Die Bäckerei öffnet um 9:30 Uhr.", true},
		{"Wann öffnet die Bäckerei", "Läden | Die Bäckerei öffnet um 8 Uhr.", "Einkauf | Die Bäckerei öffnet samstags um 9:30 Uhr.", false},
		{"", "A | ```\nthe timer fires at 8:00\n```", "B | the timer fires at 9:00", false},
		{"", "Part 2 | ISO/IEC 29500-2:2012(E) All rights reserved", "Part 3 | ISO/IEC 29500-3:2012(E) All rights reserved", false},
		{"", "A | See Genesis 3:16-20 there", "B | See Genesis 4:16-20 there", false},
		{"", "A | The shop is nice.", "B | The shop is closed.", false},
	} {
		list := make([]Passage, 2)
		for i, s := range []string{c.a, c.b} {
			title, text, _ := strings.Cut(s, " | ")
			list[i] = Passage{Document: fmt.Sprint(i), Title: title, Text: text}
		}
		for range 2 {
			if got := Disputes(c.ask, list); (len(got) == 1) != c.want {
				t.Errorf("%q: %q against %q: %+v", c.ask, list[0].Text, list[1].Text, got)
			}
			list[0], list[1] = list[1], list[0]
		}
		list[0].Dated, list[1].Dated = true, true
		if got := Disputes(c.ask, list); len(got) > 0 {
			t.Errorf("of two days: %+v", got)
		}
		list[0].Dated, list[1].Document = false, list[0].Document
		if got := Disputes(c.ask, list); len(got) > 0 {
			t.Errorf("within one document: %+v", got)
		}
	}
	d := Disputes("", []Passage{{"1", "Shops", "", "Tea. The bakery opens at 8:00. More.", false, ""}, {"2", "Other", "",
		"- **The bakery** opens at 9:30", true, ""}})
	if len(d) != 1 || d[0].A != 0 || d[0].B != 1 || d[0].SaidA != "The bakery opens at 8:00." || d[0].SaidB != "**The bakery** opens at 9:30" {
		t.Fatalf("%+v", d)
	}
	for answer, want := range map[string]bool{"It opens at 8:00.": false, "One note says 8, another 9:30.": true, "9:30": false} {
		if d[0].Told(answer) != want {
			t.Errorf("%q tells both: %v", answer, !want)
		}
	}
}
