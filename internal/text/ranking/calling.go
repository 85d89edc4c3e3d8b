package ranking

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text"
)

// Somebody answers to a word if others addressed them by it minCalls times, and others at
// most a quarter as often: on Discord people call each other by names that no account has.
const minCalls = 3

// greetings stand before the name of whom they are said to.
var greetings = setOf("hi hey hello thanks you morning night bye dear hallo danke moin tschüss hola gracias adiós " +
	"salut bonjour merci bonsoir ciao grazie привет спасибо здравствуй пока")

// calledBy returns the name of who is addressed by a word that is nobody's own name, in
// lower case, or "". The question writes the word like a name.
func calledBy(said []Message, question, word string) string {
	called := ""
	for _, w := range text.Spellings(word) {
		first, n := utf8.DecodeRuneInString(w)
		as := string(unicode.ToTitle(first)) + w[n:]
		if called == "" && unicode.IsUpper(unicode.ToTitle(first)) && strings.Contains(question, as) {
			called = as
		}
	}
	if called == "" {
		return ""
	}
	calls, votes, most := 0, map[string]int{}, ""
	for i, m := range said {
		if m.Bot || !addresses(m.Text, called) {
			continue
		}
		if to := other(said, i); to != "" {
			calls, votes[to] = calls+1, votes[to]+1
			if votes[to] > votes[most] {
				most = to
			}
		}
	}
	if calls < minCalls || 5*votes[most] < 4*calls {
		return ""
	}
	return text.Lower(most)
}

// other returns who else spoke last before a message in the same conversation, or first
// after it.
func other(said []Message, i int) string {
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(said) && said[j].Conversation == said[i].Conversation; j += step {
			if !said[j].Bot && said[j].Name != said[i].Name {
				return said[j].Name
			}
		}
	}
	return ""
}

// addresses reports whether a text calls somebody by a name: "Hey Kate", "Kate, look", "yes,
// Kate!".
func addresses(said, name string) bool {
	for from := 0; ; {
		i := strings.Index(said[from:], name)
		if i < 0 {
			return false
		}
		before, after := said[:from+i], said[from+i+len(name):]
		from += i + len(name)
		next, _ := utf8.DecodeRuneInString(after)
		if unicode.IsLetter(next) || unicode.IsDigit(next) {
			continue
		}
		ends := after == "" || strings.ContainsRune(",.!?:\n", next)
		before = strings.TrimRight(before, " ")
		start := strings.LastIndexFunc(before, notWord) + 1
		comma := start == len(before) && start > 0 && before[start-1] == ','
		if ends && (before == "" && after != "" || comma) || greetings[strings.ToLower(before[start:])] && before[start:] != "" {
			return true
		}
	}
}
