package wrap

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"parley/internal/llm"
)

// linear is a made-up tokenizer: what a template writes around each message, and
// so many tokens for each character of a script. Real ones are in
// TestGaugeAgainstTokenizers.
type linear struct{ letters, marks, han, turn, tools float64 }

func (c linear) of(r llm.Request) int {
	t := llm.TraitsOf(r)
	return int(t[llm.TraitLetters]*c.letters + t[llm.TraitMarks]*c.marks + t[llm.TraitHan]*c.han + t[llm.TraitTurns]*c.turn +
		t[llm.TraitTools]*c.tools)
}

// TestGaugeLearns: what is learned holds for much longer requests too.
func TestGaugeLearns(t *testing.T) {
	tools := []llm.ToolSpec{{Name: "remind", Description: strings.Repeat("Reminds somebody of something. ", 40),
		Parameters: []byte(`{"type":"object","properties":{"what":{"type":"string"}}}`)}}
	texts := map[string]string{
		"English": "The fox that lives behind the station comes out at dusk and looks for what travellers have left. ",
		"Chinese": "住在车站后面的狐狸在黄昏时出来，寻找旅客们留下的东西。它很小心，也很聪明。",
		"code":    "for i := range m.rows {\n\tif m.rows[i].id == id && !m.rows[i].gone {\n\t\treturn &m.rows[i], nil\n\t}\n}\n",
	}
	for model, c := range map[string]linear{
		"frugal": {0.2, 0.42, 0.65, 4, 0.2}, "middling": {0.22, 0.5, 1.05, 4, 0.22}, "wasteful": {0.26, 0.62, 1.5, 7, 0.3},
	} {
		for name, text := range texts {
			t.Run(model+" "+name, func(t *testing.T) {
				var g Gauge
				r := llm.Request{Cache: "here", Tools: tools, Messages: []llm.Message{{Role: llm.RoleSystem,
					Content: strings.Repeat("You are helpful, and you say so. ", 60)}}}
				say := func(n int) {
					r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser, Content: strings.Repeat(text, n)},
						llm.Message{Role: llm.RoleAssistant, Content: text})
				}
				for i := range 5 {
					say(3 + 5*i)
					g.Learn(r, c.of(r))
				}
				for _, more := range []int{2, 40, 200} {
					say(more)
					if got, want := g.Estimate(r), c.of(r); math.Abs(float64(got-want)) > 0.1*float64(want) {
						t.Errorf("%d more: %d for %d (%s)", more, got, want, g.talks["here"])
					}
				}
			})
		}
	}
}

// TestGaugeStaysSane: figures that no tokenizer gives teach no nonsense.
func TestGaugeStaysSane(t *testing.T) {
	g := &Gauge{}
	r := request(strings.Repeat("a plain question ", 100))
	r.Cache = "here"
	usual := g.Estimate(r)
	for i := range 50 {
		g.Learn(r, []int{1, 1 << 40, 7, 0, -5}[i%5])
	}
	if got := g.Estimate(r); got < usual/3 || got > usual*3 {
		t.Errorf("%d tokens where %d are usual", got, usual)
	}
	if n := (*Gauge)(nil).Estimate(r); n != usual {
		t.Errorf("without a gauge %d", n)
	}
}

// TestGaugeFollowsAnOddServer: one that leaves the tools out of its counts, or
// gives half of what there is, is followed as far as any tokenizer goes, and
// never away from what it says.
func TestGaugeFollowsAnOddServer(t *testing.T) {
	tools := []llm.ToolSpec{{Name: "remind", Description: strings.Repeat("Reminds somebody of something. ", 130)}}
	for name, count := range map[string]func(llm.Request) int{
		"without tools": func(r llm.Request) int { r.Tools = nil; return int(llm.TraitsOf(r).At(llm.Usual)) },
		"half":          func(r llm.Request) int { return int(llm.TraitsOf(r).At(llm.Usual)) / 2 },
		"words":         func(r llm.Request) (n int) { r.Tools = nil; return int(llm.TraitsOf(r)[llm.TraitLetters] / 6) },
	} {
		t.Run(name, func(t *testing.T) {
			g := &Gauge{}
			r := llm.Request{Cache: "here", Tools: tools, Messages: []llm.Message{{Role: llm.RoleSystem,
				Content: strings.Repeat("You are helpful, and you say so. ", 60)}}}
			usual := g.Estimate(r)
			for i := range 60 {
				if i%9 == 0 {
					r.Messages = r.Messages[:1] // it was folded
				}
				r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser, Content: strings.Repeat("What about it? ", 8)},
					llm.Message{Role: llm.RoleAssistant, Content: strings.Repeat("As long as answers are. ", 8)})
				before := g.Estimate(r)
				g.Learn(r, count(r))
				if after := g.Estimate(r); after > before && after > count(r)+1 || after > usual*2 {
					t.Fatalf("call %d: %d, then %d for %d (%s)", i, before, after, count(r), g.talks["here"])
				}
			}
		})
	}
}

// TestOthersTeachAGaugeNothing: estimates for a conversation are the same whether or not
// others talked, however much.
func TestOthersTeachAGaugeNothing(t *testing.T) {
	mine, none := request(strings.Repeat("my own words, 123 ", 100)), request(strings.Repeat("nobody's words ", 100))
	mine.Cache = "mine"
	var alone, among Gauge
	for i := range 3 {
		alone.Learn(mine, 700+i)
		among.Learn(mine, 700+i)
		for j := range 2 * maxTalks / 3 {
			other := request(strings.Repeat("他们说的话。", j%50))
			other.Cache = fmt.Sprintf("other %d", j)
			among.Learn(other, 40*j)
			none.Cache = ""
			among.Learn(none, 9)
		}
	}
	for _, r := range []llm.Request{mine, none} {
		if a, b := alone.Estimate(r), among.Estimate(r); a != b {
			t.Errorf("%q: %d alone, %d among others", r.Cache, a, b)
		}
	}
	if n := alone.Estimate(mine); n < 600 || n > 800 {
		t.Errorf("nothing was learned: %d", n)
	}
	for j := range 2 * maxTalks {
		none.Cache = fmt.Sprint(j)
		among.Learn(none, 9)
	}
	if len(among.talks) > maxTalks || len(among.order) > maxTalks {
		t.Errorf("%d conversations are remembered", len(among.talks))
	}
}

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
	g, before, after := newLearned(), 0.0, 0.0
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
