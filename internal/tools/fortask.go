package tools

import (
	"slices"
	"strings"
	"unicode"
)

// looking are the words that the name of a tool begins with which says that it only looks.
var looking = []string{"browse", "count", "describe", "find", "get", "list", "look", "lookup", "read", "search", "show", "view"}

// ForTask reports whether a yes for the rest of a task may cover calls of the tool, which
// else ask one by one. It never covers what may delete, or reach beyond its server: the
// server's hints say so or, where it gives none, a name that does not say that the tool only
// looks. Both are the server's word, which a person takes for this task alone. What the owner
// wants asked each time, or has yet to decide about, is not covered either.
func (m Meta) ForTask() bool {
	switch {
	case m.Server == "" || m.Firm || m.Unsettled():
		return false
	case m.ReadOnly || m.Hints != nil && m.Hints.ReadOnly:
		return true
	case m.Hints != nil && m.Hints.Detailed:
		return !m.Hints.Destructive && !m.Hints.OpenWorld
	}
	return looks(m.Server, m.Name)
}

// Foreign reports whether a tool changes something beyond what is its caller's own: it
// belongs to a tool server or an HTTP service, which does not hint that it is harmless. Our
// own tools keep each to what is theirs.
func (m Meta) Foreign() bool {
	if m.Server == "" && !m.Egress || m.ReadOnly {
		return false
	}
	h := m.Hints
	return h == nil || !h.ReadOnly && !(h.Detailed && !h.Destructive && !h.OpenWorld)
}

// looks reports whether a tool's name says that it only looks: getUser, list_files.
func looks(server, name string) bool {
	name = strings.TrimPrefix(name, server+"__")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) > 1 && strings.EqualFold(words[0], server) { // github__github_list_issues
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	first := words[0]
	if i := strings.IndexFunc(first[1:], unicode.IsUpper); i >= 0 && strings.ToUpper(first) != first {
		first = first[:i+1]
	}
	return slices.Contains(looking, strings.ToLower(first))
}

// covered reports whether a yes for the task covers this call: one that would be asked about
// for nothing but what its tool is.
func (c Call) covered(s Spec, rule Ruling) bool {
	return rule.Class == NeedsYes && len(rule.Far) == 0 && s.ForTask() && slices.Contains(c.Allowed, s.Server)
}
