package transcript

import (
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// Label makes a display name harmless: it gives no authority and must not look like a role.
func Label(name string) string { return provenance.Label(text.Plain(name)) }

// OriginOf returns the origin of an entry, including its author.
func OriginOf(e memory.Entry) provenance.Origin {
	if e.Role == llm.RoleTool {
		return e.Origin
	}
	return e.Origin.Of(e.User)
}

// Origin returns the origin of a summary of entries.
func Origin(entries []memory.Entry) (all provenance.Origin) {
	for _, e := range entries {
		o := OriginOf(e)
		if e.Role == llm.RoleAssistant {
			o.Via = 0 // the entries that it read count themselves
		}
		all = all.And(o)
	}
	return all
}

// Speaker returns the name of a person in transcripts, with a sign that nobody can imitate.
func Speaker(name, user string) string { return Label(name) + provenance.Sign(user) }

// Full returns the words of an entry, and what was attached.
func Full(e memory.Entry) string {
	said := provenance.Shown(e.Content, e.Origin.Via)
	switch {
	case e.Attached == "":
		return said
	case e.Content == NoText:
		return e.Attached
	}
	return said + "\n" + e.Attached
}

// Called reports whether a name in a summary means a person: with the sign, or without it if
// nobody else in the transcript has the name.
func Called(entries []memory.Entry, person, user string) bool {
	bare := true
	for _, e := range entries {
		if e.Role != llm.RoleUser {
			continue
		}
		if e.User == user && person == Speaker(e.Name, user) {
			return true
		}
		bare = bare && (Label(e.Name) == Label(person)) == (e.User == user)
	}
	return bare
}
