package review

import (
	_ "embed" // words that say nothing new
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/ranking"
)

//go:embed free.txt
var freeText string

// tongues are languages with the words of each that say nothing new of what a text is about:
// small ones, courtesies, and what joins two texts. Of those whose name begins with a dash only
// small ones are listed, to tell them from the others.
var tongues = sync.OnceValue(func() (all []tongue) {
	for line := range strings.Lines(freeText) {
		words := strings.Fields(text.Lower(line))
		if len(all) == 0 || all[len(all)-1].name != words[0] {
			all = append(all, tongue{words[0], map[string]bool{}})
		}
		for _, w := range words[1:] {
			all[len(all)-1].free[w] = true
		}
	}
	return all
})

type tongue struct {
	name string
	free map[string]bool
}

// fewNew is how many words of a sentence may be new, where a part of it has others.
const fewNew = 1

// unheard returns the words of a sentence that no text has in any form, "" if those are few. It
// judges no answer in another language than that of the texts, in which all words are new.
func unheard(said string, texts []string) string {
	source, low := text.Lower(strings.Join(texts, "\n")), text.Lower(said)
	lang := language(source)
	if lang.free == nil || slices.ContainsFunc(tongues(), func(t tongue) bool { return t.share(low) > lang.share(low)+clearly }) {
		return ""
	}
	h := hearing{source: source, free: lang.free, said: map[string]bool{}, stems: ranking.Stemmer(source), alike: ranking.Alike(said)}
	for w := range text.Words(source) {
		h.add(w)
	}
	for _, sentence := range clauses().Split(signs.Replace(low), -1) {
		var all []string
		known := 0
		for _, clause := range joints().Split(sentence, -1) {
			n, new := h.weigh(clause)
			if n == 0 && len(new) == 1 && courteous().MatchString(clause) {
				new = nil
			}
			if known, all = known+n, append(all, new...); len(new) > 0 && n == 0 {
				return strings.Join(all, ", ")
			}
		}
		if len(all) > fewNew || len(all) == 1 && known < 2 {
			return strings.Join(all, ", ")
		}
	}
	return ""
}

// courteous is a clause of thanks, of regret or of wishes: what for is not looked at.
var courteous = text.Pattern(`\b(?:thanks?|sorry|apologi[sz]e|apologies|glad|hope|dank|danke|bedanken|entschuldig\pL+|freu\pL*|hoffe\pL*|merci|désolée?s?|excus\pL+|ravie?s?|gracias|lament\pL+|siento|disculp\pL+|encantad\pL+)\b|спасибо|благодар|извин|сожалени|рады? |感谢|谢谢|抱歉|对不起|高兴`)

var joints = text.Pattern(`[,:—–()，、：]+\s*| - |\b(?:and|or|because|if|und|oder|weil|wenn|ou|si|car)\b| (?:et|y|o|e|и|или|а|если|потому) |和|或|并|如果|因为`)

// leastFree is the share of free words that a text has at least, in its language; clearly is by
// how much another language has more if an answer is in that.
const (
	leastFree = 0.2
	clearly   = 0.25
)

// language returns the language of a text by its small words; the zero one where it cannot be
// told, or is one whose words are not listed.
func language(low string) (most tongue) {
	best := leastFree
	for _, t := range tongues() {
		if share := t.share(low); share > best {
			best, most = share, t
		}
	}
	if strings.HasPrefix(most.name, "-") {
		return tongue{}
	}
	return most
}

// share returns how many of the words of a text are free ones; where nothing stands between
// words, of its letters.
func (t tongue) share(low string) float64 {
	n, all := 0, 0
	for w := range text.Words(low) {
		parts := []string{w}
		if first, _ := utf8.DecodeRuneInString(w); text.Unspaced(first) {
			parts = strings.Split(w, "")
		}
		for _, p := range parts {
			if all++; t.free[p] {
				n++
			}
		}
	}
	return float64(n) / float64(max(all, 1))
}

// hearing is what the texts say.
type hearing struct {
	source string
	free   map[string]bool
	said   map[string]bool // words and stems
	stems  func(string) []string
	alike  func(string) []string
}

func (h *hearing) add(w string) {
	h.said[w] = true
	for _, s := range h.stems(w) {
		h.said[s] = true
	}
}

// weigh counts the words of a clause that the texts have, and lists those that they have not.
func (h *hearing) weigh(clause string) (known int, new []string) {
	for w := range text.Words(clause) {
		first, _ := utf8.DecodeRuneInString(w)
		switch {
		case text.Unspaced(first):
			n, list := h.pieces(w)
			known, new = known+n, append(new, list...)
		case h.free[w]:
		case strings.ContainsFunc(w, unicode.IsDigit) || h.knows(w):
			known++
		default:
			new = append(new, w)
		}
	}
	return known, new
}

// knows reports whether the texts have a word: in another form, within a compound, or one that
// may stand for it.
func (h *hearing) knows(w string) bool {
	for _, one := range append(append([]string{w}, h.alike(w)...), ranking.Synonyms(w)...) {
		if h.said[one] || slices.ContainsFunc(h.stems(one), func(s string) bool { return h.said[s] }) {
			return true
		}
	}
	for s := range h.said {
		if n := min(utf8.RuneCountInString(s), utf8.RuneCountInString(w)); n >= minPart && (strings.Contains(w, s) || strings.Contains(s, w)) ||
			n >= minPart && prefix(w, s) >= max(minPart, n*7/10) {
			return true
		}
	}
	return false
}

// minPart is how many letters two words share that are forms of one.
const minPart = 5

func prefix(a, b string) (n int) {
	for i, r := range a {
		if i >= len(b) || !strings.HasPrefix(b[i:], string(r)) {
			break
		}
		n++
	}
	return n
}

// pieces is weigh for a run without spaces: what is new is a run of two letters that the texts
// do not have.
func (h *hearing) pieces(run string) (known int, new []string) {
	for _, w := range []int{4, 3, 2, 1} {
		for small := range h.free {
			if utf8.RuneCountInString(small) == w {
				run = strings.ReplaceAll(run, small, " ")
			}
		}
	}
	for word := range strings.FieldsSeq(run) {
		fresh := ""
		for _, r := range word + " " {
			if r != ' ' && !strings.ContainsRune(h.source, r) {
				fresh += string(r)
				continue
			}
			if utf8.RuneCountInString(fresh) > 1 {
				new = append(new, fresh)
			}
			if fresh = ""; r != ' ' {
				known++
			}
		}
	}
	return known, new
}
