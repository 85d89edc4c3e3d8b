package facts_test

import (
	"testing"

	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/memorytest"
)

// A fact that a model makes of somebody's words is their own only if they said it, about
// themselves.
func TestOwnWords(t *testing.T) {
	for _, tt := range []struct {
		content, spoken string
		own             bool
	}{
		{"Likes coffee", "I like coffee", true},
		{"Does not like coffee", "I like coffee", false},
		{"Likes coffee", "I don't like coffee", false},
		{"Likes coffee", "I don't drink tea, but I like coffee", true},
		{"Does not drink tea", "I don't drink tea but I like coffee", true},
		{"Does not like coffee", "I don't drink tea but I like coffee", false},
		{"Ann lives in Paris", "we moved, I live in Paris now Ann", true},
		{"Lives in Paris", "my mum lives in Paris", false},
		{"Lives in Paris", "he lives in Paris", false},
		{"Mum lives in Paris", "my mum lives in Paris", true},
		{"Lives in Paris", "I live in Paris with my mum", true},
		{"Lives in Paris", "My mum and I live in Paris", true},
		{"Mum has her birthday on 4 May", "my mum has her birthday on 4 May too", true},
		{"Wife has her birthday on 4 May", "my mum has her birthday on 4 May too", false},
		{"Plays chess", "what is for dinner?", false},
		{"Mag Kaffee", "Ich mag keinen Kaffee", false},
		{"Mag keinen Kaffee", "Ich mag keinen Kaffee", true},
		{"Wohnt in Bern", "Meine Mutter wohnt in Bern", false},
		{"Vive en Lima", "Mi madre vive en Lima", false},
		{"Le gusta el café", "No me gusta el café", false},
	} {
		s := memorytest.Open(t, memory.Options{})
		f, err := s.Facts.SaveFact(bg, direct("x:a"), facts.NewFact{Content: tt.content, Author: "assistant",
			Worth: facts.Worth{Rank: facts.PickedUp, Spoken: tt.spoken}})
		must(t, err)
		if own := f.Rank == facts.PickedUp; own != tt.own {
			t.Errorf("%q of %q: their own %v, want %v", tt.content, tt.spoken, own, tt.own)
		}
	}
}
