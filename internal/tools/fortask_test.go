package tools

import (
	"context"
	"testing"
)

// TestForTask: a yes for a task covers what its server says does no harm, and of what it says
// nothing about, what is called something that only looks.
func TestForTask(t *testing.T) {
	lent := func(name string, h *Hints) Meta { return Meta{Name: "s__" + name, Lent: Lent{Server: "s", Hints: h}} }
	firm := lent("get_it", nil)
	firm.Firm = true
	for what, tt := range map[string]struct {
		meta Meta
		want bool
	}{
		"ours":             {Meta{Name: "get_it"}, false},
		"looks":            {lent("get_it", nil), true},
		"looks, in camels": {lent("getUser", nil), true},
		"looks, shouting":  {lent("GET_USER", nil), true},
		"looks, prefixed":  {lent("s-list-all", nil), true},
		"getter":           {lent("getter", nil), false},
		"deletes a list":   {lent("delete_list", nil), false},
		"pays":             {lent("pay", nil), false},
		"says only a name": {lent("get_it", &Hints{Title: "Get it", Destructive: true, OpenWorld: true}), true},
		"says it deletes":  {lent("get_it", &Hints{Destructive: true, Detailed: true}), false},
		"says it reaches":  {lent("get_it", &Hints{OpenWorld: true, Detailed: true}), false},
		"says it adds":     {lent("write", &Hints{Detailed: true}), true},
		"the owner asks":   {firm, false},
		"numbers":          {lent("1", nil), false},
	} {
		if got := tt.meta.ForTask(); got != tt.want {
			t.Errorf("%s: %t", what, got)
		}
	}
	set := NewSet(Func(Meta{Name: "s__get_it", Description: "d", Category: Web, SideEffect: true, Lent: Lent{Server: "s"}},
		func(context.Context, Call, struct{}) (Result, error) { return Result{}, nil }))
	if spec, _ := set.Careful().Lookup("s__get_it"); spec.ForTask() {
		t.Error("a turn that nobody asked for may be allowed")
	}
}
