package citation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// labels are the bracketed and superscript numbers of the passages themselves: names of
// keys, entries of lists, scores, ranges, isotopes.
type labels struct {
	shown  map[string]bool // as they stand there, unsigned
	placed map[string]bool // with the word before or behind them, amid a sentence
	linked map[string]bool // names in [[brackets]]
	count  int             // passages
}

var (
	labelForm = text.Pattern(`\[[-−–]?\p{Nd}[^\[\]\n]{0,20}\]|[⁰¹²³⁴-⁹]+`)
	labelSign = text.Pattern(`([\[,; ])[-−–](\p{Nd})`)
	wikiForm  = text.Pattern(`\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]`)
)

// labelsIn lists those of passages.
func labelsIn(passages []Passage) labels {
	l := labels{map[string]bool{}, map[string]bool{}, map[string]bool{}, len(passages)}
	for _, p := range passages {
		for _, at := range labelForm().FindAllStringIndex(p.Text, -1) {
			shown := unsigned(p.Text[at[0]:at[1]])
			l.shown[shown] = true
			before, behind := around(p.Text, at[0], at[1])
			if behind != "" { // a number that ends a sentence may be a mark of the document's own
				l.placed[before+shown], l.placed[shown+behind] = true, true
			}
		}
		for _, m := range wikiForm().FindAllStringSubmatch(p.Text, -1) {
			l.linked[strings.ToLower(m[1])] = true
		}
	}
	return l
}

// unsigned returns a number in brackets without signs: an answer that loses a minus means
// the same place, and is to be compared, not cut.
func unsigned(shown string) string {
	return labelSign().ReplaceAllString(shown, "$1$2")
}

// around returns the word before a place and the one that follows it directly, without a
// sign between, both in lower case; in scripts without spaces, a character of each.
func around(s string, from, to int) (before, behind string) {
	before = strings.TrimRight(s[max(0, from-maxBeside):from], " *_")
	last, size := utf8.DecodeLastRuneInString(before)
	switch {
	case text.Unspaced(last):
		before = before[len(before)-size:]
	default:
		before = before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })+1:]
	}
	behind = strings.TrimLeft(s[to:min(len(s), to+maxBeside)], " *_")
	first, size := utf8.DecodeRuneInString(behind)
	switch end := strings.IndexFunc(behind, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); {
	case text.Unspaced(first):
		behind = behind[:size]
	case end >= 0:
		behind = behind[:end]
	}
	return strings.ToLower(before), strings.ToLower(behind)
}

// has reports whether a passage has an apparent mark of an answer as its own text: with a
// word beside it, so that [1] can be both, or anywhere if it can be no mark.
func (l labels) has(s string, m mark) bool {
	shown := unsigned(s[m.from:m.to])
	if !l.shown[shown] {
		return false
	}
	before, behind := around(s, m.from, m.to)
	return before != "" && l.placed[before+shown] || behind != "" && l.placed[shown+behind] || l.foreign(m)
}

// foreign reports whether no number of a mark is one of a passage.
func (l labels) foreign(m mark) bool {
	return !slices.ContainsFunc(m.numbers, func(n int) bool { return n >= 1 && n <= l.count })
}

// leading matches words before a number in brackets that lead to it: the sentence needs it.
var leading = text.Pattern(`(?i)(?:^|[^\pL])(?:of|in|to|from|at|with|by|and|or|a|an|the|see|is|are|as|press|key|option|range|interval|scores?|list|vector|between|` +
	`von|zu|aus|bei|mit|und|oder|der|die|das|siehe|ist|sind|taste|bereich|intervall|auf|` +
	`de|à|en|dans|le|la|les|et|ou|voir|est|touche|intervalle|el|los|las|y|o|ver|es|tecla|pulse|rango|` +
	`из|в|к|от|с|и|или|см|на|клавиша|диапазон)\s*$|[按键鍵第在为為是从從到至和与與区间區間范围範圍]$`)

// ends reports whether a plain number that names no passage is the model's own mark: it
// stands where a clause ends, behind words that need nothing more, and no other number in
// brackets stands amid the words of the line.
func ends(s string, marks []mark, i, passages int) bool {
	line := s[:marks[i].from]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	start := marks[i].from - len(line)
	for j := max(0, i-maxGroup); j < min(len(marks), i+maxGroup); j++ {
		m := marks[j]
		foreign := slices.ContainsFunc(m.numbers, func(n int) bool { return n < 1 || n > passages })
		if j != i && m.from >= start && foreign && !m.sure && !strings.Contains(s[start:m.from], "\n") && !closing(s, marks, j, passages) {
			return false
		}
	}
	return closing(s, marks, i, passages)
}

// maxGroup bounds the marks on either side that are looked at.
const maxGroup = 8

// besides matches what may stand between the marks of a group.
var besides = text.Pattern(`^[ ,;]*(?:and|or|und|oder|et|ou|y|o|и|和)?[ ,;]*$`)

// closing reports whether a mark closes a clause, or stands beside one of a passage.
func closing(s string, marks []mark, i, passages int) bool {
	from, to, known := marks[i].from, marks[i].to, false
	good := func(m mark) bool {
		return slices.ContainsFunc(m.numbers, func(n int) bool { return n >= 1 && n <= passages })
	}
	for j := i - 1; j >= max(0, i-maxGroup) && besides().MatchString(s[marks[j].to:from]); j-- {
		from, known = marks[j].from, known || good(marks[j])
	}
	for j := i + 1; j < min(len(marks), i+maxGroup) && besides().MatchString(s[to:marks[j].from]); j++ {
		to, known = marks[j].to, known || good(marks[j])
	}
	before := strings.TrimRight(s[max(0, from-maxAround):from], " *_(（")
	after := strings.TrimLeft(s[to:min(len(s), to+maxAround)], "*_)）")
	last, _ := utf8.DecodeLastRuneInString(before)
	sentence := strings.ContainsRune(".!?。！？", last)
	behind := strings.TrimLeft(after, " ")
	next, _ := utf8.DecodeRuneInString(behind)
	if behind != "" && !strings.ContainsRune(".,;:!?|\n。，、；：！？", next) && !(sentence && (unicode.IsUpper(next) || text.Unspaced(next))) {
		return false
	}
	if sentence || known {
		return true
	}
	clause := before[strings.LastIndexAny(before, "\n.!?;:。！？；：,，|")+1:]
	words := strings.Fields(clause)
	enough := len(words) > 1 || strings.ContainsFunc(clause, text.Unspaced) && utf8.RuneCountInString(clause) > 3
	if len(marks[i].numbers) > 1 && strings.ContainsAny(s[marks[i].from:marks[i].to], "-–—~") {
		return false
	}
	return enough && (unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(`)”"»」%°`, last)) &&
		!leading().MatchString(clause)
}
