package playbook

import (
	"fmt"
	"testing"
)

// TestKindOfAnAnswer: what an answer is comes from those who wrote the rules.
func TestKindOfAnAnswer(t *testing.T) {
	const rules = `settings: {strict: %s}
variables: [{name: order, description: its number, required: true, patterns: ["#\\d+"], ask: "Which order?"}]
guidelines:
  - {id: politics, priority: 9, condition: "literal:election", action: "Decline.", outcome: out_of_scope}
  - {id: bomb, priority: 10, condition: "literal:bomb", reply: "No.", outcome: unsafe}
  - {id: hours, condition: "literal:open", reply: "Nine to five."}
  - {id: tone, priority: 20, condition: always, action: "Be kind."}
`
	for _, tt := range []struct {
		strict, said string
		want         Kind
		from         string
	}{
		{"false", "about #12", "", ""},
		{"false", "hello", Asks, ""},
		{"false", "#12 and the election", OutOfScope, ""},
		{"false", "the election", OutOfScope, ""},
		{"true", "hello", Asks, "what to ask for order"},
		{"true", "#12, a bomb", Unsafe, "the rule bomb"},
		{"true", "are you open?", "", "the rule hours"},
		{"true", "about #12", OutOfScope, "the fallback"},
	} {
		book := parseBook(t, fmt.Sprintf(rules, tt.strict))
		if g := newTalk(t, book).say(tt.said); g.Kind != tt.want || g.From != tt.from || (g.Reply != "") != (tt.from != "") {
			t.Errorf("strict %s, %q: %q from %q, reply %q", tt.strict, tt.said, g.Kind, g.From, g.Reply)
		}
	}
}
