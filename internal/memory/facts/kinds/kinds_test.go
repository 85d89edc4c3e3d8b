package kinds_test

import (
	"testing"

	"parley/internal/memory/facts/kinds"
)

// A question in one language shares a topic with a fact in another.
func TestTopicsAreCommonToLanguages(t *testing.T) {
	for fact, question := range map[string]string{
		"Allergic to shellfish":          "Darf ich die Krabben essen?",
		"Zahnarzt ist Dr. Brandt":        "¿Quién me arregla los dientes?",
		"Conduce un Seat rojo":           "Quelle voiture ai-je ?",
		"Собаку зовут Балу":              "What is my dog called?",
		"对花生过敏":                          "Kann ich das Marzipan nehmen?",
		"Is lactose intolerant":          "能喝拿铁吗",
		"Der Hausarzttermin ist am 3.5.": "When do I see my doctor?",
		"Has type 2 diabetes":            "Ist ein Stück Torte in Ordnung?",
	} {
		if !kinds.Told(fact).Topics.And(kinds.Asked(question).Topics).Any() {
			t.Errorf("%q and %q have no topic in common", fact, question)
		}
	}
	if a := kinds.Told("She made a cake"); a.Topics.And(kinds.Told("Has diabetes").Topics).Any() {
		t.Error("who makes a cake is told to have diabetes")
	}
	if kinds.Asked("hello there").Topics.Any() || kinds.Asked("").Topics.Any() {
		t.Error("a greeting asks for something")
	}
}

// No text crashes the lists.
func FuzzAsked(f *testing.F) {
	f.Add("Kann ich die Garnelen bestellen? 海鲜 \xff")
	f.Fuzz(func(_ *testing.T, said string) { kinds.Asked(said) })
}

func BenchmarkTold(b *testing.B) {
	for b.Loop() {
		kinds.Told("Likes coffee and gardening since 1994 near the Kirschbaumstrasse in Leipzig")
	}
}
