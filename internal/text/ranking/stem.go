package ranking

import (
	_ "embed" // the list of irregular forms
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

//go:embed irregular.txt
var irregularText string

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

// Stem brings the forms of an English word together, the same way on both
// sides of a comparison: what is left need not be a word.
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

// Stems returns the set of a text's telling words, without their endings.
func Stems(text string) map[string]bool {
	set := map[string]bool{}
	for w := range tellingWords(text) {
		set[Stem(w)] = true
	}
	return set
}
