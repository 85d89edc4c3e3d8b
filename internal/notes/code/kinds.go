package code

import (
	"cmp"
	"strings"
)

// kinds are the kinds of universal-ctags that cut a file into parts. Others are minor,
// and unwanted ones are dropped.
var kinds = set(`function func method class struct interface trait enum union typedef type talias alias macro module namespace
	generator constructor methodSpec annotation prototype procedure subroutine singletonMethod getter setter table view trigger message service rpc
	signature functor record protocol object`)

// unwanted are kinds that define nothing, or nothing by a name that people know.
var unwanted = set(`package packageName include heading1 heading2 heading3 label implementation unknown import using local parameter anonMember id anchor
	title stylesheet script selector instance heredoc`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// symbol returns the symbol of a tag; ok is false for one that nobody looks for.
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

func byLine(a, b Symbol) int { return cmp.Compare(a.Line, b.Line) }
