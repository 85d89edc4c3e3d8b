package review

import (
	"os"
	"strings"
	"testing"
)

// Of the answers in testdata/composed.txt, whose right ones are put together from texts and whose
// wrong ones add something, at most 5 % of the right ones are replaced and 90 % of the wrong ones.
func TestUnheard(t *testing.T) {
	raw, err := os.ReadFile("testdata/composed.txt")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	var right, replaced, wrong, stopped int
	for line := range strings.Lines(string(raw)) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "work", "held":
			texts = nil
			t.Logf("%s: %d of %d right ones replaced, %d of %d wrong ones", kind+" "+rest, replaced, right, stopped, wrong)
		case "=":
			texts = append(texts, rest)
		case "+":
			right++
			if why := unheard(rest, texts); why != "" {
				replaced++
				t.Logf("replaced for %q: %s", why, rest)
			}
		case "-":
			wrong++
			if unheard(rest, texts) != "" {
				stopped++
			} else {
				t.Logf("passes: %s", rest)
			}
		}
	}
	t.Logf("%d of %d right ones replaced, %d of %d wrong ones", replaced, right, stopped, wrong)
	if right < 40 || wrong < 40 || 20*replaced > right || 10*stopped < 9*wrong {
		t.Error("too many right ones, or too few wrong ones")
	}
}

// An answer in another language, or to texts in one whose words are not listed, is not judged.
func TestUnheardInOtherLanguages(t *testing.T) {
	for _, c := range []struct{ said, text string }{
		{"Die Nachtschicht hat einen Hausmeister und ein Klavier.", "The gym is open daily and you can rent towels."},
		{"La palestra è aperta tutti i giorni e gli asciugamani si noleggiano.", "La palestra è aperta ogni giorno. Si possono noleggiare gli asciugamani."},
		{"O ginásio abre todos os dias e você pode alugar toalhas lá.", "O ginásio está aberto diariamente. As toalhas são alugadas na entrada."},
		{"U kunt elke dag trainen en een handdoek huren.", "De sportschool is dagelijks geopend. Handdoeken zijn er te huur."},
		{"ジムは毎日営業しています。タオルも借りられます。", "ジムは年中無休です。タオルの貸し出しがあります。"},
	} {
		if why := unheard(c.said, []string{c.text}); why != "" {
			t.Errorf("%q: %s", c.said, why)
		}
	}
	if unheard("Die Nachtschicht hat einen Hausmeister und ein Klavier.", []string{"Das Studio ist täglich offen und Sie können Handtücher leihen."}) == "" {
		t.Error("the same language is not judged")
	}
	if unheard("Plus includes an adviser.", []string{"Our support answers Monday to Friday from 9:00 to 17:00."}) == "" {
		t.Error("two words that are small ones in French make no French")
	}
}
