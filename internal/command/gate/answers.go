package gate

import (
	_ "embed" // answers.txt
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
)

//go:embed answers.txt
var answersText string

// maxAnswer is the longest message that is read as yes or no, in runes.
const maxAnswer = 80

// phrase is one way to say something: its tokens, and its meaning ("yes", "no",
// "also", "all", "none", "task", "with", "first", "second", "third").
type phrase struct {
	tokens []string
	says   string
}

// phrases holds those of answers.txt by their first token, the longest first.
var phrases = sync.OnceValue(func() map[string][]phrase {
	all := map[string][]phrase{}
	for line := range strings.Lines(answersText) {
		says, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for one := range strings.SplitSeq(list, "|") {
			if tokens := tokenized(one); len(tokens) > 0 {
				all[tokens[0]] = append(all[tokens[0]], phrase{tokens, says})
			}
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.tokens) - len(a.tokens) })
	}
	return all
})

// plain maps letters to the form without the marks that people leave out.
var plain = strings.NewReplacer("’", "'", "‘", "'", "`", "'", "á", "a", "à", "a", "â", "a", "é", "e", "è", "e", "ê",
	"e", "í", "i", "î", "i", "ó", "o", "ô", "o", "ú", "u", "ù", "u", "û", "u", "ñ", "n", "ç", "c", "ё", "е", "-", " ", "_", " ")

// tokenized returns the lower-case words and numbers of a text. Each Chinese
// character and each emoji is a token of its own; punctuation is dropped.
func tokenized(text string) (tokens []string) {
	var word strings.Builder
	end := func() {
		if w := strings.Trim(word.String(), "'"); w != "" {
			tokens = append(tokens, w)
		}
		word.Reset()
	}
	for _, r := range plain.Replace(strings.ToLower(clean(text))) {
		switch {
		case unicode.Is(unicode.Han, r), unicode.Is(unicode.So, r), r == '+', r == '&':
			end()
			tokens = append(tokens, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '\'':
			word.WriteRune(r)
		case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Sk, r): // how a picture looks
		default:
			end()
		}
	}
	end()
	return tokens
}

// reading is what a message says about the things that were asked.
type reading struct {
	yes, no, all, none bool
	task               bool         // for the rest of the task, too
	picked             []int        // numbers, from 1
	dead               map[int]bool // how many tokens at the end are of no phrases
}

// verdict reads m as an answer about n things and returns for each whether it is agreed to. ok
// is false if m says neither yes nor no, or both, or is not its author's own words.
func verdict(m chat.Message, n int) (agreed []bool, ok bool) {
	if m.Kind == chat.KindCommand && !m.Forwarded && strings.EqualFold(strings.TrimSpace(m.Text), "/stop") {
		return make([]bool, n), true
	}
	if m.Kind != chat.KindText || m.Forwarded || m.Shared || len(m.Files) > 0 || utf8.RuneCountInString(m.Text) > maxAnswer {
		return nil, false
	}
	r := reading{dead: map[int]bool{}}
	tokens := tokenized(m.Text)
	if len(tokens) == 0 || !r.read(tokens) {
		return nil, false
	}
	return r.agreed(n)
}

// read matches all tokens against phrases, the longest first, backtracking when the rest
// matches nothing; false if some tokens belong to no phrase.
func (r *reading) read(tokens []string) bool {
	if len(tokens) == 0 {
		return true
	}
	if r.dead[len(tokens)] {
		return false
	}
	if n, err := strconv.Atoi(tokens[0]); err == nil {
		if r.read(tokens[1:]) {
			r.picked = append(r.picked, n)
			return true
		}
	}
	for _, p := range phrases()[tokens[0]] {
		if len(p.tokens) <= len(tokens) && slices.Equal(p.tokens, tokens[:len(p.tokens)]) && r.read(tokens[len(p.tokens):]) {
			r.take(p.says)
			return true
		}
	}
	r.dead[len(tokens)] = true
	return false
}

func (r *reading) take(says string) {
	switch says {
	case "yes":
		r.yes = true
	case "no":
		r.no = true
	case "all":
		r.all = true
	case "none":
		r.none = true
	case "task":
		r.task = true
	case "first", "second", "third":
		r.picked = append(r.picked, slices.Index([]string{"first", "second", "third"}, says)+1)
	}
}

// agreed returns the verdict on each of n things; ok is false when it is not clear.
func (r *reading) agreed(n int) (list []bool, ok bool) {
	list = make([]bool, n)
	several := r.all || r.none || len(r.picked) > 0
	switch {
	case several && n < 2:
		return nil, false
	case r.no || r.none:
		return list, !r.yes && !r.task && len(r.picked) == 0 && (!r.all || r.no)
	case len(r.picked) > 0:
		for _, at := range r.picked {
			if at < 1 || at > n || r.all {
				return nil, false
			}
			list[at-1] = true
		}
		return list, true
	case r.yes || r.all || r.task:
		for i := range list {
			list[i] = true
		}
		return list, true
	}
	return nil, false // thanks, and nothing else
}
