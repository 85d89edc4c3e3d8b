package offline

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/llm"
	"parley/internal/text"
)

// errElse is that a sentence is for the model.
var errElse = &llm.Error{Class: llm.ErrNone, Detail: "the free lane is not certain of this sentence"}

// lookups are the tools that change nothing.
var lookups = []string{"list_facts", "list_log", "list_reminders", "list_tasks", "current_time", "recall_conversation", "vault_search"}

// sure reports a phrase that the free lane takes: small talk is the model's.
func (p phrase) sure() bool {
	return !p.guess && !p.plain && (p.does == "sum" || p.does == "ask_when" || !slices.Contains(answers, p.does))
}

// mine reports whether what is to be answered are results of calls, of all or of those that
// this responder made.
func (t talk) mine(all bool) bool {
	last := t.messages[len(t.messages)-1]
	return mine(last) || all && last.Role == llm.RoleTool
}

// fits reports whether the last sentence is certain; what it lacks can be asked for.
func (t talk) fits() bool {
	if t.messages[len(t.messages)-1].Role != llm.RoleUser {
		return false
	}
	a, ok := t.said()
	if !ok {
		return false
	}
	return !slices.ContainsFunc(append([]asked{a}, a.more...), func(one asked) bool {
		return one.guess
	})
}

// questions reports whether a sentence asks, rather than asks for something: "can you
// remind me at five?" is no question.
func (a asked) questions(said string) bool {
	said = strings.TrimSpace(said)
	if !strings.HasSuffix(said, "?") && !strings.HasSuffix(said, "？") {
		return false
	}
	return !a.polite().MatchString(fold(said))
}

// patterns makes those that the lines around phrases ask for; what a file lacks fits nothing.
func (b *book) patterns() {
	of := func(name string) string {
		if p := b.around[name]; p != "" {
			return "(?:" + p + ")"
		}
		return `[^\s\S]`
	}
	gap, end := `[\s,;.!。，；]+`, `(?:\P{L}|$)`
	if b.han {
		gap, end = `[\s,;.!。，；]*`, ""
	}
	b.polite = text.Pattern(`(?is)^[\s¿¡]*(?:` + of("before") + `[\s,.!:]+)*?` + of("ask"))
	b.frame = sync.OnceValue(func() *regexp.Regexp { return b.framed(`(.*?)`) })
	b.agrees = text.Pattern(`(?is)^\s*` + of("agree") + `[\s.!。！]*$`)
	b.between = text.Pattern(`(?is)(` + gap + of("join") + gap + `|[,;.!。，；]\s*)(?:` + of("before") + gap + `)*?` + of("wish") + end)
}

// Bounds of a sentence that is certain, and of the words in it that are the person's own.
const (
	mostCertain = 240
	mostOwn     = 160
)

// second is where another sentence begins, or what somebody quotes.
var second = text.Pattern(`[\n\r]|[.!?…]["”»)]?\s+\S|[。！？].|https?://|\[picture`)

// vague are values that point to what was said elsewhere, or that ask, in each language:
// "me" is one in English alone.
var vague = func() map[string]func() *regexp.Regexp {
	all := map[string]func() *regexp.Regexp{}
	for tag, words := range map[string]string{
		"en": `when|how|why|what|who|where|which|if|whether|the time|the day|again|me|us|you|to|it|that|this|them|those|these|one|something|` +
			`anything|everything|some|all`,
		"de": `wann|wie|warum|was|wer|wo|ob`, "es": `cuándo|cómo|por qué|qué|quién|dónde|si`, "fr": `quand|comment|pourquoi|quoi|qui|où`,
		"ru": `когда|как|почему|что|кто|где`,
	} {
		all[tag] = text.Pattern(`(?i)^(?:` + words + `)(?:[\s,].*)?$`)
	}
	return all
}()

// vague reports whether a value is no more than that.
func (b *book) vague(value string) bool {
	pattern := vague[b.tag]
	return pattern != nil && pattern().MatchString(value)
}

// elsewhere are words in what would be kept that point away from it: what they mean is not in
// the sentence, or it is about something that Parley does not keep.
var elsewhere = text.Pattern(`(?i)(?:^|[^\p{L}])(?:everything|all the things|anything|something|nothing|else|what|previous|present|current|calendar|` +
	`playlist|list|these|those|this|by my|new name|it|if|unless|off of|don't|not|never)(?:[^\p{L}]|$)`)

// nameless is what people are not called: "call me later", "my name is what".
var nameless = text.Pattern(`(?i)^(?:call me|my name is) (?:.* )?(?:a|an|the|what|by|something|anything|else|different|later|back|now|tomorrow|` +
	`tonight|today|soon|if|when|asap|maybe|not|on|at|in|or|and|with|this|that|it|new|again|anytime|whatever|names?|old|good|bad)(?: .*)?$`)

// certain reports whether every word of a sentence is accounted for: it is one sentence, and
// what is the person's own in it is short and stands for itself.
func (a asked) certain(said string) bool {
	if utf8.RuneCountInString(said) > mostCertain || second().MatchString(strings.TrimSpace(said)) {
		return false
	}
	for name, value := range a.args {
		kept := name == "text" || name == "description" || name == "words"
		if kept && elsewhere().MatchString(value) || name == "day" && strings.Contains(" "+fold(value)+" ", " my ") {
			return false
		}
		if name == "content" && nameless().MatchString(value) {
			return false
		}
		if value == "" && name != "last" || utf8.RuneCountInString(value) > mostOwn {
			return false
		}
		pointing := a.vague(value) || pointers().MatchString(value)
		if pointing && name != "last" && name != "when" && !slices.Contains(lookups, a.does) {
			return false
		}
	}
	return true
}

// agreed is the guess of the message before, if what is said now agrees with the question
// that was asked about it.
func (t talk) agreed(i, depth int) (asked, bool) {
	if t.sure || i < 2 || depth <= 1 || t.messages[i-1].Role != llm.RoleAssistant || t.messages[i-2].Role != llm.RoleUser {
		return asked{}, false
	}
	a, ok := t.at(i-2, 1)
	if !ok || !a.guess || slices.Contains(lookups, a.does) || !strings.Contains(t.messages[i-1].Content, a.subject()) {
		return asked{}, false
	}
	said := speaker().ReplaceAllString(t.messages[i].Content, "")
	for _, b := range inOrder(a.tag) {
		if b.agrees().MatchString(fold(said)) {
			a.guess, a.loose = false, false
			return a, true
		}
	}
	return asked{}, false
}

// mostWishes is how many things one sentence may ask for.
const mostWishes = 5

// wishes reads a sentence that asks for several things: all are understood, or nothing is,
// which it says with ok and an asked that does nothing. ok is false for a sentence of one.
func (t talk) wishes(b *book, said string) (a asked, ok bool) {
	parts := b.parts(said)
	about := len(parts) > 1 && b.carry != nil && b.names(parts[0])
	if about {
		parts = parts[1:] // "on my shopping list, remove bread and add milk"
	}
	if len(parts) < 2 && !about {
		return asked{}, false
	}
	if len(parts) > mostWishes {
		return asked{}, true
	}
	for i, part := range parts {
		one, understood := t.in(b, part)
		if !understood {
			one, understood = t.carried(b, part, said)
		}
		if !understood || one.guess || slices.Contains(answers, one.does) || one.args["last"] != "" ||
			one.lacks() {
			return asked{}, true
		}
		if i == 0 {
			a = one
		} else {
			a.more = append(a.more, one)
		}
	}
	return a, true
}

// pronoun ends a wish that is about the list of the one before: "and add milk to it".
var pronoun = text.Pattern(`(?i)\s+(?:to|on|from|off) (?:it|there)$`)

// names reports whether words are no more than the name of a list, with what stands before.
func (b *book) names(words string) bool {
	words = strings.TrimRight(fold(words), " ,:")
	list := b.lists().FindStringSubmatch(words)
	return list != nil && slices.Contains(b.carry, strings.TrimSpace(strings.TrimSuffix(words, list[1])))
}

// carried reads a wish that leaves out the list which the sentence names: "add eggs to my
// shopping list and remove cheese".
func (t talk) carried(b *book, part, said string) (asked, bool) {
	if b.carry == nil {
		return asked{}, false
	}
	list := b.lists().FindStringSubmatch(fold(said))
	if list == nil {
		return asked{}, false
	}
	part = pronoun().ReplaceAllString(strings.TrimRight(part, ".!? "), "")
	for _, before := range b.carry {
		if a, ok := t.in(b, part+" "+before+" "+list[1]); ok && (a.does == "add_task" || a.does == "delete_task") {
			return a, true
		}
	}
	return asked{}, false
}

// parts cuts a sentence where another wish begins.
func (b *book) parts(said string) (parts []string) {
	folded, runes, from, at := fold(said), []rune(said), 0, 0
	for {
		m := b.between().FindStringSubmatchIndex(folded[at:])
		if m == nil {
			break
		}
		cut, next := utf8.RuneCountInString(folded[:at+m[2]]), utf8.RuneCountInString(folded[:at+m[3]])
		if first := strings.TrimSpace(string(runes[from:cut])); b.bare(first) != "" {
			parts = append(parts, first)
		}
		from, at = next, at+m[3]
	}
	return append(parts, strings.TrimSpace(string(runes[from:])))
}
