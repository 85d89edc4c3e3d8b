package tools

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Taint records what a turn has read, as far as that decides what the turn may still
// do. It is a value: the loop carries it and replaces it after every call.
// The zero Taint has read nothing.
type Taint struct {
	Outside bool // the turn read text from outside: pages, MCP results, forwarded messages
	Private bool // the turn holds private data: facts, notes, earlier conversation
	// Hosts may be reached whatever the turn holds: those the person typed
	// (TypedHosts) and those the operator allows. Lower case; a subdomain is
	// another host.
	Hosts []string
	// URLs are exact addresses from search results: the model did not build them.
	URLs []string
}

// And returns the taint of having read both.
func (t Taint) And(o Taint) Taint {
	return Taint{t.Outside || o.Outside, t.Private || o.Private, slices.Concat(t.Hosts, o.Hosts), slices.Concat(t.URLs, o.URLs)}
}

// Check decides whether the turn may make this call: "" if it may, NeedsYes if a
// person must agree first, NotAllowed if not even then. why is for the model.
func (t Taint) Check(s Spec, args json.RawMessage) (class Class, why string) {
	if s.Egress && t.Private {
		var a struct{ URL string }
		_ = json.Unmarshal(args, &a) // an unreadable address has no host
		host := hostOf(a.URL)
		switch {
		case host == "":
			return NotAllowed, wordBadHost
		case !slices.Contains(t.Hosts, host) && !slices.Contains(t.URLs, a.URL):
			return NotAllowed, fmt.Sprintf(wordHost, host)
		}
	}
	if asks := s.Asks(); asks == AskAlways || asks == AskOutside && t.Outside {
		return NeedsYes, wordConfirm
	}
	return "", ""
}

// After returns the taint once the turn has read o, the outcome of a call to s.
func (t Taint) After(s Spec, o Outcome) Taint {
	t.Outside = t.Outside || o.Result.Untrusted
	t.Private = t.Private || o.Result.Private
	if s.Category == Web && !s.Egress {
		t.URLs = slices.Clip(t.URLs)
		for _, source := range o.Result.Sources {
			if source.URL != "" {
				t.URLs = append(t.URLs, source.URL)
			}
		}
	}
	return t
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// TypedHosts lists the hosts in what a person typed: of addresses, and bare
// names with a dot such as example.org. Quoted and forwarded text is not typed.
func TypedHosts(text string) []string {
	var hosts []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || strings.ContainsRune("<>()[]{}\"'`|,;", r) }) {
		word = strings.TrimRight(word, ".:!?*_")
		if !strings.Contains(word, "://") {
			word = "https://" + word
		}
		host := hostOf(word)
		if strings.Contains(host, ".") && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// Step is a call as loop detection sees it.
type Step struct{ Name, Args string }

// Stuck reports whether the turn goes in circles: the last step was made three
// times in all with the same arguments, or the last four steps are two that
// take turns.
func Stuck(steps []Step) bool {
	n, same := len(steps), 0
	for _, s := range steps {
		if s == steps[n-1] {
			same++
		}
	}
	if same >= 3 {
		return true
	}
	return n >= 4 && steps[n-1] == steps[n-3] && steps[n-2] == steps[n-4]
}
