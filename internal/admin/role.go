package admin

import (
	"fmt"
	"regexp"
	"strings"

	"parley/internal/chat"
)

// Role is what a person may do at a place. Roles are ordered: each may do what
// the ones before it may.
type Role int

// The roles. Anyone is used in command tables only: it admits even a Stranger,
// where the zero Role there means Member.
const (
	Anyone   Role = iota - 1
	Stranger      // not let in
	Member        // may talk
	Admin         // a Member whom the platform vouches for as administrator of this place
	Owner         // runs this bot
)

// String is the role's name as people read it.
func (r Role) String() string {
	return [...]string{"anyone", "stranger", "member", "admin", "owner"}[min(max(r, Anyone), Owner)+1]
}

// terminal is the platform of people who sit at the machine itself.
const terminal = "terminal"

// ownersPage is the platform of the control page.
const ownersPage = "page"

// shared ids stand for whoever writes anonymously or for a channel
// (platforms.md A3): no authority can hang on them.
var shared = map[string]bool{
	"telegram:1087968824": true, // anonymous group administrator
	"telegram:777000":     true, // posts of a linked channel
	"telegram:136817688":  true, // on behalf of a channel
}

var (
	personID = regexp.MustCompile(`^(telegram|discord):[0-9]{1,20}$|^terminal:[A-Za-z0-9._-]{1,64}$`)
	placeID  = regexp.MustCompile(`^(telegram|discord):chat:-?[0-9]{1,20}$|^discord:guild:[0-9]{1,20}$`)
)

// checkID says why an entry of an access list cannot be used; nil when it can.
// Names are refused: anybody can take them.
func checkID(id string, placeToo bool) error {
	switch {
	case shared[id]:
		return fmt.Errorf("%s stands for many people, use the numeric id of one", id)
	case personID.MatchString(id), placeToo && placeID.MatchString(id):
		return nil
	case placeID.MatchString(id):
		return fmt.Errorf("%s is a place and an owner is a person, as telegram:42", id)
	}
	return fmt.Errorf("%q is not a platform-scoped numeric id like telegram:42, discord:1234, telegram:chat:-1001 or discord:guild:99", id)
}

// oneself tells whether m's author is one certain person, as opposed to an id
// that many can speak under.
func oneself(m chat.Message) bool {
	id, ok := strings.CutPrefix(m.From.ID, m.Key.Platform+":")
	return ok && id != "" && !shared[m.From.ID] && !strings.Contains(id, ":")
}

// places are the ids under which the place of m can be let in as a whole.
func places(m chat.Message) []string {
	ids := []string{placeOf(m.Key)}
	if m.Guild != "" {
		ids = append(ids, m.Key.Platform+":guild:"+m.Guild)
	}
	return ids
}

func placeOf(k chat.Key) string { return k.Platform + ":chat:" + k.Channel }
