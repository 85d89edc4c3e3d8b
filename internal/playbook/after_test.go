package playbook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/llm"
)

const shop = `
variables:
  - {name: order_id, description: the order number, patterns: ['#(\d+)'], ask: Which order?}
  - {name: status, description: where the order is, from: lookup.order.status}
  - {name: owner, description: whose it is, from: lookup.order.owner, per_person: true}
guidelines:
  - {id: polite, priority: -1, condition: always, action: be kind}
  - {id: about, condition: "literal:order", action: speak of orders}
  - {id: lost, priority: 9, condition: "tool:lookup result.order.status = lost", reply: "It is lost; a person looks into it."}
  - {id: mine, condition: "tool:look* args.n = 12345 AND NOT var:status = lost", action: say whose it is}
  - {id: down, condition: "tool:lookup failed", action: apologize for the outage}
  - {id: late, condition: "the delivery is later than promised", after: [lookup], action: offer a voucher}
  - {id: at_found, condition: always, journey_id: track, journey_step: found, action: name the day}
journeys:
  - id: track
    name: Track
    description: find a parcel
    trigger: "literal:track"
    initial_step: order
    steps:
      - {id: order, name: Which order, required_context: [order_id], transitions: [{to_step: look}]}
      - id: look
        name: Look it up
        tool: lookup
        args: {n: "{{order_id}}", note: "order {{order_id}}"}
        transitions:
          - {to_step: down, condition: "tool:lookup failed", priority: 5}
          - {to_step: missing, condition: "tool:lookup result.order.status = missing"}
          - {to_step: found}
      - {id: found, name: Found, transitions: [{to_step: end, condition: "literal:thanks"}]}
      - {id: missing, name: Missing, transitions: [{to_step: end, condition: "literal:thanks"}]}
      - {id: down, name: Down, transitions: [{to_step: look, condition: "literal:again"}, {to_step: end, condition: "literal:thanks"}]}
      - {id: end, name: End, is_terminal: true}
`

var lookup = []llm.ToolSpec{{Name: "lookup",
	Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"note":{"type":"string"}}}`)}}

// ran continues a message with what its tools gave back.
func (g *group) ran(user, text string, m llm.Model, results ...ToolResult) Guidance {
	g.t.Helper()
	var err error
	g.last, err = g.book.After(g.t.Context(), m, Situation{User: user, Text: text, State: g.state(user), Now: g.now,
		Results: results, Tools: lookup}, g.last)
	return g.keep(user, err)
}

func found(status string) ToolResult {
	gave := `{"order":{"status":"` + status + `","owner":12345678901234567890}}`
	return ToolResult{Tool: "lookup", Args: json.RawMessage(`{"n":12345}`), Text: gave, JSON: json.RawMessage(gave)}
}

// A step runs its tool with what is known, and the way goes on by what came of it.
func TestToolSteps(t *testing.T) {
	for name, test := range map[string]struct {
		result ToolResult
		want   string
	}{
		"found":            {found("sent"), "track/found active"},
		"missing":          {found("missing"), "track/missing active"},
		"failed":           {ToolResult{Tool: "lookup", Text: "UNAVAILABLE: no answer", Failed: true}, "track/down active"},
		"not its tool":     {ToolResult{Tool: "other", JSON: json.RawMessage("{}")}, "track/look active"},
		"prose, not JSON":  {ToolResult{Tool: "lookup", Text: "sent yesterday"}, "track/found active"},
		"an empty result":  {ToolResult{Tool: "lookup"}, "track/found active"},
		"a list, not that": {ToolResult{Tool: "lookup", JSON: json.RawMessage("[1]")}, "track/found active"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGroup(t, shop)
			if said := g.say("ann", "please track it"); len(said.Run) != 0 {
				t.Errorf("runs %s before it knows the order", said.Run)
			}
			said := g.say("ann", "it is #0012345")
			if got := fmt.Sprintf("%s", said.Run); got != `[{lookup {"n":"0012345","note":"order 0012345"} track look}]` {
				t.Errorf("runs %s", got)
			}
			g.at("ann", "track/look active")
			if said = g.ran("ann", "it is #0012345", nil, test.result); len(said.Run) > 0 && test.result.Tool == "lookup" {
				t.Errorf("runs again: %s", said.Run)
			}
			g.at("ann", test.want)
		})
	}
}

// Its arguments have the types of the tool's schema, and a tool that worked is not run
// again by the next message.
func TestToolStepRunsOnce(t *testing.T) {
	g := newGroup(t, strings.Replace(shop, "          - {to_step: found}\n",
		"          - {to_step: found, condition: \"tool:lookup result.order.status = sent\"}\n", 1))
	said, err := g.book.Guide(t.Context(), nil, Situation{User: "ann", Text: "track #12345", State: g.state("ann"), Tools: lookup, Now: g.now})
	if got := fmt.Sprintf("%s", said.Run); got != `[{lookup {"n":12345,"note":"order 12345"} track look}]` || err != nil {
		t.Errorf("runs %s, %v", got, err)
	}
	g.session, g.last = said.State.Session, said
	g.ran("ann", "track #12345", nil, found("somewhere"))
	g.at("ann", "track/look active")
	if said := g.say("ann", "and?"); len(said.Run) != 0 {
		t.Errorf("runs again: %s", said.Run)
	}
	g.say("ann", "track #12345 again")
	g.at("ann", "track/look active")
}

// A step whose tool failed may be tried again.
func TestToolStepAgain(t *testing.T) {
	g := newGroup(t, shop)
	g.say("ann", "track #12345")
	g.ran("ann", "track #12345", nil, ToolResult{Tool: "lookup", Failed: true})
	if said := g.say("ann", "try again"); len(said.Run) != 1 {
		t.Errorf("runs %s", said.Run)
	}
	g.ran("ann", "try again", nil, found("sent"))
	g.at("ann", "track/found active")
}

// What tools gave back fills variables, and decides rules that name the tool. Rules
// about the message still apply.
func TestRulesAfterTools(t *testing.T) {
	g := newGroup(t, shop)
	wantTop(t, g.say("ann", "about my order"), "about", "polite")
	said := g.ran("ann", "about my order", nil, found("sent"))
	wantTop(t, said, "about", "mine", "polite")
	if v := g.book.Variables(g.state("ann")); len(v) != 2 || string(v[0].Value) != `"sent"` ||
		string(v[1].Value) != `"12345678901234567890"` || v[0].Source != SourceTool {
		t.Errorf("variables %+v", v)
	}
	if said := g.ran("ann", "about my order", nil, found("lost")); said.Reply != "It is lost; a person looks into it." {
		t.Errorf("reply %q", said.Reply)
	}
	g.say("ann", "about my order")
	wantTop(t, g.ran("ann", "about my order", nil, ToolResult{Tool: "lookup", Failed: true}), "about", "down", "polite")
}

// A rule that names a tool is judged with what it gave back; others ask nothing.
func TestJudgedAfterTools(t *testing.T) {
	g := newGroup(t, shop)
	g.say("ann", "about my order")
	m := &scripted{answers: []string{`{"conditions":[{"id":"late","relevance":0.9,"reason":"five days"}]}`}}
	said := g.ran("ann", "about my order", m, found("five days late"))
	wantTop(t, said, "about", "mine", "late", "polite")
	if q := m.question(0); fmt.Sprint(conditionIDs(q)) != "[late]" || len(q.Results) != 1 ||
		!strings.Contains(q.Results[0].Text, "five days late") {
		t.Errorf("asked %+v", q)
	}
	m = &scripted{}
	g.ran("ann", "about my order", m, ToolResult{Tool: "weather"})
	if len(m.asked) > 0 {
		t.Errorf("asked %+v", m.question(0))
	}
	if g.book.Heeds("weather") || !g.book.Heeds("lookup") {
		t.Error("heeds the wrong tools")
	}
}

// After a question to the person nothing of the first pass is known any more: what
// always holds and the step are there all the same.
func TestAfterWithoutBefore(t *testing.T) {
	g := newGroup(t, shop)
	g.say("ann", "track #12345")
	g.last = Guidance{}
	said := g.ran("ann", "yes", nil, found("sent"))
	wantTop(t, said, "at_found", "mine", "polite")
	if !strings.Contains(said.Instructions, `"Found"`) {
		t.Errorf("instructions:\n%s", said.Instructions)
	}
}

func TestToolStepMistakes(t *testing.T) {
	for step, want := range map[string]string{
		"{id: a, name: A, args: {x: y}, is_terminal: true}":                             "arguments of no tool",
		"{id: a, name: A, tool: lookup, is_terminal: true}":                             "the last step runs no tool",
		"{id: a, name: A, tool: lookup, args: {x: '{{nobody}}'}, transitions: []}":      "unknown variable",
		"{id: a, name: A, tool: lookup, transitions: [{to_step: a, condition: tool:}]}": "nothing follows",
	} {
		_, err := Load(write1(t, "journeys: [{id: j, name: J, description: d, initial_step: a, steps: ["+step+"]}]"), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", step, err, want)
		}
	}
}

// A ready-made text wins over tone and prohibitions; beside a rule about the message
// the model says it word for word.
func TestVerbatim(t *testing.T) {
	b := parseBook(t, `guidelines:
  - {id: tone, priority: 50, condition: always, action: be kind}
  - {id: never, priority: 60, condition: "literal:law", action: Never give legal advice}
  - {id: legal, priority: 40, condition: "literal:law", reply: "Ask a lawyer."}
  - {id: human, priority: 90, condition: "literal:human", action: hand over}
`)
	if g := newTalk(t, b).say("what is the law?"); g.Reply != "Ask a lawyer." || g.From != "the rule legal" {
		t.Errorf("reply %q from %q", g.Reply, g.From)
	}
	g := newTalk(t, b).say("a human who knows the law")
	if g.Reply != "" || len(g.Verbatim) != 1 || g.Verbatim[0] != "Ask a lawyer." || !strings.Contains(g.Instructions,
		"word for word: Ask a lawyer.") {
		t.Errorf("reply %q, verbatim %q\n%s", g.Reply, g.Verbatim, g.Instructions)
	}
}

// Neither what always holds nor a prohibition is lost because other rules matched.
func TestStandingRulesAreNotCut(t *testing.T) {
	b := parseBook(t, `settings: {top: 1}
guidelines:
  - {id: a, priority: 9, condition: "literal:price", action: give the price}
  - {id: b, priority: 8, condition: "literal:price", action: praise it}
  - {id: tone, condition: always, action: be kind}
  - {id: no, condition: "literal:price", action: Never give a discount}
  - {id: stand, condition: "literal:price", action: mention taxes, standing: true}
`)
	wantTop(t, newTalk(t, b).say("the price?"), "a", "no", "stand", "tone")
}

func TestTags(t *testing.T) {
	b := parseBook(t, `guidelines: [{id: vip, condition: always, action: a, tags: [vip, press]}]`)
	c := newTalk(t, b)
	wantTop(t, c.say("hello"))
	c.state.Person = json.RawMessage(`{"v":1,"tags":["vip"]}`)
	wantTop(t, c.say("hello"), "vip")
}
