package ranking

import "testing"

// The forms of a word come together in the language of the question.
func TestRankInOtherLanguages(t *testing.T) {
	for question, answer := range map[string]string{
		"Wann haben die Häuser am See gebrannt, und wer wohnt in dem Haus?": "Bob: Das alte Haus am Ufer.",
		"Où est-ce que nous chantons avec la chorale?":                      "Bob: Nous avons chanté hier.",
		"¿Dónde trabajaba la hermana de Luis?":                              "Bob: Trabajo en un hospital.",
		"Кто купил книгу?":                                                  "Bob: Мне подарили две книги.",
	} {
		list := talkOf("Ann: blau", "Ann: nada", "Ann: rien", "Ann: ничего", "Ann: so", "Ann: xyz", answer)
		if order := Rank(question, list); len(order) == 0 || order[0].Index != 6 {
			t.Errorf("%s: %v", question, order)
		}
	}
}
