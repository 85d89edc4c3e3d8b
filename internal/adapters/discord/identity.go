package discord

import (
	"strings"

	"parley/internal/chat"
)

// Identity is the grammar of Discord's ids. Names can change hands.
var Identity = chat.Identity{
	Platform: Platform,
	Numeric:  true,
	Person:   chat.IsNumber,
	Place: func(id string) bool {
		kind, number, ok := strings.Cut(id, ":")
		return ok && (kind == "guild" || kind == "chat") && chat.IsNumber(number)
	},
	People: []string{"discord:1234"},
	Places: []string{"discord:guild:99…"},
}
