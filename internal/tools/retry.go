package tools

import (
	"time"

	"parley/internal/llm"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// Again is a tool's error that says whether and when another attempt makes sense.
// Without one, a failed call is repeated as the tool's Retry says.
type Again struct {
	Err   error
	Never bool          // another attempt would fail, too
	After time.Duration // not before; 0 leaves it to Retry
}

// Error implements error.
func (a *Again) Error() string { return a.Err.Error() }

// Unwrap implements the convention of package errors.
func (a *Again) Unwrap() error { return a.Err }

// Lost returns what a person is told in p when one of the calls was run and failed
// without which the owner wants no answer; "" when none was. It holds no text from
// outside. What was refused, or waits for somebody, has not failed.
func (s Set) Lost(p catalog.Printer, calls []llm.ToolCall, outcomes []Outcome) string {
	for i, o := range outcomes {
		spec, _ := s.Lookup(calls[i].Name)
		if !spec.Needed || o.Class != Broken && o.Class != TimedOut && o.Class != Unsure {
			continue
		}
		if o.Class == Unsure {
			return p.Say("I stopped here, because I cannot tell whether the tool “%s” worked.", text.Literal(spec.Name))
		}
		why := p.Text("It reported an error.")
		if said, ok := p.Sentence(o.Err); ok {
			why = said
		} else if o.Class == TimedOut {
			why = p.Text("It took too long.")
		}
		return p.Say("I cannot answer this, because the tool “%s” did not work. %s", text.Literal(spec.Name), why)
	}
	return ""
}
