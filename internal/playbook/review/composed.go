package review

import (
	"strings"
	"unicode"

	"parley/internal/text"
	"parley/internal/text/ranking"
)

// Composed keeps an answer to the texts that it has to be put together from: one that is not
// Bound to them, or has a sentence with words that they have in no form, is replaced by the texts
// as they stand. why is then what was found, for those who ask; no texts keep any answer.
func Composed(said string, texts []string, stands func(said string, texts []string) bool) (answer, why string) {
	if len(texts) == 0 {
		return said, ""
	}
	if why = Bound(said, texts, stands); why == "" {
		why = unheard(said, texts)
	}
	if why != "" {
		return strings.Join(texts, "\n\n"), why
	}
	return said, ""
}

// Bound returns what an answer has that binds whoever says it and is in none of some texts: an
// address, a promise, a negation, or that it leaves one of their negations out; or that it says
// something which stands does not find in them: numbers, amounts, dates, names. "" is nothing.
func Bound(said string, texts []string, stands func(said string, texts []string) bool) string {
	source := strings.ToLower(flat(strings.Join(texts, "\n")))
	plain := strings.ToLower(flat(said))
	for _, a := range addressed().FindAllString(plain, -1) {
		if !strings.Contains(source, strings.TrimRight(a, ".,:;!?)")) {
			return a
		}
	}
	for _, p := range promising().FindAllString(strings.ReplaceAll(plain, "feel free", ""), -1) {
		if p = strings.TrimFunc(p, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); !strings.Contains(source, p) {
			return p
		}
	}
	if word := turned(said, texts); word != "" {
		return word
	}
	if !stands(said, texts) {
		return "a number, a date or a name"
	}
	return ""
}

var (
	addressed = text.Pattern(`https?://\S+|[\pL\pN._%+-]+@[\pL\pN.-]+|\b[\pL\pN-]+(?:\.[\pL\pN-]+)*\.(?:com|org|net|io|de|fr|es|ru|cn|eu|info|app|dev|shop)\b|@[\pL\pN_]{3,}`)
	// promising are words that bind whoever says them, in six languages.
	promising = text.Pattern(`\b(?:free(?: of charge)?|gratis|complimentary|guarantee[ds]?|warranty|lifetime|forever|unlimited|refund(?:s|ed)?|money back|discounts?|bonus|vouchers?|promise[ds]?|immediately|instantly|right away|today|tomorrow|tonight|always|anytime|24/7|best price|cheapest|i will|i'll|we will|we'll|you will (?:get|receive)|` +
		`kostenlos\pL*|kostenfrei\pL*|umsonst|garantie\pL*|garantiert|lebenslang\pL*|unbegrenzt\pL*|erstatt\pL*|rabatt\pL*|gutschein\pL*|verspr\pL+|sofort|heute|morgen|immer|wir werden|ich werde|` +
		`gratuit\pL*|garanti\pL*|à vie|illimité\pL*|rembours\pL*|remise|promets|promettons|immédiatement|aujourd'hui|demain|toujours|` +
		`gratuit\pL*|garantía|garantizad\pL+|de por vida|ilimitad\pL+|reembols\pL*|descuento\pL*|prometo|prometemos|inmediatamente|hoy|mañana|siempre)(?:$|[^\pL])|` +
		`бесплатн\pL*|гаранти\pL*|пожизненн\pL*|безлимитн\pL*|возврат\pL*|верн[её]м|скидк\pL*|обеща\pL*|немедленно|сегодня|завтра|всегда|免费|免費|保证|保證|终身|終身|无限|無限|退款|折扣|承诺|承諾|立即|今天|明天|永远|永遠`)
	denying = text.Pattern(`\b(?:not|no|never|none|nobody|nothing|cannot|can't|won't|don't|doesn't|isn't|aren't|didn't|wasn't|without|except|unless|kein\pL*|nicht|nie|niemals|niemand|nichts|ohne|außer|pas|jamais|aucun\pL*|sans|sauf|rien|personne ne|nunca|ningún|ninguna?|sin|nada|nadie|salvo|tampoco)(?:$|[^\pL])|(?:^|[^\pL])(?:не|нет|никогда|без|никто|ничего|кроме|нельзя)(?:$|[^\pL])|不|没|無|无|未|勿|别|除外`)
	clauses = text.Pattern(`[.!?;\n。！？；]+\s*`)
)

// turned returns the word by which an answer denies what its texts do not deny, or the
// other way round; "" if it does neither. A clause is compared with the one of the texts
// that shares most words with it; one that shares none, with all.
func turned(said string, texts []string) string {
	source := strings.ToLower(flat(strings.Join(texts, "\n")))
	var parts []string
	for _, t := range texts {
		parts = append(parts, clauses().Split(strings.ToLower(signs.Replace(t)), -1)...)
	}
	for _, clause := range clauses().Split(strings.ToLower(signs.Replace(said)), -1) {
		words := affirmed(clause)
		near, most := "", 0
		for _, p := range parts {
			n := 0
			for w := range affirmed(p) {
				if words[w] {
					n++
				}
			}
			if n > most || n == most && n > 0 && denying().MatchString(p) == (denying().MatchString(clause)) {
				near, most = p, n
			}
		}
		no := strings.TrimSpace(denying().FindString(clause))
		switch {
		case no != "" && !denying().MatchString(source):
			return no
		case most == 0 || most == 1 && len(words) > 2:
		case no != "" && !denying().MatchString(near):
			return no
		case no == "" && denying().MatchString(near):
			return strings.TrimSpace(denying().FindString(near))
		}
	}
	return ""
}

// affirmed returns the stems of the telling words of a clause, without those that deny.
func affirmed(clause string) map[string]bool {
	return ranking.Stems(ranking.Telling(denying().ReplaceAllString(clause, " ")))
}
