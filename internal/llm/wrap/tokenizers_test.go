package wrap

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"parley/internal/llm"
)

// counts are what published tokenizers make of texts by others; eval/tokens
// tells which, and makes them.
type counts struct {
	Tokenizers []string `json:"tokenizers"`
	Tools      struct {
		Traits float64 `json:"traits"`
		Tokens []int   `json:"tokens"`
	} `json:"tools"`
	Texts map[string][]counted `json:"texts"`
}

// counted is a piece of a text.
type counted struct {
	Traits [4]float64 `json:"traits"` // letters, marks, Han and other
	Tokens []int      `json:"tokens"` // by tokenizer
}

// around is what templates write around a message: OpenAI's and Llama's.
var around = map[string]int{"cl100k_base": 4, "o200k_base": 4, "llama3": 5}

// growing is a conversation by its figures alone.
type growing struct {
	llm.Traits
	tokens int
}

func (g *growing) add(c counted, tokenizer, around int) {
	g.Traits[llm.TraitLetters] += c.Traits[0]
	g.Traits[llm.TraitMarks] += c.Traits[1]
	g.Traits[llm.TraitHan] += c.Traits[2]
	g.Traits[llm.TraitOther] += c.Traits[3]
	g.Traits[llm.TraitTurns]++
	g.tokens += c.Tokens[tokenizer] + around
}

// TestGaugeAgainstTokenizers: after five calls an estimate is within a tenth of
// what real tokenizers count, in six kinds of text, while the conversation grows and when it is folded.
func TestGaugeAgainstTokenizers(t *testing.T) {
	b, err := os.ReadFile("testdata/counts.json")
	if err != nil {
		t.Fatal(err)
	}
	var all counts
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Tokenizers) != 3 || len(all.Texts) != 6 {
		t.Fatalf("%d tokenizers, %d texts", len(all.Tokenizers), len(all.Texts))
	}
	for n, tokenizer := range all.Tokenizers {
		for name, pieces := range all.Texts {
			t.Run(tokenizer+" "+name, func(t *testing.T) { all.hold(t, n, pieces, around[tokenizer]) })
		}
	}
}

func (all counts) hold(t *testing.T, tokenizer int, pieces []counted, around int) {
	g, before, after := NewGauge("", nil), 0.0, 0.0
	var talk growing
	talk.Traits[llm.TraitTools], talk.tokens = all.Tools.Traits, all.Tools.Tokens[tokenizer]
	for _, p := range all.Texts["English"][:5] { // instructions
		talk.add(p, tokenizer, 0)
	}
	folded := talk
	for call := 0; 2*call+1 < len(pieces); call++ {
		talk.add(pieces[2*call], tokenizer, around)
		off := math.Abs(talk.At(g.weight)/float64(talk.tokens) - 1)
		if call < 5 {
			before = max(before, off)
		} else if after = max(after, off); off > 0.1 {
			t.Errorf("call %d: %.0f for %d (%s)", call+1, talk.At(g.weight), talk.tokens, g)
		}
		g.learn(talk.Traits, float64(talk.tokens))
		talk.add(pieces[2*call+1], tokenizer, around) // the answer
	}
	for _, p := range pieces[len(pieces)-6:] {
		folded.add(p, tokenizer, around)
	}
	off := math.Abs(folded.At(g.weight)/float64(folded.tokens) - 1)
	if off > 0.1 {
		t.Errorf("after a fold: %.0f for %d (%s)", folded.At(g.weight), folded.tokens, g)
	}
	t.Logf("off by %.1f %% at most in five calls, by %.1f %% then, by %.1f %% after a fold", 100*before, 100*after, 100*off)
}
