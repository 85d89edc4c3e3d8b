// Package policy applies the owner's rules on who may use a tool, and when it asks. It
// knows neither people nor places.
package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/internal/text"
	"parley/internal/tools"
)

// Rule is the owner's policy for a tool, or for all tools that match a pattern: an item of
// tools.policy.
type Rule struct {
	Name   string // a tool, or a pattern with *
	Who    string // default, everyone, admins or owner: hidden from everybody else
	Ask    string // default, or a tools.Asking
	Public bool   // what it returns is no secret
}

// List is all of them.
type List []Rule

// For returns the most specific policy for a tool: its exact name, or else the
// longest pattern that matches; ok is false for none.
func (l List) For(tool string) (p Rule, ok bool) {
	for _, q := range l {
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

// Apply returns a set under the policies. Without one, a server's tool that
// changes something always asks: nobody here knows what it does. With a claim
// that it does not, the claim decides.
func (l List) Apply(set tools.Set) tools.Set {
	return set.Under(func(s tools.Spec) tools.Spec {
		if s.Server != "" && !s.ReadOnly && s.Claim == nil {
			s.Asking = tools.AskAlways
		}
		p, ok := l.For(s.Name)
		if ok && p.Ask != "default" {
			s.Asking = tools.Asking(p.Ask)
			s.Firm, s.Who = s.Asking == tools.AskAlways, "everyone" // whoever says when it asks has thought of it
		}
		s.Public = s.Public || p.Public
		if ok && p.Who != "default" {
			s.Who = p.Who
		}
		return s
	})
}

// Check reports a policy for a tool that does not and cannot exist: names are
// those of the tools at hand, servers those of the tool servers.
func (l List) Check(names, servers []string) error {
	for _, p := range l {
		if err := Known("tools.policy", p.Name, names, servers); err != nil {
			return err
		}
	}
	return nil
}

// Named is Known for a setting that takes no patterns.
func Named(setting, name string, names, servers []string) error {
	if strings.ContainsAny(name, `*?[\`) {
		return fmt.Errorf("%s: %q is a pattern, and each tool must be named here", setting, name)
	}
	return Known(setting, name, names, servers)
}

// Known reports that a setting names a tool, or has a pattern, that fits none at hand
// and none that a server may have.
func Known(setting, pattern string, names, servers []string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%s: %q is no pattern: use letters and *", setting, pattern)
	}
	fits := slices.ContainsFunc(names, func(n string) bool { ok, _ := path.Match(pattern, n); return ok })
	for _, s := range servers {
		server, _, _ := strings.Cut(pattern, "__")
		ok, _ := path.Match(server, s)
		fits = fits || ok || strings.HasPrefix(s, strings.TrimSuffix(server, "*"))
	}
	if fits {
		return nil
	}
	hint := ""
	if near := text.Nearest(pattern, names); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return fmt.Errorf("%s: there is no tool %q%s (tools of a server are called SERVER__TOOL)", setting, pattern, hint)
}
