package memory

import (
	_ "embed" // lists of words
	"maps"
	"slices"
	"strings"
	"sync"
)

var (
	//go:embed families.txt
	familyText string
	//go:embed nicknames.txt
	nicknameText string
	//go:embed irregular.txt
	irregularText string
)

// families are everyday words that stand for each other in questions and
// answers, one family a line: by stem, one word of each stem it is with.
var families = sync.OnceValue(func() map[string]map[string]string { return kinOf(familyText + nicknameText) })

// nicknames are the names among them, long and short.
var nicknames = sync.OnceValue(func() map[string]map[string]string { return kinOf(nicknameText) })

func kinOf(text string) map[string]map[string]string {
	kin := map[string]map[string]string{}
	for line := range strings.Lines(text) {
		family := map[string]string{}
		for w := range strings.FieldsSeq(line) {
			family[stem(w)] = w
		}
		for s := range family {
			if kin[s] == nil {
				kin[s] = map[string]string{}
			}
			maps.Copy(kin[s], family)
		}
	}
	return kin
}

// related are words of the same families as a word.
func related(word string) []string {
	own := stem(word)
	var more []string
	for s, w := range families()[own] {
		if s != own {
			more = append(more, w)
		}
	}
	slices.Sort(more)
	return more
}

// irregular leads from forms that no cutting brings together to the plain one.
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

// endings are cut off, the first that fits.
var endings = []string{"ations", "ation", "ings", "ing", "ness", "ment", "ers", "ies", "ied", "er", "es", "ed", "ly", "y", "s", "e"}

// stem brings the forms of an English word together, the same way on both
// sides of a comparison: what is left need not be a word.
func stem(w string) string {
	if strings.ContainsAny(w, "0123456789") {
		return w // 1000 is not 100
	}
	if plain, ok := irregular()[w]; ok {
		w = plain
	}
	for _, e := range endings {
		if len(w)-len(e) >= 3 && strings.HasSuffix(w, e) {
			w = strings.TrimSuffix(w, e)
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return strings.TrimSuffix(w, "e")
}
