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
// somebody opens it. So once a turn has read outside text, addresses that the model made up
// are shown as plain text. Private words in an address can be recognized as they are, but
// not when they are encoded. So every address is suspect unless the person or a tool brought
// it up; so is a bare host, such as zx.example.com, of which others than its owner may have
// chosen a part.

// links judges the addresses in what the model says.
type links struct {
	*job
	context *background
	trust   *trust
	sources *sources
	brought map[string]bool // addresses that people and tools brought up; nil before it is asked
}

// defanged returns an answer with its suspect addresses made harmless.
func (l *links) defanged(answer string) string {
	if !l.trust.guarded() {
		return answer
	}
	answer, _ = text.Strip(answer)
	answer = urls.Joined(answer)
	if l.brought == nil {
		l.brought = l.addresses()
	}
	return urls.Each(answer, func(a string) string {
		if l.brought[a] || !strings.ContainsAny(a, "/?") && l.brought[hostKey(a)] || l.innocent(a) {
			return a
		}
		return urls.Defang(a)
	})
}

// innocent reports whether an address leads to a host the person named, and has no private
// word in it.
func (l *links) innocent(a string) bool {
	u, err := url.Parse(full(a))
	if err != nil || u.User != nil || !slices.Contains(l.trust.taint.Hosts, text.Dialed(u.Hostname())) {
		return false
	}
	carried := u.Path + " " + u.RawQuery + " " + u.Fragment
	if s, err := url.QueryUnescape(carried); err == nil {
		carried = s
	}
	return !slices.ContainsFunc(l.private(), func(s string) bool { return facts.Contributes(s, carried, l.in.text) })
}

func full(a string) string {
	if strings.Contains(a, "://") {
		return a
	}
	return "https://" + a
}

// hostKey is the key under which an address's host counts as brought up.
func hostKey(a string) string { return "host " + text.Host(full(a)) }

// private lists what the turn holds that only this person or place may know.
func (l *links) private() []string {
	list := append([]string{l.context.known.notes}, l.trust.held...)
	for _, f := range l.context.known.facts {
		list = append(list, f.Content)
	}
	return list
}

// addresses returns those that people and tools brought up. What a tool repeats after the
// model is the model's own.
func (l *links) addresses() map[string]bool {
	brought, made := map[string]bool{}, map[string]bool{}
	note := func(in, unless map[string]bool, text string) {
		urls.Each(text, func(a string) string {
			for _, k := range []string{a, hostKey(a)} {
				in[k] = in[k] || !unless[k]
			}
			return a
		})
	}
	for _, s := range append(l.private(), l.m.Quote) {
		note(brought, made, s)
	}
	for _, s := range l.sources.cited {
		note(brought, made, s.URL)
	}
	for _, e := range slices.Concat(l.context.window, l.context.added) {
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
