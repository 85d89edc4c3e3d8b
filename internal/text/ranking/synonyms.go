package ranking

import (
	_ "embed" // lists of words
	"maps"
	"slices"
	"strings"
	"sync"
)

var (
	//go:embed synonyms.txt
	synonymText string
	//go:embed nicknames.txt
	nicknameText string
)

// synonyms are everyday words that stand for each other in questions and
// answers, a group of them on each line: by stem, one word of each stem that
// shares a line with it.
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
