package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// Situation is a call that is about to be made, and what a guard may know.
type Situation struct {
	Tool      string
	Args      json.RawMessage // an object
	Past      []Call          // this person's earlier calls of this conversation that succeeded, oldest first
	Person    Person
	Place     Place
	Variables map[string]any // those that are known
	Now       time.Time      // times without a zone are read in its
	Confirmed bool           // the person said yes to exactly this call
}

// Person is whose message leads to the call.
type Person struct{ ID, Name, Role string }

// Place is where the conversation is.
type Place struct {
	Platform, Channel, Thread, Guild string
	Direct                           bool
}

// Call is one that was made.
type Call struct {
	Tool      string
	Args      json.RawMessage
	Result    string // as the tool gave it: JSON, or text
	At        time.Time
	Confirmed bool // the person had said yes to it
}

// Ruling decides a call.
type Ruling string

// The rulings, the weightiest last.
const (
	Allowed  Ruling = "allowed"
	Asked    Ruling = "confirm"
	HandOver Ruling = "handoff"
	Refused  Ruling = "refused"
)

var weight = map[Ruling]int{Allowed: 0, Asked: 1, HandOver: 2, Refused: 3}

// Verdict is one guard's ruling on one call.
type Verdict struct {
	Guard  string `json:"guard"`
	Ruling Ruling `json:"ruling"`
	Say    string `json:"say,omitempty"` // the owner's words, unless the call is allowed
	// Lacks says what the guard needed and did not find; the call is refused then,
	// whatever Otherwise says, since a call that brings it may help.
	Lacks string `json:"lacks,omitempty"`
}

// Bounds of a decision. A step is one element that a function goes through, or 32 bytes of a text.
const (
	maxSteps  = 50_000
	maxMemory = 200_000 // elements made, as the library counts
)

// Judge asks every guard about the call's tool. The order is that of the guards.
func (gs Guards) Judge(s Situation) []Verdict {
	list := gs.Cover(s.Tool)
	if len(list) == 0 {
		return nil
	}
	b := newBench(s)
	verdicts := make([]Verdict, len(list))
	for i, g := range list {
		verdicts[i] = g.judge(b)
	}
	return verdicts
}

// Worst returns the weightiest verdict, the first of several; the zero Verdict where
// there is none.
func Worst(list []Verdict) (worst Verdict) {
	for i, v := range list {
		if i == 0 || weight[v.Ruling] > weight[worst.Ruling] {
			worst = v
		}
	}
	return worst
}

func (g *Guard) judge(b *bench) Verdict {
	v := Verdict{Guard: g.ID, Ruling: Allowed}
	holds, err := g.holds(b)
	switch {
	case err != nil:
		v.Ruling, v.Lacks = Refused, lacks(err)
	case holds || g.Otherwise == "confirm" && b.s.Confirmed:
		return v
	case g.Otherwise == "confirm":
		v.Ruling = Asked
	case g.Otherwise == "handoff":
		v.Ruling = HandOver
	default:
		v.Ruling = Refused
	}
	v.Say = g.Say
	return v
}

func (g *Guard) holds(b *bench) (bool, error) {
	if b.err != nil {
		return false, b.err
	}
	b.steps = 0
	machine := vm.VM{MemoryBudget: maxMemory}
	got, err := machine.Run(g.program, b.env)
	if err != nil {
		return false, err
	}
	is, ok := got.(bool)
	if !ok {
		return false, mistyped("the condition", kind(got), "yes or no")
	}
	return is, nil
}

// lacks says in words why an expression has no result.
func lacks(err error) string {
	if known, ok := errors.AsType[lack](err); ok {
		return known.Error()
	}
	if e, ok := errors.AsType[*file.Error](err); ok {
		return "it cannot be computed: " + e.Message
	}
	return "it cannot be computed: " + err.Error()
}

// bench is a situation as expressions see it. It serves one decision.
type bench struct {
	s     Situation
	env   map[string]any
	err   error
	calls []*seen
	steps int
}

// seen is an earlier call, decoded when it is looked at.
type seen struct {
	Call
	args  map[string]any
	value map[string]any
}

func newBench(s Situation) *bench {
	b := &bench{s: s, calls: make([]*seen, len(s.Past))}
	for i, c := range s.Past {
		b.calls[i] = &seen{Call: c}
	}
	args := map[string]any{}
	if err := json.Unmarshal(s.Args, &args); err != nil {
		b.err = fmt.Errorf("read arguments: %w", err)
	}
	variables := s.Variables
	if variables == nil {
		variables = map[string]any{}
	}
	b.env = map[string]any{
		"args": args, "tool": s.Tool, "role": s.Person.Role, "variables": variables,
		"person": map[string]any{"id": s.Person.ID, "name": s.Person.Name, "role": s.Person.Role},
		"place": map[string]any{
			"platform": s.Place.Platform, "channel": s.Place.Channel, "thread": s.Place.Thread, "guild": s.Place.Guild, "direct": s.Place.Direct,
		},
		"last": b.last, "calls": b.list, "confirmed": b.confirmed, "date": b.date,
		"now":   func(...any) (any, error) { return s.Now, nil },
		fnField: field, fnMaybe: maybe, fnSame: b.same, fnAmong: b.among, fnStep: b.step,
	}
	return b
}

// step counts what an expression goes through, and returns it.
func (b *bench) step(args ...any) (any, error) {
	b.steps++
	switch v := args[0].(type) {
	case []any:
		b.steps += len(v)
	case map[string]any:
		b.steps += len(v)
	case string:
		b.steps += len(v) / 32
	}
	if b.steps > maxSteps {
		return nil, errTooLong
	}
	return args[0], nil
}

// same is same, counted.
func (b *bench) same(args ...any) (any, error) {
	if _, err := b.step(args[0]); err != nil {
		return nil, err
	}
	return same(args...)
}

// among reports whether a list or an object holds something.
func (b *bench) among(args ...any) (any, error) {
	if _, err := b.step(args[1]); err != nil {
		return nil, err
	}
	switch c := args[1].(type) {
	case nil:
		return nil, missing(args[2].(string))
	case map[string]any:
		name, ok := args[0].(string)
		_, there := c[name]
		return ok && there, nil
	case []any:
		for _, v := range c {
			if is, err := same(v, args[0], "", ""); err == nil && is == true {
				return true, nil
			}
		}
		return false, nil
	}
	return nil, mistyped(args[2].(string), kind(args[1]), "a list")
}
