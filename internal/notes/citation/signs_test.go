package citation

import (
	"strings"
	"testing"
)

// A minus that is lost, or made up, is noted in each language, also where numbers in
// brackets stand beside it. Dashes that join words are none.
func TestSigns(t *testing.T) {
	for _, c := range []struct {
		source       string
		right, wrong []string
	}{
		{"The balance [3] is −40 EUR [7].", []string{"The balance [3] is -40 EUR [1].", "It is minus 40 EUR [1].", "We owe 40 EUR [1]."},
			[]string{"The balance [3] is 40 EUR [1].", "The balance is 40 EUR [1].", "It is 40 euros [7] [1]."}},
		{"Press [5] for the shed; it is -5 outside.", []string{"Press [5] for the shed [1].", "Press 5 for the shed [1].",
			"It is -5 outside [1]."},
			[]string{"It is 5 outside [1].", "Outside it is five [1]."}},
		{"Key [40] opens it; the offset is 7.", []string{"Key 40 opens it [1]."}, []string{"The offset is -7 [1].", "Key -40 opens it [1]."}},
		{"The interval is [-40, 60], the floor [-2].", []string{"The interval is [-40, 60] [1].", "The floor is -2 [1]."},
			[]string{"The interval is [40, 60] [1].", "The floor is [2] [1].", "The floor is 2 [1]."}},
		{"Balance [3]-40 EUR.", []string{"Balance: -40 EUR [1]."}, []string{"Balance: 40 EUR [1]."}},
		{"| low | **-12 °C** |\n|high|$-40|", []string{"The low was **-12 °C** [1].", "The low was 12 °C below zero [1].",
			"It ended at -$40 [1]."},
			[]string{"The low was **12 °C** [1].", "The low was 12 °C [1].", "It ended at $40 [1]."}},
		{"Turnover: −40 000 000 EUR.", []string{"It was −40,000,000 EUR [1].", "A loss of 40 000 000 EUR [1]."},
			[]string{"It was 40 000 000 EUR [1]."}},
		{"- 5 eggs\n- 200 g flour\nThe lamp – 40 EUR – is new. Range -5 - 10, open Mon - 5 pm, ±3 V.", []string{"Take 5 eggs [1].",
			"The lamp costs 40 EUR [1].", "It ranges from -5 to 10 [1].", "Open until 5 pm [1].", "+/-3 V [1]."}, []string{"Take 6 eggs [1]."}},
		{"Taste [4]: Es waren minus 5 Grad, mit 4 bis 9 Stühlen.", []string{"Es waren -5 Grad [1].", "Es waren 5 Grad unter null [1].",
			"Es waren 4–9 Stühle [1]."}, []string{"Es waren 5 Grad [1].", "Es waren fünf Grad [1]."}},
		{"Touche [2] : il fait moins 11 °C. Il y a au moins 8 chaises.", []string{"Il fait -11 °C [1].", "Il y a 8 chaises [1]."},
			[]string{"Il fait 11 °C [1].", "Il fait onze degrés [1]."}},
		{"Pulse [3]: hace -8 °C. Hay al menos 6 sillas.", []string{"Hace menos 8 °C [1].", "Hay 6 sillas [1].", "8 °C bajo cero [1]."},
			[]string{"Hace 8 °C [1].", "Hace ocho grados [1]."}},
		{"Ключ [6]: зимой минус 31 °C.", []string{"Зимой -31 °C [1].", "31 °C мороза [1]."}, []string{"Зимой 31 °C [1]."}},
		{"按[4]开门。夜间最低零下15度，余额为负40元。", []string{"夜间最低-15度 [1]。", "余额为-40元 [1]。"}, []string{"夜间最低15度 [1]。", "余额为40元 [1]。", "夜间最低十五度 [1]。"}},
		{"[3]を押す。最低気温はマイナス5度。", []string{"最低気温は-5度 [1]。", "最低気温は氷点下5度 [1]。"}, []string{"最低気温は5度 [1]。"}},
	} {
		for _, answer := range c.right {
			if got := Check(answer, bare(c.source)); got.Text != answer || len(got.Unsure) > 0 {
				t.Errorf("of %q: %q, %q", c.source, got.Text, got.Unsure)
			}
		}
		for _, answer := range c.wrong {
			got := Check(answer, bare(c.source))
			if left := strings.ReplaceAll(got.Text, " "+AbsentNote, ""); left != answer || got.Absent != 1 {
				t.Errorf("of %q, not noted: %q", c.source, got.Text)
			}
		}
	}
}
