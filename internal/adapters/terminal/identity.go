package terminal

import (
	"regexp"
	"strings"

	"parley/internal/chat"
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Identity is the grammar of the terminal's ids: people there choose their own.
var Identity = chat.Identity{
	Platform: platform,
	Person:   nameForm.MatchString,
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
