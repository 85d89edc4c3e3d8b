package matrix

import (
	"strings"

	"parley/internal/chat"
	"parley/internal/text"
)

// Platform is the first word of every Key and User ID made here.
const Platform = "matrix"

// maxID is the longest id of Matrix, in bytes.
const maxID = 255

var (
	personForm = text.Pattern(`^@[a-z0-9._=/+-]+:[a-z0-9.-]+(:[0-9]{1,5})?$`)
	roomForm   = text.Pattern(`^![A-Za-z0-9._~=+/-]+(:[a-z0-9.-]+(:[0-9]{1,5})?)?$`)
)

// Identity is the grammar of Matrix's ids. A server may give the name of a deleted account to
// nobody else.
var Identity = chat.Identity{
	Platform: Platform,
	Person:   func(id string) bool { return len(id) <= maxID && personForm().MatchString(id) },
	Place: func(id string) bool {
		room, ok := strings.CutPrefix(id, "chat:")
		return ok && len(room) <= maxID && roomForm().MatchString(room)
	},
	People: []string{"matrix:@anna:example.org"},
	Places: []string{"matrix:chat:!room:example.org"},
}

// A Key ends its Channel at the first "/", which ids may contain.
var (
	intoKey = strings.NewReplacer("%", "%25", "/", "%2F")
	fromKey = strings.NewReplacer("%25", "%", "%2F", "/")
)

// place returns the conversation of a room, or of one of its threads.
func place(room, thread string) chat.Key {
	return chat.Key{Platform: Platform, Channel: intoKey.Replace(room), Thread: thread}
}

// user returns who has a Matrix id.
func user(id, name string) chat.User {
	if name == "" {
		name = localpart(id)
	}
	return chat.User{ID: Platform + ":" + id, Name: name}
}

// localpart returns "anna" of "@anna:example.org".
func localpart(id string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(id, "@"), ":")
	return name
}
