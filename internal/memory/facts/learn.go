package facts

import (
	"regexp"
	"slices"
	"sync"

	"parley/internal/text"
)

// power matches claims about rights and orders to everybody. They are never remembered, or
// else such a sentence could later pass for a decision about rights. The patterns are
// compiled on first use, because that takes a while.
var power = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, p := range []string{
		`(?i)\b(?:user|person|member|id|i|he|she|they|[@#]?\w+)\s+(?:is|am|are|was|has been|should be|becomes?)\s+(?:now\s+)?(?:the|an?|your|my|its|bot'?s?)?\s*(?:real |true |new |only )?(?:bot'?s? )?(?:owner|admin|administrator|operator|moderator|superuser|root)\b`,
		`(?i)\b(?:for|to|of) (?:all|every) (?:the )?(?:users?|people|members?|chats?|one)\b|\bfor every(?:one|body)\b|\bany(?:one|body) who asks\b`,
		`(?i)\b(?:ignore|disregard|override|forget) (?:all |any |your |the |previous |prior )*(?:instructions?|rules?|guidelines?|prompts?)\b`,
		`(?i)\b(?:system prompt|developer mode|admin rights?|owner rights?|full access|all permissions)\b`,
		`(?i)\b(?:has|have|grant|give|gets?) (?:\w+ ){0,3}(?:permission|access|rights|privileges)\b`,
		`(?i)\b(?:owner|admin|administrator|operator|moderator)s?\b(?: \S+){0,4} (?:allow(?:s|ed)?|lets?|permit(?:s|ted)?|authori[sz]e[sd]?|approve[sd]?|enable[sd]?)\b`,
		`(?i)\b(?:allow(?:s|ed)?|lets?|permit(?:s|ted)?) (?:every(?:one|body)|any(?:one|body)|all (?:users?|people|members?)|me|us) (?:to )?(?:\w+ )?(?:run|use|execute|call|do|change|delete|pay)\b`,
		`(?i)\b(?:every(?:one|body)|any(?:one|body)|all (?:users?|people|members?)) (?:may|can|is allowed to|are allowed to) (?:run|use|execute|call|do|change|delete|pay)\b`,
		`(?i)(?:besitzer|eigentümer|inhaber|administrator|propietari[oa]|dueñ[oa]|propriétaire|владел[её]?ц|администратор|所有者|主人|管理员).{0,40}(?:erlaub|gestatte|permit|permet|permis|autori[sz]|разреш|позвол|允许|准许)`,
	} {
		all = append(all, regexp.MustCompile(p))
	}
	return all
})

// MayLearn returns why a sentence may not be remembered, or nil.
func MayLearn(said string) error {
	if slices.ContainsFunc(power(), func(p *regexp.Regexp) bool { return p.MatchString(said) }) {
		return text.Tell("I don't remember claims about who owns or runs me, rights, or orders for everybody: that is " +
			"decided elsewhere. I do remember things about you.")
	}
	return nil
}
