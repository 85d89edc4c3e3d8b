package playbook

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	b := parseBook(t, `
variables:
  - {name: plan, description: d, patterns: [x], default_value: free, validation: {allowed_values: [free, plus]}}
  - {name: orphan, description: d}
guidelines:
  - {id: empty_regex, condition: "regex:x*", action: a}
  - {id: default_set, condition: "var:plan is set", action: a}
  - {id: never_value, condition: "var:plan = gold", action: a}
  - {id: no_source, condition: "literal:no source", action: a, required_context: [orphan]}
  - {id: tool, condition: "literal:tool", action: a, tools: [chekc]}
  - {id: do, condition: "The person is Angry", action: Offer a discount.}
  - {id: dont, condition: "the person  is angry", action: Never offer a discount.}
  - {id: refund, priority: 9, condition: "literal:refund", reply: no}
  - {id: refund_late, condition: "literal:refund late", action: a}
  - {id: off, condition: "literal:off", action: a, enabled: false}
  - {id: on_off, condition: "literal:on off", action: a, depends_on: {all: [off]}}
  - {id: lost, condition: "literal:lost", action: a, journey_id: j, journey_step: island}
journeys:
  - id: j
    name: J
    description: d
    initial_step: one
    steps:
      - {id: one, name: One, transitions: [{to_step: two, priority: 5}, {to_step: end, condition: they agree}]}
      - {id: two, name: Two}
      - {id: island, name: Island, transitions: [{to_step: end}]}
      - {id: end, name: End, is_terminal: true}
`)
	var got []string
	for _, f := range Check(b, Known{Tools: []string{"check"}}, map[string]int{"do": 1}) {
		if f.Kind != "never matched" {
			got = append(got, fmt.Sprintf("%d %s: %s", f.Line, f.ID, f.Kind))
		} else if f.ID == "do" || f.ID == "off" {
			t.Errorf("finding %s", f)
		}
		if !strings.Contains(f.String(), "p.yaml:") {
			t.Errorf("finding without a file: %s", f)
		}
	}
	want := `6 empty_regex: always true
7 default_set: always true
8 never_value: unreachable
9 no_source: unreachable
10 tool: unknown tool
12 dont: contradiction
14 refund_late: shadowed
16 on_off: unreachable
17 lost: unreachable
24 j: shadowed
25 j: dead end
26 j: unreachable`
	if strings.Join(got, "\n") != want {
		t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}
