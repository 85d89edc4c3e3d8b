package code

import (
	"cmp"
	"slices"
	"strings"
)

// kinds are those of universal-ctags that cut a file into parts; the others that are
// kept are minor, and those below none at all.
var kinds = set(`function func method class struct interface trait enum union typedef type talias alias macro module namespace
	generator constructor methodSpec annotation prototype procedure subroutine singletonMethod getter setter table view trigger message service rpc
	signature functor record protocol object`)

// unwanted are no definitions, or not by a name that people know.
var unwanted = set(`package packageName include heading1 heading2 heading3 label implementation unknown import using local parameter anonMember id anchor
	title stylesheet script selector instance heredoc`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// symbol returns what a tag says; ok is false for none that people look for.
func (a answer) symbol() (s Symbol, ok bool) {
	if a.Name == "" || a.Line < 1 || unwanted[a.Kind] || strings.HasPrefix(a.Name, "__anon") || strings.HasPrefix(a.Name, "anonymous") {
		return s, false
	}
	owner := a.Scope
	if i := strings.LastIndexAny(owner, ".:"); i >= 0 {
		owner = owner[i+1:]
	}
	if strings.HasPrefix(owner, "__anon") || a.ScopeKind == "package" || a.ScopeKind == "packageName" {
		owner = ""
	}
	if word, sign, ok := strings.Cut(a.Name, "operator "); ok && word == "" && strings.ContainsAny(sign, "=<>+-*/%&|^!~[(,") {
		a.Name = "operator" + strings.ReplaceAll(sign, " ", "")
	}
	return Symbol{Name: a.Name, Owner: owner, Line: a.Line, Minor: !kinds[a.Kind]}, true
}

// sorted orders symbols by their lines.
func sorted(all []Symbol) []Symbol {
	slices.SortStableFunc(all, func(a, b Symbol) int { return cmp.Compare(a.Line, b.Line) })
	return all
}
