package ranking

import (
	_ "embed" // the list of words
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/spanish"

	"parley/internal/text"
)

// alikeText lists words of notes, and of questions about them, that may stand for each other:
// a language and a group on each line.
//
//go:embed alike.txt
var alikeText string

// alike maps a word, its stem, or the first two letters where a script has no spaces, to the
// groups it is in.
var alike = sync.OnceValue(func() map[string][][]string {
	stems := map[string]func(string) string{"en": Stem, "ru": stemCyrillic,
		"de": stemming(german.Stem), "fr": stemming(french.Stem), "es": stemming(spanish.Stem)}
	all := map[string][][]string{}
	for line := range strings.Lines(text.Lower(alikeText)) {
		lang, group, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := strings.Fields(group)
		for _, w := range words {
			key, stem := w, w
			if runes := []rune(w); text.Pieced(runes[0]) {
				key, stem = string(runes[:min(2, len(runes))]), ""
			} else if of := stems[lang]; of != nil {
				stem = of(w)
			}
			all[key] = append(all[key], words)
			if stem != "" && stem != key {
				all[stem] = append(all[stem], words)
			}
		}
	}
	return all
})

// Alike returns the words that may stand for a word of a question, or for the word of which it
// is the first pair of letters. Those that the question itself has are not among them.
func Alike(question string) func(word string) []string {
	question = text.Lower(question)
	stems := stemmersOf(question, 0)
	said := slices.Collect(text.Words(question))
	has := func(w string) bool {
		first := []rune(w)[0]
		return text.Pieced(first) && strings.Contains(question, w) || slices.Contains(said, w)
	}
	return func(word string) (other []string) {
		keys := []string{word}
		pair := text.Pieced([]rune(word)[0])
		for _, stem := range stems {
			if s := stem(word); !pair && s != word {
				keys = append(keys, s)
			}
		}
		for _, key := range keys {
			for _, group := range alike()[key] {
				if pair && !slices.ContainsFunc(group, func(w string) bool { return strings.HasPrefix(w, word) && has(w) }) {
					continue
				}
				for _, w := range group {
					if w != word && !has(w) && !slices.Contains(other, w) {
						other = append(other, w)
					}
				}
			}
		}
		return other
	}
}

// fillers are words of questions that say little of what is looked for; notes alone need them.
var fillers = sync.OnceValue(func() map[string]bool {
	return setOf("happen happens happened exactly actually want need mean means possible way ways thing things something " +
		"anything everything work works get gets use using make makes made please tell know say says one other another same " +
		"just only also still else already own without instead all every each exist exists no not always never really " +
		"kann kannst können könnte muss musst müssen soll sollte darf dürfen möchte will brauche braucht gibt geht wird werden " +
		"wurde sind ob wenn dass aber oder auch noch nur schon alle alles ganz ohne beim bei an aus nach vom zum zur bis als man " +
		"kein keine keinen sich ihr ihre mir mich du dich etwas bedeutet bedeuten heißt passiert macht machen genau eigentlich " +
		"worauf wozu woran diese dieser dieses einem einer " +
		"peux peut dois doit veux faut fait faire sont sans tout tous toute toutes être avoir cette ces ils elles même encore si " +
		"puedo puede debo debe quiero hay hacer hace son ser sin todo todos toda todas este esta estos estas pero también si " +
		"posso può devo deve voglio fare sono senza tutto tutti questo questa " +
		"можно нужно надо могу может хочу есть быть как что где когда почему это этот эта для или если мне мой")
})

// Filler reports whether a word of a question, in small letters, says little of what is looked
// for.
func Filler(word string) bool { return fillers()[word] }
