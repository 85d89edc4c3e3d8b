package review

import "parley/internal/text"

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

// claims reports whether an answer says that something was done.
func claims(answer string) bool { return claimed().MatchString(flat(answer)) }
