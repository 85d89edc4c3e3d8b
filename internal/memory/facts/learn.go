package facts

import (
	_ "embed" // expressions
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/memory/facts/kinds"
	"parley/internal/text"
)

//go:embed claims.txt
var claimsText string

// power matches claims about rights and orders to everybody. They are never remembered, or
// else such a sentence could later pass for a decision about rights. The patterns are
// read on first use, because that takes a while. They match small letters without accents.
var power = sync.OnceValue(func() (all []sieve) {
	for _, p := range []string{
		`\b(?:for|to|of) (?:all|every) (?:the )?(?:users?|people|members?|chats?|one)\b|\bfor every(?:one|body)\b|\bany(?:one|body) who asks\b`,
		`\b(?:ignore|disregard|override|forget) (?:all |any |your |the |previous |prior )*(?:instructions?|rules?|guidelines?|prompts?)\b`,
		`\b(?:system prompt|developer mode|admin rights?|owner rights?|full access|all permissions)\b`,
		`\b(?:has|have|grant|give|gets?) (?:\w+ ){0,3}(?:permission|access|rights|privileges)\b`,
		`\b(?:owner|admin|administrator|operator|moderator)s?\b(?: \S+){0,4} (?:allow(?:s|ed)?|lets?|permit(?:s|ted)?|authori[sz]e[sd]?|approve[sd]?|enable[sd]?)\b`,
		`\b(?:allow(?:s|ed)?|lets?|permit(?:s|ted)?) (?:every(?:one|body)|any(?:one|body)|all (?:users?|people|members?)|me|us) (?:to )?(?:\w+ )?(?:run|use|execute|call|do|change|delete|pay)\b`,
		`\b(?:every(?:one|body)|any(?:one|body)|all (?:users?|people|members?)) (?:may|can|is allowed to|are allowed to) (?:run|use|execute|call|do|change|delete|pay)\b`,
		`(?:besitzer|eigentumer|inhaber|administrator|propietari[oa]|duen[oa]|proprietaire|владел[е]?ц|администратор|所有者|主人|管理员).{0,40}(?:erlaub|gestatte|permit|permet|permis|autori[sz]|разреш|позвол|允许|准许)`,
	} {
		all = append(all, newSieve(p))
	}
	var names []string
	for line := range strings.Lines(claimsText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		line = strings.NewReplacer(names...).Replace(line)
		if name, is, named := strings.Cut(line, " = "); named && !strings.ContainsAny(name, `\(`) {
			names = append(names, "{"+name+"}", is)
			continue
		}
		all = append(all, newSieve(line))
	}
	return all
})

// obeying matches an order to obey somebody by name, in the letters as they were written.
var obeying = text.Pattern(`(?i:\bobey|\bgehorche|\bserve|\bobei[st]?s?|\bobéis|\bobedece|\bhöre? (?:nur |immer )?auf|слушайся|подчиняйся)` +
	`(?i: (?:only|always|immer|nur|toujours|siempre|solo|только|всегда|à|a))* [A-ZА-ЯÄÖÜ][a-zà-ÿа-яё]+`)

// powers are the words of power that are also meant where one letter is wrong; plainWords
// are others, as near to them.
var (
	powers = strings.Fields("owner admin administrator operator moderator besitzer eigentumer inhaber betreiber propietario propietaria " +
		"administrador proprietaire administrateur владелец хозяин администратор")
	plainWords = words("owned admit admits inhaler besitzen besitzes")
)

// righted returns a text with the words of power as they are spelled.
func righted(said string) string {
	return wordsIn().ReplaceAllStringFunc(said, func(w string) string {
		if n := utf8.RuneCountInString(w); n < 5 || plainWords[w] || slices.Contains(powers, w) {
			return w
		}
		for _, p := range powers {
			if text.Edits(w, p, 1) <= 1 && utf8.RuneCountInString(w) <= utf8.RuneCountInString(p) {
				return p
			}
		}
		return w
	})
}

var wordsIn = text.Pattern(`[\p{L}]+`)

// MayLearn returns why a sentence may not be remembered, or nil.
func MayLearn(said string) error {
	low := kinds.Plain(strings.ReplaceAll(said, "’", "'"))
	low = righted(strings.Join(strings.Fields(low), " "))
	if slices.ContainsFunc(power(), func(p sieve) bool { return p.match(low) }) || obeying().MatchString(said) {
		return text.Tell("I don't remember claims about who owns or runs me, rights, or orders for everybody: that is " +
			"decided elsewhere. I do remember things about you.")
	}
	return nil
}
