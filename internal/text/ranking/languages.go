package ranking

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// language is a language of questions, recognized by its stop words.
type language struct {
	small map[string]bool
	stem  func(*snowballstem.Env) bool
}

var languages = []language{
	{setOf("der die das den dem ein eine einen und ist war hat habe wer wie wo wann warum welche welcher mit von zu für " +
		"auf nicht ich mein meine wir sie es im"), german.Stem},
	{setOf("le la les un une des du et est était où quand qui que quel quelle pourquoi comment avec pour dans sur pas je " +
		"mon ma mes nous elle il au ce"), french.Stem},
	{setOf("el la los las un una de del y es era dónde cuándo quién qué cuál cómo por para con en no yo mi mis nosotros ella al se"),
		spanish.Stem},
	{setOf("il lo la gli le un una di del della e è era dove quando chi che quale come perché con per in non mio mia noi lei al si"),
		italian.Stem},
	{setOf("o a os as um uma de do da dos e é era onde quando quem que qual como por para com em não eu meu minha nós ela ao se"),
		portuguese.Stem},
	{setOf("de het een en is was heeft wie wat waar wanneer waarom welke hoe met van te voor op niet ik mijn wij zij ze er"), dutch.Stem},
	{setOf("en ett och är var har vem vad när varför vilken hur med av till för på inte jag min mitt vi hon han det den"), swedish.Stem},
}

// stemmerOf returns the stemmer for a question and its answers: of the language with most of
// its stop words, or of its script, else English.
func stemmerOf(question string) func(string) string {
	stems := stemmersOf(question, 1)
	return stems[min(1, len(stems)-1)]
}

// stemmersOf returns the stemmers for a text: English, unless the script excludes it, then
// those of the languages with the most stop words in it, at least more than of English.
func stemmersOf(said string, more int) []func(string) string {
	if strings.ContainsFunc(said, isCyrillic) {
		return []func(string) string{stemCyrillic}
	}
	english := 0
	var small [64]int
	for w := range words(said) {
		if stopWords[w] {
			english++
		}
		for _, l := range smallWords()[w] {
			small[l]++
		}
	}
	stems, most := []func(string) string{Stem}, max(english+more, slices.Max(small[:]), 1)
	for i, l := range languages {
		if small[i] == most {
			stems = append(stems, stemming(l.stem))
		}
	}
	return stems
}

// Stemmer returns the stems of a word of a text, in the languages in which the text may be:
// those that differ from the word.
func Stemmer(said string) func(word string) []string {
	stems := stemmersOf(said, 0)
	return func(word string) (other []string) {
		for _, stem := range stems {
			if s := stem(word); s != word && !slices.Contains(other, s) {
				other = append(other, s)
			}
		}
		return other
	}
}

// smallWords maps a stop word to the languages that have it.
var smallWords = sync.OnceValue(func() map[string][]int {
	all := map[string][]int{}
	for i, l := range languages {
		for w := range l.small {
			all[w] = append(all[w], i)
		}
	}
	return all
})

func isCyrillic(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }

// stemCyrillic stems texts with Russian and other words.
func stemCyrillic(w string) string {
	if strings.ContainsFunc(w, isCyrillic) {
		return stemming(russian.Stem)(w)
	}
	return Stem(w)
}

// Telling returns a text without the stop words of any language.
func Telling(text string) string {
	var telling []string
	for w := range tellingWords(text) {
		if len(smallWords()[w]) == 0 {
			telling = append(telling, w)
		}
	}
	return strings.Join(telling, " ")
}

func stemming(cut func(*snowballstem.Env) bool) func(string) string {
	return func(w string) string {
		if strings.ContainsAny(w, "0123456789") {
			return w
		}
		e := snowballstem.NewEnv(w)
		cut(e)
		return e.Current()
	}
}
