package transcript

import (
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/provenance"
	"parley/internal/text"
)

// Label makes a display name harmless: authority never comes from it, and it
// must not look like a role.
func Label(name string) string { return provenance.Label(text.Plain(name)) }

// OriginOf returns whose words an entry is made of, its author's included.
func OriginOf(e memory.Entry) provenance.Origin {
	if e.Role == llm.RoleTool {
		return e.Origin
	}
	return e.Origin.Of(e.User)
}

// Origin returns whose words a summary of entries is made of.
func Origin(entries []memory.Entry) (all provenance.Origin) {
	for _, e := range entries {
		o := OriginOf(e)
		if e.Role == llm.RoleAssistant {
			o.Via = 0 // of what it read, which stands beside it
		}
		all = all.And(o)
	}
	return all
}

// Speaker returns a person as transcripts name them: by a name that says nothing, and
// a sign that nobody can take on.
func Speaker(name, user string) string { return Label(name) + provenance.Sign(user) }

// Full returns what an entry's author sent: words, and what came with them.
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

// Called reports whether the summarizer means a person by a name: with the sign,
// or without it where nobody else in the transcript has that name.
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
