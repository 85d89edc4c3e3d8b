package citation

import (
	"strings"
	"testing"
)

// The claims before a mark are in the cited passage, in any form, or the mark gets a note.
func TestClaimsAreCompared(t *testing.T) {
	for _, c := range []struct {
		source string
		is     []string // stands there
		isNot  []string // does not
	}{
		{"The lease ends on 2030-04-30. The rent is 1,450.50 CHF, due by the 5th; 3 months' notice.", []string{
			"It ends on 30 April 2030 [1].", "It ends on April 30, 2030 [1]", "It ends April 30th [1]", "Er endet am 30. April 2030 [1].",
			"Il se termine le 30 avril 2030 [1].", "Termina el 30 de abril de 2030 [1].",
			"Es endet am 30.04.2030 [1].", "Ends 4/30/2030 [1]", "2030年4月30日 [1]", "Он кончается 30 апреля 2030 [1].",
			"In April 2030 [1].", "The year 2030 [1].",
			"The rent is 1450.50 [1].", "Die Miete ist 1.450,50 [1].", "Le loyer est 1 450,50 [1].", "About 1,400 [1].",
			"Due by the 5th [1].", "Notice: three months [1].", "3 months [1]", "the 5. of a month [1]",
			"Words without any [1].", "Version 7 is not cited. It ends in 2030 [1].", "1. It ends in 2030 [1]", "| 2031 | 1450.50 [1] |",
			"٣ months [1]", "It ends on 30 April 2030. [1]",
		}, []string{
			"It ends on 3 May 2031 [1].", "It ends on 30 April 2031 [1].", "It ends on May 30, 2030 [1].", "Am 3. Mai 2030 [1].",
			"In May 2030 [1].", "2031-04-30 [1]", "The year 2031 [1].",
			"The rent is 1,540.50 [1].", "The rent is 1450 [1].", "4 months [1]", "About 2,000 [1].", "Le 3 mai 2031 [1].",
			"2031年5月3日 [1]", "٤ months [1]", "It ends on 3 May 2031. [1]", "In 1999, so it says [1], all ended.",
		}},
		{"Revenue was $2.5 million, up 12% on 1.000.000 in 2029 with 1’200 staff. Half of it abroad. IPv4 192.168.0.1. " +
			"Twenty-one offices, two hundred people, 12 Uhr to 2:30 pm.", []string{
			"2,500,000 [1]", "2.5M [1]", "2,5 Millionen [1]", "12 percent [1]", "12 % [1]", "0.12 [1]", "1,000,000 [1]",
			"1000000 [1]", "1 million [1]", "one million? 1,000,000 [1]", "1200 staff [1]", "50% abroad [1]",
			"192.168.0.1 [1]", "21 offices [1]", "200 people [1]", "from 12:00 [1]", "until 14:30 [1]", "until 2.30 pm [1]",
		}, []string{"2.6 million [1]", "2.5 billion [1]", "13% [1]", "10,000,000 [1]", "192.168.0.2 [1]", "22 offices [1]",
			"300 people [1]", "until 15:30 [1]"}},
		{"She said: “We’ll never surrender the *old* house.” Call +41 79 123 45 67. On 3–5 May. 会議は九月です。", []string{
			`"We'll never surrender" [1]`, "„never surrender … house“ [1]", "«the old house» [1]", "“surrender [...] house” [1]",
			"“NEVER surrender” [1]", "「会議」 [1]", "0 calls are no claim. Call +41791234567 [1]", "+41 (79) 123-45-67 [1]",
			"On 3 May [1]", "On 5 May [1]",
		}, []string{`"We will surrender" [1]`, "“never surrendered” [1]", "「予算」 [1]", "+41 79 123 45 68 [1]", "On 6 May [1]",
			"It calls it “sacred” [1]."}},
	} {
		for _, answer := range c.is {
			if got := Check(answer, bare(c.source)); got.Text != answer {
				t.Errorf("stands there, but: %q", got.Text)
			}
		}
		for _, answer := range c.isNot {
			got := Check(answer, bare(c.source))
			if want := strings.Replace(answer, "[1]", "[1] "+AbsentNote, 1); got.Text != want || got.Absent != 1 {
				t.Errorf("does not stand there: %q (%d)", got.Text, got.Absent)
			}
			if again := Check(got.Text, bare(c.source)); again.Text != got.Text {
				t.Errorf("said twice: %q", again.Text)
			}
		}
	}
}

// A claim belongs to the next mark alone. Claims before several marks may be in any of their
// passages.
func TestClaimsBelongToTheirMark(t *testing.T) {
	passages := bare("Rent 900.", "Deposit 1800.", "")
	for in, want := range map[string]string{
		"Rent 900 [1] and deposit 1800 [2].":   "",
		"Rent 900 [2] and deposit 1800 [1].":   "Rent 900 [2] " + AbsentNote + " and deposit 1800 [1] " + AbsentNote + ".",
		"900 and 1800 [1][2]":                  "",
		"900 and 1800 [1], [2]":                "",
		"900 and 1800 [1, 2]":                  "",
		"900 and 1800 [1]":                     "900 and 1800 [1] " + AbsentNote,
		"The year 1999 [3]":                    "", // nothing is known of it
		"| Rent | 900 [1] | 1800 [2] |":        "",
		"Year 1999.\n\n- Rent: 900 [1]\n- [2]": "",
		"Rent `901` [1]":                       "", // code claims nothing
	} {
		if want == "" {
			want = in
		}
		if got := Check(in, passages).Text; got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
