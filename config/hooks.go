package config

// Hook is a webhook: another program that tells the bot something.
type Hook struct {
	Name     string `yaml:"name" form:"name" doc:"what it is called; its sender sends to /hooks/NAME"`
	Secret   Secret `yaml:"secret" form:"hook_secret" doc:"key of the sender's signature (X-Hub-Signature-256 and its like, Stripe-Signature), or its bearer token; at least 16 characters"`
	Place    string `yaml:"place" form:"spot" doc:"where it speaks: discord:123456789, or telegram:-1001234 with /TOPIC for a topic"`
	Direct   bool   `yaml:"direct" default:"false" doc:"place is a chat with one person"`
	Do       string `yaml:"do" default:"say" one:"say|ask|keep" doc:"say what it brings, ask the agent about it as nobody's words, or only keep it, so that people can ask what came"`
	Template string `yaml:"template" doc:"text with expressions of the JSON between {{ and }}, such as {{body.action}}; with none, all of it; see docs/hooks.md"`
}

// shortestKey is how long the secret of a webhook is at least.
const shortestKey = 16

// badKey checks the secret of a webhook.
func badKey(secret string) *Error {
	switch {
	case secret == "":
		return wrong(wordsIsMissing)
	case len(secret) < shortestKey:
		return wrong("is too short").hint("at least %d characters: openssl rand -hex 20 makes one", shortestKey)
	}
	return nil
}

// badSpot checks the place of a webhook.
func badSpot(place string, ids IDs) *Error {
	if place == "" {
		return wrong(wordsIsMissing)
	}
	if !isDesk(place, ids) {
		return wrong(wordsIs, place).hint("a place such as discord:123456789 or telegram:-1001234")
	}
	return nil
}
