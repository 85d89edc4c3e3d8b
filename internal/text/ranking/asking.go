package ranking

import (
	"strings"

	"parley/internal/text"
)

// Letters that Go's \b does not know need a border of their own.
const (
	begins = `(?:^|[^\p{L}])`
	ends   = `(?:$|[^\p{L}])`
)

var (
	// asksBot finds questions about what the assistant said: "what did you recommend".
	asksBot = text.Pattern(`(?i)` + begins + `(?:` + strings.Join([]string{
		`(?:did|have|had) you`, `you (?:said|told|suggested|recommended|gave|advised|mentioned|explained|wrote)`,
		`your (?:advice|suggestion|recommendation|answer)`,
		`(?:hast|hattest) du|(?:haben|hatten) sie|du (?:mir|uns)|(?:dein|ihr) (?:rat|vorschlag)`,
		`(?:me |nos )?(?:dijiste|recomendaste|sugeriste|aconsejaste|explicaste|contaste)|tu (?:consejo|respuesta)`,
		`(?:as-tu|avez-vous|tu m'as|tu as|vous m'avez|vous avez)|(?:ton|votre) conseil`,
		`(?:ты|вы) (?:мне |нам )?(?:сказал|говорил|советовал|посоветовал|рекомендовал|предложил|предлагал|писал)\p{L}*`,
	}, "|") + `)` + ends + `|你.{0,6}(?:说|推荐|建议|告诉|提到|解释)`)

	// asksOwn finds questions about who asks.
	asksOwn = text.Pattern(`(?i)` + begins + `(?:i|me|my|mine|we|our|us|ich|mir|mich|mein\p{L}*|wir|uns|unser\p{L}*|yo|mi|mis|mí|nosotros|` +
		`nuestr\p{L}*|je|j'|m'|mon|ma|mes|nous|notre|nos|я|мне|меня|мой|моя|моё|мои|моего|моей|мы|нам|нас|наш\p{L}*)` + ends + `|我`)

	// ordering finds wishes for all answers: a sentence that begins with "always", a
	// preference.
	ordering = text.Pattern(`(?im)(?:^|[.!?:。！？] *)(?:please |bitte |por favor,? |s'il (?:te|vous) plaît,? |пожалуйста,? |请)?` +
		`(?:always|never|from now on|immer|niemals|ab jetzt|siempre|nunca|toujours|jamais|всегда|никогда|总是|永远|以后)|` +
		begins + `(?:i|i'd|i would|i really) (?:prefer|rather)|ich bevorzuge|mir ist lieber|prefiero|je préfère|предпочитаю|我更喜欢`)
)
