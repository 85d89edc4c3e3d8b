package tools

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed find.md
var findText string

const (
	maxOffered    = 8    // tools offered by one call
	maxNamesShown = 1500 // bytes of names in the prompt
)

// FindName is the tool that finds the others.
const FindName = "find_tools"

// FindTools returns the tool find_tools. It knows the tools of set that are not
// core, lists them by name in its own description of the argument, and offers
// those asked for through Result.Offer, so that a prompt carries only what a
// conversation needs. With only core tools in set, ok is false: there is nothing to
// find.
func FindTools(set Set) (t Tool, ok bool) {
	var rest []Spec
	var names []string
	for _, s := range set.All() {
		if s.Core {
			continue
		}
		rest = append(rest, s)
		if s.Scope == nil || slices.Contains(s.Scope, "") {
			names = append(names, s.Name)
		}
	}
	if len(rest) == 0 {
		return nil, false
	}
	type args struct {
		Query string `json:"query"`
	}
	meta := Meta{Name: FindName, Words: "finds a tool that is not offered all the time",
		Description: strings.TrimSpace(findText), Category: About, ReadOnly: true, Core: true}
	listed, long := cut(strings.Join(names, ", "), maxNamesShown)
	if long {
		listed = listed[:strings.LastIndex(listed, ",")] + " and more"
	}
	meta.Refine = func(s *jsonschema.Schema) {
		s.Properties["query"].Description = "Names or words. Available: " + listed
	}
	return Func(meta, func(_ context.Context, c Call, a args) (Result, error) {
		allowed := func(s Spec) bool { return s.Scope == nil || slices.Contains(s.Scope, c.Agent) }
		found := matching(slices.DeleteFunc(slices.Clone(rest), func(s Spec) bool { return !allowed(s) }), a.Query)
		if len(found) == 0 {
			return Result{Content: "No tool fits. Answer with what you have, or say what you cannot do."}, nil
		}
		var b strings.Builder
		b.WriteString("You can now call:")
		r := Result{}
		for _, s := range found {
			fmt.Fprintf(&b, "\n- %s: %s", s.Name, s.Description)
			r.Offer = append(r.Offer, s.Name)
		}
		r.Content = b.String()
		return r, nil
	}), true
}

// matching ranks specs by the words of the query: a whole name first, then
// words in the name, then words in the description. At most maxOffered.
func matching(specs []Spec, query string) []Spec {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return strings.ContainsRune(" ,;\n\t\"'", r) })
	score := func(s Spec) (n int) {
		text := strings.ToLower(s.Description)
		for _, w := range words {
			switch {
			case w == s.Name:
				n += 100
			case len(w) > 2 && strings.Contains(s.Name, w):
				n += 10
			case len(w) > 3 && strings.Contains(text, w):
				n++
			}
		}
		return n
	}
	found := slices.DeleteFunc(slices.Clone(specs), func(s Spec) bool { return score(s) == 0 })
	slices.SortStableFunc(found, func(a, b Spec) int { return cmp.Compare(score(b), score(a)) })
	if len(found) > 0 && score(found[0]) >= 100 {
		found = slices.DeleteFunc(found, func(s Spec) bool { return score(s) < 100 })
	}
	return found[:min(len(found), maxOffered)]
}
