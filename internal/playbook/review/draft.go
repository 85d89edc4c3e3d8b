// Package review looks at an answer before it is sent: whether it keeps the rules that
// their owner wants enforced. What code can see it sees itself; the rest it asks a
// model. It writes no answer and sends none.
package review

import (
	"fmt"
	"regexp"
	"strings"

	"parley/internal/playbook/condition"
	"parley/internal/text"
)

// Rule is an enforced rule that applies to an answer, filled in.
type Rule struct {
	ID         string   `json:"id"`
	Action     string   `json:"action,omitempty"`       // what it wants, in its owner's words
	MustSay    []string `json:"must_say,omitempty"`     // words, or regex:RE2; each of them
	MustNotSay []string `json:"must_not_say,omitempty"` // words, or regex:RE2; none of them
	Verbatim   string   `json:"verbatim,omitempty"`     // a text that stands in the answer as it is
	Tools      []string `json:"tools,omitempty"`        // nothing may be called done before one of them succeeded
	Say        string   `json:"say,omitempty"`          // what is sent if the answer does not keep it
}

// Words returns what is sent in place of an answer that breaks the rule: what its
// owner wrote for that, or else what the rule itself says.
func (r Rule) Words() string {
	switch {
	case r.Say != "":
		return r.Say
	case r.Verbatim != "":
		return r.Verbatim
	}
	var say []string
	for _, p := range r.MustSay {
		if words, is := literal(p); is {
			say = append(say, words)
		}
	}
	if len(say) > 0 {
		return strings.Join(say, "\n\n")
	}
	return r.Action
}

// Judged reports whether only a model can tell if an answer keeps the rule.
func (r Rule) Judged() bool { return len(r.MustSay)+len(r.MustNotSay) == 0 && r.Verbatim == "" }

// Check reports a phrase of must_say or must_not_say that cannot be used.
func Check(phrase string) error {
	pattern, is := strings.CutPrefix(strings.TrimSpace(phrase), "regex:")
	if !is {
		if words, _ := literal(phrase); words == "" {
			return fmt.Errorf("%q has no words", phrase)
		}
		return nil
	}
	if len(pattern) > maxPattern {
		return fmt.Errorf("the pattern has %d characters; at most %d", len(pattern), maxPattern)
	}
	if _, err := regexp.Compile(strings.TrimSpace(pattern)); err != nil {
		return fmt.Errorf("%q: %w", pattern, err)
	}
	return nil
}

// maxPattern bounds a pattern, in bytes.
const maxPattern = 500

// literal returns the words of a phrase that is no pattern.
func literal(phrase string) (words string, is bool) {
	phrase = strings.TrimSpace(phrase)
	if strings.HasPrefix(phrase, "regex:") {
		return "", false
	}
	return strings.TrimSpace(strings.TrimPrefix(phrase, "literal:")), true
}

// says reports whether an answer has a phrase: words in any case, also across marks of
// emphasis and ends of lines, or what fits a pattern.
func says(answer, phrase string) bool {
	if words, is := literal(phrase); is {
		return condition.HasWords(strings.ToLower(flat(answer)), strings.ToLower(flat(words)))
	}
	re, err := regexp.Compile(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(phrase), "regex:")))
	return err == nil && (re.MatchString(answer) || re.MatchString(flat(answer)))
}

// signs are written in several ways that read the same.
var signs = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "„", `"`, "\u00a0", " ", "\u202f", " ",
	"\u00ad", "", "*", "", "_", "", "`", "", "~", "", "–", "-", "‑", "-")

// flat returns a text as it reads, without marks of emphasis and with single spaces.
func flat(s string) string { return strings.Join(strings.Fields(signs.Replace(s)), " ") }

// Breach is a rule that an answer breaks.
type Breach struct {
	Rule Rule
	Why  string // for the model that writes it anew, and for those who ask why
}

// Look returns the rules that code sees broken. done reports whether one of these tools
// succeeded; it is asked only for an answer that says that something was done.
func Look(answer string, rules []Rule, done func(tools []string) bool) (broken []Breach) {
	for _, r := range rules {
		if why := r.look(answer, done); why != "" {
			broken = append(broken, Breach{r, why})
		}
	}
	return broken
}

func (r Rule) look(answer string, done func([]string) bool) string {
	for _, p := range r.MustSay {
		if !says(answer, p) {
			return fmt.Sprintf("It must say: %s.", p)
		}
	}
	for _, p := range r.MustNotSay {
		if says(answer, p) {
			return fmt.Sprintf("It must not say: %s.", p)
		}
	}
	if r.Verbatim != "" && !strings.Contains(flat(answer), flat(r.Verbatim)) {
		return fmt.Sprintf("It must contain this, word for word: %s", r.Verbatim)
	}
	if len(r.Tools) > 0 && claimed().MatchString(flat(answer)) && !done(r.Tools) {
		return fmt.Sprintf("It says that something was done, and no tool has done it (%s).", strings.Join(r.Tools, ", "))
	}
	return ""
}

// claimed are ways to say that something was just done, in the languages that answers
// are written in most: "I have cancelled", "has been booked", "ist storniert", "he
// cancelado". They need not be complete: a rule that must not fail says what it forbids
// with must_not_say.
var claimed = text.Pattern(`(?i)\b(?:` +
	`i(?:'ve| have|'m done| just| now)(?: \w+ly| just| now| also| already)* (?:\w+ed|sent|made|done|set|put|given|paid|taken|written|reset)` +
	`|(?:has|have) (?:now |just |already |also )*been (?:\w+ly )?(?:\w+ed|sent|made|done|set|put|given|paid|taken|written)` +
	`|(?:is|are) (?:now|hereby|already) (?:\w+ed|sent|made|done|set|paid)` +
	`|(?:was|were) (?:successfully|just) \w+(?:ed|nt|t)` +
	`|(?:all )?done[.!:,]` +
	`|ich habe .{0,60}?\b(?:ge\w+(?:t|en)|\w+iert|be\w+(?:t|en)|ver\w+(?:t|en)|er\w+(?:t|en)|storniert)` +
	`|(?:ist|sind|wurde|wurden) (?:jetzt |nun |soeben |erfolgreich |bereits )*(?:ge\w+t|storniert|\w+iert|erledigt|ausgef\S+hrt|veranlasst|best\S+tigt)` +
	`|erledigt[.!:,]` +
	`|j'ai (?:bien |d\S+j\S+ )?\w+\S+|(?:a|ont) (?:bien )?\S+t\S+ (?:\w+\S+)|c'est fait` +
	`|he (?:cancelado|reservado|enviado|hecho|\w+ado|\w+ido)|(?:ha|han) sido \w+(?:ado|ido|ada|ida)s?|(?:qued\S+|est\S+) (?:cancelad|reservad|confirmad)\w+` +
	`|ho (?:\w+ato|\w+ito|fatto|inviato)|\S+ stat[oa] \w+(?:ato|ata|ito|ita)` +
	`|(?:eu )?(?:cancelei|reservei|enviei|fiz)|foi \w+(?:ado|ada|ido|ida)` +
	`|ik heb .{0,60}?\bge\w+(?:d|t|en)` +
	`)`)

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
