package telegram

import (
	"strings"

	"parley/internal/chat"
)

// Identity is the grammar of Telegram's ids. Usernames can change hands.
var Identity = chat.Identity{
	Platform: platform,
	Numeric:  true,
	Person:   chat.IsNumber,
	Place: func(id string) bool {
		group, ok := strings.CutPrefix(id, "chat:-")
		return ok && chat.IsNumber(group)
	},
	Shared: map[string]string{
		"1087968824": wordsAnonymous,
		"777000":     wordsEveryChannel,
		"136817688":  wordsAsChannel,
	},
	People: []string{"telegram:42"},
	Places: []string{"telegram:chat:-100…"},
}
