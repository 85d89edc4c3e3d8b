package app

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/config"
	"parley/internal/admin"
	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/tools"
)

// policyFor returns the most specific of the owner's policies for a tool: its exact
// name, or else the longest pattern that matches; ok is false for none.
func policyFor(list []config.ToolPolicy, tool string) (p config.ToolPolicy, ok bool) {
	for _, q := range list {
		fits, _ := path.Match(q.Name, tool) // a bad one was refused at startup
		switch {
		case q.Name == tool:
			return q, true
		case fits && (!ok || len(q.Name) > len(p.Name)):
			p, ok = q, true
		}
	}
	return p, ok
}

// ruled returns a set under the owner's policies. Without a policy, a server's tool
// that changes something always asks: nobody here knows what it does.
func (t *toolset) ruled(set tools.Set) tools.Set {
	return set.Under(func(s tools.Spec) tools.Spec {
		if s.Server != "" && !s.ReadOnly {
			s.Asking = tools.AskAlways
		}
		p, ok := policyFor(t.cfg.Tools.Policy, s.Name)
		if ok && p.Ask != "default" {
			s.Asking = tools.Asking(p.Ask)
		}
		if ok && p.Who != "everyone" {
			s.Who = p.Who
		}
		return s
	})
}

// leastRole returns the lowest role that may use a tool.
func leastRole(s tools.Spec) admin.Role {
	return map[string]admin.Role{"admins": admin.Admin, "owner": admin.Owner}[s.Who]
}

// personal returns a set for m's author in m's place: without tools that they may not
// use, and without a question for tools that the owner has always allowed there.
func (t *toolset) personal(ctx context.Context, m chat.Message, set tools.Set) (tools.Set, error) {
	allowed, err := t.toolbox.store.Allowed(ctx, m.Key)
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
	if !slices.ContainsFunc(set.All(), func(s tools.Spec) bool { return s.Who != "" }) {
		return set, nil
	}
	role, err := t.toolbox.people.gate.Role(ctx, m)
	if err != nil {
		return set, fmt.Errorf("who may use which tools: %w", err)
	}
	var hidden []string
	for _, s := range set.All() {
		if leastRole(s) > role {
			hidden = append(hidden, s.Name)
		}
	}
	if len(hidden) == 0 {
		return set, nil
	}
	return findable(set.Without(append(hidden, tools.FindName)...)), nil
}

// checkPolicies reports a policy for a tool that does not and cannot exist.
func (t *toolset) checkPolicies() error {
	names := t.own.Names()
	for _, p := range t.cfg.Tools.Policy {
		if _, err := path.Match(p.Name, ""); err != nil {
			return fmt.Errorf("tools.policy: %q is no pattern: use letters and *", p.Name)
		}
		fits := slices.ContainsFunc(names, func(n string) bool { ok, _ := path.Match(p.Name, n); return ok })
		for _, s := range t.cfg.MCP.Servers {
			server, _, _ := strings.Cut(p.Name, "__")
			ok, _ := path.Match(server, s.Name)
			fits = fits || ok || strings.HasPrefix(s.Name, strings.TrimSuffix(server, "*"))
		}
		if fits {
			continue
		}
		hint := ""
		if near := text.Nearest(p.Name, names); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return fmt.Errorf("tools.policy: there is no tool %q%s (tools of a server are called SERVER__TOOL)", p.Name, hint)
	}
	return nil
}
