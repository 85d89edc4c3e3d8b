package agent

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"parley/internal/llm"
	"parley/internal/memory/facts"
	"parley/internal/text"
	"parley/internal/text/urls"
)

// A model that obeys outside text can put what it knows into an address and hope that
// somebody opens it. So a turn that has read outside text shows addresses that it
// made up as plain text: the person's own message is private by then. Private words
// in an address can be recognized as they are, but not when they are encoded. So every
// address is suspect unless the person or a tool brought it up, and so is a name
// alone, such as zx.example.com, where others than its owner may have chosen a part.

// defanged returns an answer with its suspect addresses made harmless.
func (t *turn) defanged(answer string) string {
	if !t.trust.guarded() {
		return answer
	}
	answer, _ = text.Strip(answer)
	answer = urls.Joined(answer)
	if t.trust.brought == nil {
		t.trust.brought = t.addresses()
	}
	return urls.Each(answer, func(a string) string {
		if t.trust.brought[a] || !strings.ContainsAny(a, "/?") && t.trust.brought[hostKey(a)] || t.innocent(a) {
			return a
		}
		return urls.Defang(a)
	})
}

// innocent reports whether an address leads where the person pointed, and contains no
// private word.
func (t *turn) innocent(a string) bool {
	u, err := url.Parse(full(a))
	if err != nil || u.User != nil || !slices.Contains(t.trust.taint.Hosts, text.Dialed(u.Hostname())) {
		return false
	}
	carried := u.Path + " " + u.RawQuery + " " + u.Fragment
	if s, err := url.QueryUnescape(carried); err == nil {
		carried = s
	}
	return !slices.ContainsFunc(t.private(), func(s string) bool { return facts.Contributes(s, carried, t.in.text) })
}

// full returns an address with its scheme.
func full(a string) string {
	if strings.Contains(a, "://") {
		return a
	}
	return "https://" + a
}

// hostKey is under which the host of an address counts as brought up.
func hostKey(a string) string { return "host " + text.Host(full(a)) }

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
		urls.Each(text, func(a string) string {
			for _, k := range []string{a, hostKey(a)} {
				in[k] = in[k] || !unless[k]
			}
			return a
		})
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
