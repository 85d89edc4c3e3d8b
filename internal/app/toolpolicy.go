package app

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/tools"
)

// leastRole returns the lowest role that may use a tool, or whose yes it takes.
func leastRole(s tools.Spec) gate.Role {
	if s.Over {
		return gate.Admin
	}
	return map[string]gate.Role{"admins": gate.Admin, "owner": gate.Owner}[s.Who]
}

// personal returns a set for m's author in m's place: without tools they may not use,
// without questions for tools an owner has allowed there, and with the author's right to
// decide on claims of servers.
func (t *toolset) personal(ctx context.Context, m chat.Message, set tools.Set) (tools.Set, error) {
	allowed, err := t.store.Access.Allowed(ctx, m.Key)
	if err != nil {
		return set, err
	}
	if len(allowed) > 0 {
		set = set.Under(func(s tools.Spec) tools.Spec {
			if slices.Contains(allowed, s.Name) {
				s.Asking = tools.AskNever
			}
			return s
		})
	}
	if set, err = t.overseen(ctx, m, set); err != nil {
		return set, err
	}
	if !set.Any(func(s tools.Spec) bool { return s.Who != "" || s.Claim != nil }) {
		return set, nil
	}
	role, err := t.people.gate.Role(ctx, m)
	if err != nil {
		return set, fmt.Errorf("who may use which tools: %w", err)
	}
	if role >= gate.Owner {
		set = set.Under(func(s tools.Spec) tools.Spec { s.Decides = s.Claim != nil; return s })
	}
	return hiding(set, func(s tools.Spec) bool { s.Over = false; return leastRole(s) > role }), nil
}

// overseen makes what reaches beyond m's author wait for the yes of somebody over them, if
// nobody has let them in and the owner has not said who may use it.
func (t *toolset) overseen(ctx context.Context, m chat.Message, set tools.Set) (tools.Set, error) {
	over := func(s tools.Spec) bool { return s.Who == "" && s.Foreign() && s.Asks() != tools.AskNever }
	if !set.Any(over) {
		return set, nil
	}
	if alone, err := t.people.gate.Unvouched(ctx, m); err != nil || !alone {
		return set, err
	}
	return set.Under(func(s tools.Spec) tools.Spec { s.Over = over(s); return s }), nil
}

// forHook is a set for words that nobody wrote: what changes something waits for the yes of
// an administrator or the owner, and what would be the author's own is not there.
func forHook(set tools.Set) tools.Set {
	set = hiding(set, func(s tools.Spec) bool { return !s.ReadOnly && !s.Foreign() })
	return set.Under(func(s tools.Spec) tools.Spec { s.Over = s.Over || !s.ReadOnly; return s })
}

// hiding returns a set without the hidden tools; find_tools finds the others.
func hiding(set tools.Set, hide func(tools.Spec) bool) tools.Set {
	var hidden []string
	for _, s := range set.All() {
		if hide(s) {
			hidden = append(hidden, s.Name)
		}
	}
	if len(hidden) == 0 {
		return set
	}
	return findable(set.Without(append(hidden, tools.FindName)...))
}
