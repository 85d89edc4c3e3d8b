package chat

import (
	"slices"
	"strconv"
	"strings"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Identity is the grammar of one platform's ids, which its adapter supplies.
// Permissions depend on ids, so an id that passes must name one person or place
// for good: no name that somebody else can take, and only one spelling.
type Identity struct {
	Platform string
	// Person reports whether an id, without the platform, can be a person's.
	Person func(id string) bool
	// Place reports whether an id, without the platform, is a place that can be
	// let in as a whole ("chat:-100"); nil for a platform without places.
	Place func(id string) bool
	// Shared maps ids that many people write under to who they are.
	Shared map[string]string
	// Numeric is true if a person's id is a number, which somebody might type
	// without the platform.
	Numeric bool
	// People and Places are how ids are written, as examples.
	People, Places []string
}

// Identities are the grammars of all platforms.
type Identities []Identity

// CutID splits a User.ID into the platform and the id there.
func CutID(userID string) (platform, id string) {
	platform, id, _ = strings.Cut(userID, ":")
	return platform, id
}

// PlaceID returns the id of the channel of k, as settings and grants name it; threads
// belong to it.
func PlaceID(k Key) string { return k.Platform + ":chat:" + k.Channel }

// ServerID returns the id of a server, as settings and grants name it.
func ServerID(platform, guild string) string { return platform + ":guild:" + guild }

// DirectKey returns the conversation of a person with the bot, on a platform
// where that has the person's id.
func DirectKey(userID string) Key {
	platform, id := CutID(userID)
	return Key{Platform: platform, Channel: id}
}

// Person explains why an id does not name one person, and how it should read;
// both are nil for a good id.
func (l Identities) Person(id string) (problem, hint error) {
	if l.place(id) {
		return text.Tell("%q is a place, and an owner is a person", id), such(l.people(true))
	}
	return l.Entry(id)
}

// Entry is Person for lists that may also contain places.
func (l Identities) Entry(id string) (problem, hint error) {
	platform, local := CutID(id)
	i := slices.IndexFunc(l, func(one Identity) bool { return one.Platform == platform })
	switch {
	case i >= 0 && l[i].Shared[local] != "":
		return text.Tell("%s stands for %s", id, catalog.Words(l[i].Shared[local])), text.Tell("use the numeric id of one person")
	case id == "*" || strings.HasSuffix(id, ":*"):
		return text.Tell("%q would let everybody in", id), text.Tell("access.mode open says that, if you mean it")
	case i >= 0 && l[i].Person(local), l.place(id):
		return nil, nil
	case IsNumber(id):
		var scoped []string
		for _, one := range l {
			if one.Numeric {
				scoped = append(scoped, one.Platform+":"+id)
			}
		}
		return text.Tell("%q does not say on which platform", id), such(scoped)
	}
	return text.Tell("%q is not a numeric id; names can be taken over by others", id), such(l.examples())
}

// Has reports whether a platform is one of these.
func (l Identities) Has(platform string) bool {
	return slices.ContainsFunc(l, func(one Identity) bool { return one.Platform == platform })
}

func such(examples []string) error { return text.Tell("for example %s", strings.Join(examples, ", ")) }

// Oneself reports whether m's author is one certain person, as opposed to an id
// that many can write under. It also works for platforms without a grammar here.
func (l Identities) Oneself(m Message) bool {
	platform, local := CutID(m.From.ID)
	if platform != m.Key.Platform && m.Key.Platform != Programs || local == "" || strings.Contains(local, ":") {
		return false
	}
	return !slices.ContainsFunc(l, func(one Identity) bool { return one.Platform == platform && one.Shared[local] != "" })
}

func (l Identities) place(id string) bool {
	platform, local := CutID(id)
	return slices.ContainsFunc(l, func(one Identity) bool {
		return one.Platform == platform && one.Place != nil && one.Place(local)
	})
}

func (l Identities) people(numeric bool) (list []string) {
	for _, one := range l {
		if one.Numeric == numeric {
			list = append(list, one.People...)
		}
	}
	return list
}

func (l Identities) examples() []string {
	list := l.people(true)
	for _, one := range l {
		list = append(list, one.Places...)
	}
	return append(list, l.people(false)...)
}

// IsNumber reports whether an id is a positive 64-bit number in its only spelling.
func IsNumber(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > 0 && strconv.FormatInt(n, 10) == id
}
