package ranking

import (
	_ "embed" // lists of words
	_ "embed" // the list of irregular forms
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

//go:embed irregular.txt
var irregularText string

// irregular maps irregular forms to the base form.
var irregular = sync.OnceValue(func() map[string]string {
	plain := map[string]string{}
	for line := range strings.Lines(irregularText) {
		forms := strings.Fields(line)
		for _, f := range forms[1:] {
			plain[f] = forms[0]
		}
	}
	return plain
})

// Stem maps the forms of an English word to one stem, which need not be a word.
func Stem(w string) string {
	if strings.ContainsAny(w, "0123456789") {
		return w // 1000 is not 100
	}
	if plain, ok := irregular()[w]; ok {
		w = plain
	}
	e := snowballstem.NewEnv(w)
	english.Stem(e)
	return e.Current()
}

// Stems returns the stems of a text's words without stop words.
func Stems(text string) map[string]bool {
	set := map[string]bool{}
	for w := range tellingWords(text) {
		set[Stem(w)] = true
	}
	return set
}

var (
	//go:embed synonyms.txt
	synonymText string
	//go:embed nicknames.txt
	nicknameText string
)

// synonyms maps the stem of a word to its synonyms, by their stems: everyday words that
// stand for each other in questions and answers, a group on each line of the file.
var synonyms = sync.OnceValue(func() map[string]map[string]string { return groups(synonymText + nicknameText) })

// nicknames are the names among them, long and short.
var nicknames = sync.OnceValue(func() map[string]map[string]string { return groups(nicknameText) })

func groups(text string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for line := range strings.Lines(text) {
		group := map[string]string{}
		for w := range strings.FieldsSeq(line) {
			group[Stem(w)] = w
		}
		for s := range group {
			if all[s] == nil {
				all[s] = map[string]string{}
			}
			maps.Copy(all[s], group)
		}
	}
	return all
}

// Synonyms are words that may stand for a word, sorted.
func Synonyms(word string) []string {
	own := Stem(word)
	var more []string
	for s, w := range synonyms()[own] {
		if s != own {
			more = append(more, w)
		}
	}
	slices.Sort(more)
	return more
}
