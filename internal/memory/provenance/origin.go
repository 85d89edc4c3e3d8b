package provenance

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Via is through what words came: a set of ways, as it is stored.
type Via uint16

// The ways. A row has all that apply; an edit adds, and nothing takes away.
const (
	ViaTyped     Via = 1 << iota // their author wrote them, to the bot
	ViaEdited                    // and wrote them anew
	ViaVoice                     // their author spoke them
	ViaQuoted                    // with somebody else's words below them
	ViaForwarded                 // their author only passed them on
	ViaPicture                   // with a picture
	ViaFile                      // with a file, or what is called one
	ViaShared                    // a contact, a venue, a poll: names that others gave
	ViaPage                      // a page or a search
	ViaServer                    // a tool server, or a tool of unknown ways
	ViaNote                      // a note or code that others may write
	ViaPerson                    // what people said, found again
	ViaUnknown                   // stored before this was kept

	viaOwn = ViaTyped | ViaEdited | ViaVoice
)

// Outside reports whether words came by a way that is not their author's own.
func (v Via) Outside() bool { return v&^viaOwn != 0 }

// Anybody stands among people where it is not known whose words were used.
const Anybody = "*"

// Origin is where words come from besides their author: it decides what they
// may bring about, and who has them forgotten. The zero Origin is nowhere else.
type Origin struct {
	Via Via `json:"via,omitempty"`
	// People are those whose words these were made of, sorted.
	People []string `json:"people,omitempty"`
}

// Outside reports whether the words are not wholly those of one person.
func (o Origin) Outside(user string) bool {
	return o.Via.Outside() || slices.ContainsFunc(o.People, func(p string) bool { return p != user })
}

// And returns the origin of what is made of both.
func (o Origin) And(p Origin) Origin {
	return Origin{o.Via | p.Via, merged(o.People, p.People)}
}

// Of adds people to those whose words were used.
func (o Origin) Of(people ...string) Origin {
	o.People = merged(o.People, people)
	return o
}

// But leaves out one of the people: the author of the row.
func (o Origin) But(user string) Origin {
	o.People = slices.DeleteFunc(slices.Clone(o.People), func(p string) bool { return p == user })
	return o
}

func merged(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(p string) bool { return p == "" })
}

// Names returns the people as rows hold them: a JSON list, "" for none.
func (o Origin) Names() string {
	if len(o.People) == 0 {
		return ""
	}
	b, _ := json.Marshal(o.People) // strings: cannot fail
	return string(b)
}

// Names is the column people, as it is read.
type Names []string

// Scan implements sql.Scanner.
func (n *Names) Scan(stored any) error {
	*n = nil
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("people of a row: %T is no text", stored)
	}
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), (*[]string)(n)); err != nil {
		return fmt.Errorf("people of a row: %w", err)
	}
	return nil
}

// MorePeople returns in SQL the column people with those of a parameter added.
func MorePeople(parameter string) string {
	return "iif(" + parameter +
		" = '', people, (SELECT json_group_array(value) FROM (SELECT value FROM json_each(iif(people = '', '[]', people)) " +
		"UNION SELECT value FROM json_each(" + parameter + ")) said))"
}
