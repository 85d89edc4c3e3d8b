package catalog

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/text"
)

// englishCommon are frequent English words; the other languages have theirs in the heads of
// their catalogs, as X-Common.
const englishCommon = `i you he she it we they me him her us them my your his our the a an and or but not no is are am was were be been
	do does did have has had can could will would shall should what who how where when why which with for from to of on at by in this that these those
	as so just now then some any all new more okay never mind tell show list add set cancel delete remove done get go say know want need
	let make give take call read find open stop start much many also very here good bad see find like out up get time day date
	please thanks thank hello hi hey good morning today tomorrow yes remind remember help about there if because every don't i'm what's`

// maxHeard is how much of a message is examined, in bytes.
const maxHeard = 2000

// commons returns each language's words, by the order of Printers.
var commons = sync.OnceValue(func() (all []map[string]bool) {
	for _, p := range Printers() {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(p.header("X-Common", englishCommon)) {
			set[w] = true
		}
		all = append(all, set)
	}
	return all
})

// How much a message tells of the language that it is in.
const (
	Nothing = iota // names, numbers, code, other languages
	Word           // one word, such as "die" or "ja", which says little of somebody who was heard before
	Some           // a short message
	Much           // a long one
)

// Words of a message that are frequent in its language, for it to be long.
const many = 4

// Heard detects the language of a message, and how much the message tells of that.
func Heard(message string) (p Printer, tells int) {
	words := tokens(text.ClipBytes(message, maxHeard))
	best, second, at := 0, 0, 0
	for i, common := range commons() {
		hits := 0
		for _, w := range words {
			if common[w] {
				hits++
			}
		}
		switch {
		case hits > best:
			best, second, at = hits, best, i
		case hits > second:
			second = hits
		}
	}
	clear := best >= 2 && best >= 2*second && 5*best >= len(words)
	switch {
	case best <= second || best < len(words) && !clear:
	case best == 1:
		tells = Word
	case best < many || best < 2*second:
		tells = Some
	default:
		tells = Much
	}
	return Printers()[at], tells
}

// tokens returns the distinct words of a message in lower case. Each Chinese
// character is a word, because nothing stands between theirs.
func tokens(message string) (all []string) {
	rest := strings.ToLower(message)
	for rest != "" {
		n := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) || unicode.Is(unicode.Han, r) })
		word := rest
		if n >= 0 {
			word = rest[:n]
		}
		rest = rest[len(word):]
		if word = strings.Trim(word, "'’-"); word != "" {
			all = append(all, strings.ReplaceAll(word, "’", "'"))
		}
		for _, r := range rest {
			if unicode.Is(unicode.Han, r) {
				all = append(all, string(r))
			} else if inWord(r) {
				break
			}
			rest = rest[len(string(r)):]
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’' || r == '-'
}
