package agent

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"parley/internal/address"
	"parley/internal/facts"
	"parley/internal/llm"
	"parley/internal/text"
)

// A model that obeys outside text can put what it knows into an address and hope that
// somebody opens it. So a turn that has read outside text and holds private data shows
// addresses that it made up as plain text. Private words in an address can be
// recognized as they are, but not when they are encoded. So every address is suspect
// unless the person or a tool brought it up.

// defanged returns an answer with its suspect addresses made harmless.
func (t *turn) defanged(answer string) string {
	if !t.trust.guarded() {
		return answer
	}
	answer, _ = text.Strip(answer)
	answer = address.Joined(answer)
	if t.trust.brought == nil {
		t.trust.brought = t.addresses()
	}
	return address.Each(answer, func(a string) string {
		if t.trust.brought[a] || t.innocent(a) {
			return a
		}
		return address.Defang(a)
	})
}

// innocent reports whether an address leads where the person pointed, or is a bare name
// without a path, and contains no private word.
func (t *turn) innocent(a string) bool {
	full, bare := a, !strings.Contains(a, "://")
	if bare {
		full = "https://" + a
	}
	u, err := url.Parse(full)
	if err != nil || u.User != nil {
		return false
	}
	carried := u.Path + " " + u.RawQuery + " " + u.Fragment
	if !slices.Contains(t.trust.taint.Hosts, strings.ToLower(u.Hostname())) {
		if !bare || strings.ContainsAny(a, "?=&%") {
			return false
		}
		carried = u.Host + " " + carried
	}
	if s, err := url.QueryUnescape(carried); err == nil {
		carried = s
	}
	return !slices.ContainsFunc(t.private(), func(s string) bool { return facts.Contributes(s, carried, t.in.text) })
}

// private lists what the turn holds that only this person or place may know.
func (t *turn) private() []string {
	list := append([]string{t.context.known.notes}, t.trust.held...)
	for _, f := range t.context.known.facts {
		list = append(list, f.Content)
	}
	return list
}

// addresses returns those that people and tools brought up. What a tool only
// repeats after the model is the model's own.
func (t *turn) addresses() map[string]bool {
	brought, made := map[string]bool{}, map[string]bool{}
	note := func(in, unless map[string]bool, text string) {
		address.Each(text, func(a string) string { in[a] = in[a] || !unless[a]; return a })
	}
	for _, s := range append(t.private(), t.m.Quote) {
		note(brought, made, s)
	}
	for _, s := range t.sources.cited {
		note(brought, made, s.URL)
	}
	for _, e := range slices.Concat(t.context.window, t.context.added) {
		for _, c := range e.ToolCalls {
			var args any
			_ = json.Unmarshal([]byte(c.Args), &args) // what is no JSON was not run
			note(made, brought, fmt.Sprint(args))
		}
		if e.Role != llm.RoleAssistant {
			note(brought, made, e.Content)
		}
	}
	return brought
}
