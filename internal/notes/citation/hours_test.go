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
		{"Le bureau ferme à 17:00.", "Il ferme à 17 heures.", "Il ferme à 18 heures."},
		{"Le bureau ferme à 17 h.", "Il ferme à 17:00.", "Il ferme à 18:00."},
		{"Ouvert de 9h à 17h.", "De 9 heures à 17 heures.", "De 8 heures à 17 heures."},
		{"Le trajet dure 2 heures, départ à 7 h 30.", "Il dure 2 heures et part à 7:30.", "Il part à 7:00."},
		{"La tienda abre a las 9:00.", "Abre a las 9.", "Abre a las 10."},
		{"Поезд уходит в 10:00.", "Он уходит в 10 часов.", "Он уходит в 11 часов."},
		{"Открыто с 10 до 19 часов.", "С 10:00 до 19:00.", "С 11:00 до 19:00."},
		{"Поездка длится 2 часа.", "Длится 2 часа.", "Длится 3 часа."},
		{"The shop opens at 8:00.", "It opens at 8.", "It opens at 9."},
		{"We have shops at 8 places.", "There are shops at 8 places.", "There are shops at 9 places."},
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
