package terminal

import (
	"regexp"
	"strings"

	"parley/internal/chat"
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Identity is the grammar of the terminal's ids: whoever sits there says who
// they are.
var Identity = chat.Identity{
	Platform: platform,
	Person:   nameForm.MatchString,
	People:   []string{"terminal:NAME"},
}

// Local is the User.ID of whoever sits at the machine.
const Local = platform + ":local"

// UserID returns a User.ID as people write it at the terminal, where one without a
// platform is a name of this one. "" stays.
func UserID(id string) string {
	if id == "" || strings.Contains(id, ":") {
		return id
	}
	return platform + ":" + id
}
