package review

import (
	"strings"

	"parley/internal/text"
)

// marks are those of emphasis, with which words stay the same.
var marks = strings.NewReplacer("*", "", "_", "", "`", "")

// WordForWord puts texts that have to be said word for word before an answer that does
// not say them.
func WordForWord(said string, texts []string) string {
	flat := func(s string) string { return strings.Join(strings.Fields(marks.Replace(text.Plain(s))), " ") }
	for i := len(texts) - 1; i >= 0; i-- {
		if !strings.Contains(flat(said), flat(texts[i])) {
			said = strings.TrimSpace(texts[i]) + "\n\n" + said
		}
	}
	return said
}

// factual are the parts of a text that state something which can be wrong: numbers, and
// addresses.
var factual = text.Pattern(`https?://\S+|[\pL\pN._%+-]+@[\pL\pN.-]+|\d[\d.,:]*`)

// Composed keeps an answer to what asked to the texts that it has to be put together
// from: one that states a number or an address which neither has is replaced by the
// texts themselves. kept is false then; no texts keep any answer.
func Composed(said, asked string, texts []string) (answer string, kept bool) {
	source := strings.ToLower(strings.Join(append([]string{asked}, texts...), "\n"))
	for _, fact := range factual().FindAllString(strings.ToLower(said), -1) {
		if len(texts) > 0 && !strings.Contains(source, strings.TrimRight(fact, ".,:;!?)")) {
			return strings.Join(texts, "\n\n"), false
		}
	}
	return said, true
}
