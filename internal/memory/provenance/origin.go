package provenance

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Via is the set of ways by which words came, as it is stored.
type Via uint16

// The ways. A row has all that apply. They are never removed.
const (
	ViaTyped     Via = 1 << iota // written to the bot by their author
	ViaEdited                    // edited by their author
	ViaVoice                     // spoken by their author
	ViaQuoted                    // with a quotation of somebody else
	ViaForwarded                 // forwarded
	ViaPicture                   // with a picture
	ViaFile                      // with a file, or a file name
	ViaShared                    // a contact, a venue, a poll: names that others gave
	ViaPage                      // a web page or web search
	ViaServer                    // a tool server, or a tool with unknown sources
	ViaNote                      // a note or code that others may write
	ViaPerson                    // people's words, found in memory
	ViaUnknown                   // stored before ways were recorded

	viaOwn = ViaTyped | ViaEdited | ViaVoice
)

// ViaImported is how words come from what another program exported: in a file, and nobody
// knows how before. They command nothing and teach no facts.
const ViaImported = ViaFile | ViaUnknown

// ViaOverheard is, of what a person wrote, that they said it to other people, where the bot
// read along. Nothing else that a person wrote came so.
const ViaOverheard = ViaPerson

// Outside reports whether words did not come from their author alone.
func (v Via) Outside() bool { return v&^viaOwn != 0 }

// Anybody stands for unknown people in Origin.People.
const Anybody = "*"

// Origin says from where words come besides their author. It decides what they may cause,
// and who can have them forgotten. The zero Origin means the author alone.
type Origin struct {
	Via Via `json:"via,omitempty"`
	// People are those whose words were used, sorted.
	People []string `json:"people,omitempty"`
}

// Outside reports whether words came from anybody or anything but one person.
func (o Origin) Outside(user string) bool {
	return o.Via.Outside() || slices.ContainsFunc(o.People, func(p string) bool { return p != user })
}

// And returns the origin of a text made of both.
func (o Origin) And(p Origin) Origin {
	return Origin{o.Via | p.Via, merged(o.People, p.People)}
}

// Of adds people.
func (o Origin) Of(people ...string) Origin {
	o.People = merged(o.People, people)
	return o
}

// But removes one of the people: the author of the row.
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

// Names returns the people as they are stored: a JSON list, "" for none.
func (o Origin) Names() string {
	if len(o.People) == 0 {
		return ""
	}
	b, _ := json.Marshal(o.People) // strings: cannot fail
	return string(b)
}

// Names scans the column people.
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

// MorePeople returns the SQL for the column people with those of a parameter added.
func MorePeople(parameter string) string {
	return "iif(" + parameter +
		" = '', people, (SELECT json_group_array(value) FROM (SELECT value FROM json_each(iif(people = '', '[]', people)) " +
		"UNION SELECT value FROM json_each(" + parameter + ")) said))"
}
