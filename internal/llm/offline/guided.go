package offline

import (
	"strings"

	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// What the playbook writes into the request about the step of a journey, as
// far as it can be said without a model: internal/playbook/guidance.md
// has the words, and config/rehearsals/offline.txt holds the two together.
var (
	standsAt = text.Pattern(`(?m)^## Where the conversation stands\n.*at the step "(.*?)"\..*\n(.*)`)
	asksFor  = text.Pattern(`(?m)^## Ask for one thing\nNot known yet: (.*?)\.(?: For example: "(.*)")?$`)
	notTaken = text.Pattern(`(?m)^What they gave was not taken: (.*)\. Say so kindly`)
)

// guided asks what the playbook wants asked, word for word, or says at which
// step the conversation is and what the owner wrote about it; "" when no
// journey is under way and nothing is to be asked.
func guided(p catalog.Printer, r llm.Request) string {
	i := len(r.Messages) - 1
	for i > 0 && r.Messages[i].Role != llm.RoleSystem {
		i--
	}
	told := r.Messages[max(i, 0)].Content
	if ask := asksFor().FindStringSubmatch(told); ask != nil {
		question := ask[2]
		if question == "" {
			question = p.Say("Please tell me %s.", ask[1])
		}
		if wrong := notTaken().FindStringSubmatch(told); wrong != nil {
			question = p.Say("I could not take that: %s. %s", wrong[1], question)
		}
		return question
	}
	step := standsAt().FindStringSubmatch(told)
	switch {
	case step == nil:
		return ""
	case step[2] == "" || strings.HasPrefix(step[2], "## "):
		return p.Say("We are at “%s”.", step[1])
	}
	return p.Say("We are at “%s”. No language model is connected, so I can only show what is meant to happen here: %s", step[1], step[2])
}
