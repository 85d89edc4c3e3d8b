package tools

import (
	"fmt"
	"slices"
	"sync"

	"parley/internal/llm"
	"parley/internal/text"
)

// Set is an immutable, ordered collection of tools with unique names. The
// zero Set is empty. It may be used from many goroutines.
type Set struct{ entries []*entry }

type entry struct {
	tool   Tool
	spec   Spec
	args   func() *arguments // read when they are first needed; most tools hardly ever are
	tokens int
}

// NewSet holds the tools in the order given. It panics, naming the tool, when
// one breaks a rule of Meta or has another's name: a program with such a tool
// must not start. Tools from outside are checked first with Spec.Check and
// CheckSchema.
func NewSet(tools ...Tool) Set {
	s, err := Set{}.Plus(tools...)
	if err != nil {
		panic(err.Error())
	}
	return s
}

// Plus returns s followed by tools that are not of the program: the error, for people, names
// one that breaks a rule of Meta or has another's name.
func (s Set) Plus(tools ...Tool) (Set, error) {
	for _, t := range tools {
		spec := t.Spec()
		if err := spec.Check(); err != nil {
			return s, err
		}
		if s.find(spec.Name) != nil {
			return s, text.Tell("the name %s is taken by another tool: choose another name", spec.Name)
		}
		args := sync.OnceValue(func() *arguments {
			args, err := compileArguments(spec.Parameters)
			if err != nil {
				panic(fmt.Sprintf("tool %s: %v", spec.Name, err))
			}
			return args
		})
		s = s.plus(&entry{t, spec, args, llm.EstimateTokens(llm.Message{Content: spec.Name + spec.Description + string(spec.Parameters)})})
	}
	return s, nil
}

// CheckSchema explains why a JSON Schema cannot describe arguments; nil if it can.
func CheckSchema(schema []byte) error {
	_, err := compileArguments(schema)
	return err
}

func (s Set) plus(e *entry) Set {
	if s.find(e.spec.Name) != nil {
		panic(fmt.Sprintf("tool %s: registered twice", e.spec.Name))
	}
	return Set{append(slices.Clip(s.entries), e)}
}

func (s Set) find(name string) *entry {
	i := slices.IndexFunc(s.entries, func(e *entry) bool { return e.spec.Name == name })
	if i < 0 {
		return nil
	}
	return s.entries[i]
}

func (s Set) filter(keep func(Spec) bool) Set {
	var out Set
	for _, e := range s.entries {
		if keep(e.spec) {
			out.entries = append(out.entries, e)
		}
	}
	return out
}

// Under returns s with a rule applied to each spec: only changes to Consent take
// effect.
func (s Set) Under(rule func(Spec) Spec) Set {
	out := Set{make([]*entry, len(s.entries))}
	for i, e := range s.entries {
		ruled := *e
		ruled.spec.Consent = rule(e.spec).Consent
		out.entries[i] = &ruled
	}
	return out
}

// Careful returns s with a question before each call that changes something, whatever
// was agreed: for turns that nobody asks for at the moment.
func (s Set) Careful() Set {
	return s.Under(func(spec Spec) Spec {
		if !spec.ReadOnly && !spec.Unsettled() {
			spec.Asking, spec.Firm = AskAlways, true
		}
		return spec
	})
}

// With returns s followed by those tools of others whose names s lacks.
func (s Set) With(others ...Set) Set {
	for _, o := range others {
		for _, e := range o.entries {
			if s.find(e.spec.Name) == nil {
				s = s.plus(e)
			}
		}
	}
	return s
}

// Only keeps the named tools, in the order of s. Unknown names are ignored.
func (s Set) Only(names ...string) Set {
	return s.filter(func(t Spec) bool { return slices.Contains(names, t.Name) })
}

// Without drops the named tools.
func (s Set) Without(names ...string) Set {
	return s.filter(func(t Spec) bool { return !slices.Contains(names, t.Name) })
}

// ForAgent keeps what the agent may call; "" is the conversation's own.
func (s Set) ForAgent(agent string) Set {
	return s.filter(func(t Spec) bool { return t.Scope == nil || slices.Contains(t.Scope, agent) })
}

// Core keeps what is always offered.
func (s Set) Core() Set { return s.filter(func(t Spec) bool { return t.Core }) }

// Same reports whether two sets hold the very same tools in the same order.
func (s Set) Same(o Set) bool {
	return slices.Equal(s.entries, o.entries)
}

// Tokens estimates how many tokens the tools take in a request.
func (s Set) Tokens() (n int) {
	for _, e := range s.entries {
		n += e.tokens
	}
	return n
}

// Len counts the tools.
func (s Set) Len() int { return len(s.entries) }

// Lookup finds a tool's spec by name.
func (s Set) Lookup(name string) (Spec, bool) {
	if e := s.find(name); e != nil {
		return e.spec, true
	}
	return Spec{}, false
}

// All lists the specs in order.
func (s Set) All() []Spec {
	out := make([]Spec, len(s.entries))
	for i, e := range s.entries {
		out[i] = e.spec
	}
	return out
}

// Any reports whether is holds for one of the specs.
func (s Set) Any(is func(Spec) bool) bool {
	return slices.ContainsFunc(s.entries, func(e *entry) bool { return is(e.spec) })
}

// Names lists the names in order.
func (s Set) Names() []string {
	out := make([]string, len(s.entries))
	for i, e := range s.entries {
		out[i] = e.spec.Name
	}
	return out
}

// Specs returns the tools for a request, in order: equal Sets give equal bytes.
func (s Set) Specs() []llm.ToolSpec {
	out := make([]llm.ToolSpec, len(s.entries))
	for i, e := range s.entries {
		out[i] = llm.ToolSpec{Name: e.spec.Name, Description: e.spec.Description, Parameters: e.spec.Parameters}
	}
	return out
}

// Foreign reports whether a tool server described one of the tools.
func (s Set) Foreign() bool {
	return slices.ContainsFunc(s.entries, func(e *entry) bool { return e.spec.Server != "" })
}
