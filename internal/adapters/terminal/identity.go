package terminal

import (
	"strings"

	"parley/internal/chat"
	"parley/internal/text"
)

var nameForm = text.Pattern(`^[A-Za-z0-9._-]{1,64}$`)

// Identity is the grammar of the terminal's ids: people there choose their own.
var Identity = chat.Identity{
	Platform: platform,
	Person:   func(id string) bool { return nameForm().MatchString(id) },
	People:   []string{"terminal:NAME"},
}

// Local is the User.ID of the person at the machine.
const Local = platform + ":local"

// UserID completes a User.ID as people write it at the terminal, where an id without
// a platform belongs to this one. "" stays "".
func UserID(id string) string {
	if id == "" || strings.Contains(id, ":") {
		return id
	}
	return platform + ":" + id
}
