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
		"1087968824": "every anonymous group administrator",
		"777000":     "every channel that posts into its group",
		"136817688":  "everybody who writes as a channel",
	},
	People: []string{"telegram:42"},
	Places: []string{"telegram:chat:-100…"},
}
