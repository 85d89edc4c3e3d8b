package ranking

import (
	"slices"
	"testing"
)

func TestParts(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"Where does Anna live?", []string{"Where does Anna live?"}},
		{"Anna's new flat", []string{"Anna's new flat"}},
		{"Where is Anna's flat? Also, which colour has Ben's bicycle?", []string{"Where is Anna's flat?", " Also, which colour has Ben's bicycle?"}},
		{"I sold the boat. Who bought the boat? And when?", []string{"I sold the boat. Who bought the boat? And when?"}},
		{"What is the phone number of my boss? Which city does my aunt live in? Thanks!",
			[]string{"What is the phone number of my boss?", " Which city does my aunt live in? Thanks!"}},
		{"舅妈的邮箱地址是多少来着？另外，我参观的医院是哪个？", []string{"舅妈的邮箱地址是多少来着?", "另外，我参观的医院是哪个?"}},
		{"red car? blue car? green car? black car? white car?", []string{"red car? blue car? green car? black car? white car?"}},
	} {
		if got := Parts(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q asks %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestAlternate(t *testing.T) {
	if got := Alternate([][]int64{{5, 3, 1}, {3, 4}, nil}); !slices.Equal(got, []int64{5, 3, 4, 1}) {
		t.Errorf("in turn %v", got)
	}
}

// Of two questions in one text, the one whose words are everywhere leaves room for the other.
func TestSeveralQuestionsTakeTurns(t *testing.T) {
	var lines [][2]string
	for _, place := range []string{"harbour", "station", "market", "church", "castle", "bridge", "garden"} {
		lines = append(lines, [2]string{"Ann", "The phone number of the " + place + " office is 555 01."})
	}
	list := chatter(append(lines, [2]string{"Ann", "My aunt owns a red bicycle."})...)
	got := Rank("What is the phone number of the harbour office? And which bicycle does my aunt own?", list)
	if len(got) != len(list) || got[0].Index != 0 || got[1].Index != len(lines) {
		t.Errorf("in order %v", got)
	}
	seen := map[int]bool{}
	for i, r := range got {
		if seen[r.Index] || i > 0 && r.Score > got[i-1].Score || r.Score <= 0 {
			t.Errorf("the %d-th is %v, after %v", i, r, got[:i])
		}
		seen[r.Index] = true
	}
}

// What one says in the same words again comes after what says something else; what another
// says in them is another answer.
func TestSameWordsAgain(t *testing.T) {
	ann := [2]string{"Ann", "The regatta is on Friday."}
	list := chatter(ann, ann, ann, [2]string{"Ben", ann[1]},
		[2]string{"Ben", "I shall miss the regatta, what with the flu and the long way there."})
	var order []int
	for _, r := range Rank("regatta", list) {
		order = append(order, r.Index)
	}
	if len(order) != 5 || slices.Index(order, 4) > 2 || slices.Index(order, 3) > 2 {
		t.Errorf("in order %v", order)
	}
}

// A message with a number is the likelier answer where one is asked for, and one about its
// author where nothing else tells two apart.
func TestTraits(t *testing.T) {
	list := chatter([2]string{"Ann", "The hens in this garden are well."},
		[2]string{"Ann", "In this garden are, if nobody has miscounted them from up there, seven hens."},
		[2]string{"Ann", "Here they grow cherries."}, [2]string{"Ann", "Here we all grow many cherries."})
	for question, want := range map[string]int{"How many hens are in the garden?": 1, "Сколько hens garden?": 1,
		"Which hens are in the garden?": 0, "Who has cherries?": 3} {
		if got := Rank(question, list); got[0].Index != want {
			t.Errorf("%s: first comes %d", question, got[0].Index)
		}
	}
}

// A text of ASCII has the same words as one that is read letter by letter.
func TestPlainWords(t *testing.T) {
	for _, said := range []string{"", "a", "I'm 1st, e.g. AT&T_x2!", " two  words ", "tail-", "(x)y"} {
		plain := slices.Collect(words(said))
		if read := slices.Collect(words(said + " é")); !slices.Equal(append(plain, "é"), read) {
			t.Errorf("%q has the words %q, and %q", said, plain, read)
		}
		for range words(said) {
			break // no word comes after the last one that was wanted
		}
	}
}
