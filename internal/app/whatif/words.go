package whatif

import (
	"strings"
	"unicode"
)

// maxWords bounds how many words of two texts are compared one by one.
const maxWords = 600

// Piece is a run of words; Differs if the other text does not have it there.
type Piece struct {
	Text    string `json:"text"`
	Differs bool   `json:"differs,omitempty"`
}

// Marked returns two texts in pieces, with the words marked that only one of them has. The
// pieces of a text joined are the text.
func Marked(before, after string) (was, is []Piece) {
	a, b := words(before), words(after)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	keepA, keepB := common(a[head:len(a)-tail], b[head:len(b)-tail])
	return pieces(a, head, tail, keepA), pieces(b, head, tail, keepB)
}

// words cuts a text before each word; spaces belong to the word before them.
func words(s string) (list []string) {
	from, space := 0, false
	for i, r := range s {
		if !unicode.IsSpace(r) && space {
			list, from = append(list, s[from:i]), i
		}
		space = unicode.IsSpace(r)
	}
	if from < len(s) {
		list = append(list, s[from:])
	}
	return list
}

// common marks the words of a longest common sequence; none of texts that are too long.
func common(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	if len(a) > maxWords || len(b) > maxWords {
		return inA, inB
	}
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			longest[i][k] = max(longest[i+1][k], longest[i][k+1])
			if a[i] == b[k] {
				longest[i][k] = 1 + longest[i+1][k+1]
			}
		}
	}
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] == b[k]:
			inA[i], inB[k] = true, true
			i, k = i+1, k+1
		case longest[i+1][k] >= longest[i][k+1]:
			i++
		default:
			k++
		}
	}
	return inA, inB
}

func pieces(all []string, head, tail int, same []bool) (list []Piece) {
	for i, w := range all {
		differs := i >= head && i < len(all)-tail && !same[i-head]
		if n := len(list); n > 0 && list[n-1].Differs == differs {
			list[n-1].Text += w
			continue
		}
		list = append(list, Piece{w, differs})
	}
	return list
}

// Show returns pieces as one text, with marks around those that differ.
func Show(list []Piece, open, close string) string {
	var b strings.Builder
	for _, p := range list {
		if !p.Differs {
			b.WriteString(p.Text)
			continue
		}
		word := strings.TrimRight(p.Text, " \n\t")
		b.WriteString(open + word + close + p.Text[len(word):])
	}
	return b.String()
}
