package tools

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/internal/text/urls"
)

// wordsConfirm is said in more than one place.
const wordsConfirm = "Waiting for a yes: the person is asked now, and nothing was done yet. It is done only if a later result says so."

// Taint records what a turn has read, as far as that decides what the turn may still
// do. It is a value: the loop carries it and replaces it after every call.
// The zero Taint has read nothing.
type Taint struct {
	Outside bool // the turn read text from outside: pages, MCP results, forwarded messages
	Private bool // the turn holds private data: facts, notes, earlier conversation, and with words from outside its own message
	// Hosts may be reached whatever the turn holds: those the person typed
	// (TypedHosts) and those the operator allows. Lower case; a subdomain is
	// another host.
	Hosts []string
	// URLs are exact addresses that the model did not build: of search results, of
	// public tools, and those that the person agreed to.
	URLs []string
}

// And returns the taint of having read both.
func (t Taint) And(o Taint) Taint {
	return Taint{t.Outside || o.Outside, t.Private || o.Private, slices.Concat(t.Hosts, o.Hosts), slices.Concat(t.URLs, o.URLs)}
}

// Ruling is what a turn may do with a call.
type Ruling struct {
	Class Class  // "" if it may, NeedsYes if a person must agree first, NotAllowed if not even then
	Why   string // for the model; "" if it may
	// Far are addresses in the arguments that nobody but the model brought up, and that
	// would learn what the turn holds.
	Far []string
}

// Check decides whether the turn may make this call.
func (t Taint) Check(s Spec, args json.RawMessage) (r Ruling) {
	if s.Egress && t.Private {
		r.Far = t.far(args)
	}
	asks, reads := s.Asks(), s.ReadOnly || s.Claim != nil
	switch {
	case s.Unsettled() && !s.Decides:
		r.Class, r.Why = NotAllowed, fmt.Sprintf("Not allowed: the tool %q says of itself that it only reads, and the bot's owner has not decided yet "+
			"whether that is true. The owner decides by using it once, or with /tools approve.", s.Name)
	case asks == AskAlways || asks == AskOutside && t.Outside,
		len(r.Far) > 0 && (reads || s.Asking != AskNever):
		r.Class, r.Why = NeedsYes, wordsConfirm
	}
	return r
}

// Unsettled reports whether nobody has said yet how much a server's word that its tool
// only reads is worth.
func (m Meta) Unsettled() bool { return m.Claim != nil && m.Asking == "" && !m.Claim.Taken() }

// After returns the taint once the turn has read o, the outcome of a call to s. What
// somebody out there wrote may ask for the words of the person's own message, so
// from then on these are private.
func (t Taint) After(s Spec, o Outcome) Taint {
	t.Outside = t.Outside || o.Result.Untrusted
	t.Private = t.Private || o.Result.Private || t.Outside
	t.URLs = slices.Clip(t.URLs)
	if o.State == Success { // or nobody has agreed to them
		t.URLs = append(t.URLs, o.Far...)
	}
	if s.Category == Web && !s.Egress {
		for _, source := range o.Result.Sources {
			if source.URL != "" {
				t.URLs = append(t.URLs, source.URL)
			}
		}
	}
	if s.Public {
		urls.Each(o.Result.Content, func(a string) string { t.URLs = append(t.URLs, a); return a })
	}
	return t
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
