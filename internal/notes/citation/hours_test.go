package citation

import "testing"

// Hours in words, and in Chinese, are those in figures, and no others.
func TestHoursInWords(t *testing.T) {
	for _, c := range []struct{ passage, right, wrong string }{
		{"The shop opens at 8:00.", "It opens at eight o'clock.", "It opens at nine o’clock."},
		{"The shop opens at 8:00.", "It opens at 8 o’clock.", "It opens at 9 o’clock."},
		{"We meet at eight o'clock.", "We meet at 8:00.", "We meet at 9:00."},
		{"Der Laden öffnet um 9:00 Uhr.", "Um neun Uhr öffnet er.", "Um zehn Uhr öffnet er."},
		{"Beginn ist um zwanzig Uhr.", "Es beginnt um 20:00.", "Es beginnt um 21 Uhr."},
		{"Montag bis Freitag von 9:00 bis 17:00.", "Von 9 bis 17 Uhr.", "Von 8 bis 17 Uhr."},
		{"Open from 9:00 to 17:00.", "Von neun bis siebzehn Uhr.", "Von acht bis siebzehn Uhr."},
		{"Open from 9 am to 5 pm.", "Open 9-5 pm.", "Open 8-5 pm."},
		{"餐厅11:00开门。", "餐厅十一点开门。", "餐厅十二点开门。"},
		{"餐厅十一点半开门。", "餐厅11:30开门。", "餐厅11:00开门。"},
		{"他有三点建议，两点开始。", "他有3点建议。", "他有5点建议。"},
	} {
		if !Supported(c.right, []string{c.passage}) {
			t.Errorf("%q does not say %q", c.passage, c.right)
		}
		if Supported(c.wrong, []string{c.passage}) {
			t.Errorf("%q says %q", c.passage, c.wrong)
		}
	}
}
