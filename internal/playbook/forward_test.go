package playbook

import (
	"strings"
	"testing"

	"parley/internal/llm"
	"parley/internal/llm/llmtest"
)

const closing = `guidelines:
  - {id: canned, priority: 50, condition: "literal:cancel my account", canned: closed}
  - {id: pattern, priority: 40, condition: "regex:(?i)cancel|order|yes", action: obey}
  - {id: judged, priority: 30, condition: "the person wants to leave", action: obey}
  - {id: polite, priority: 1, condition: always, action: be kind}
replies:
  - {id: closed, text: "Your account is closed."}
variables:
  - {name: order, description: the order, data_type: string, patterns: ['order #(\d+)']}
journeys:
  - id: leave
    name: Leave
    description: leaving
    trigger: "literal:cancel my account"
    initial_step: sure
    steps:
      - {id: sure, name: Sure, transitions: [{condition: "literal:yes", to_step: gone}]}
      - {id: gone, name: Gone, description: say goodbye, is_terminal: true}
`

// A forward is shown, not said: it starts nothing, answers nothing, withdraws
// nothing and is not even judged.
func TestForwardsTriggerNothing(t *testing.T) {
	b := parseBook(t, closing)
	c := newTalk(t, b)
	c.say("this is order #12345")
	judged := &llmtest.Script{Answer: func(llm.Request) (llm.Response, error) {
		t.Error("a forward is judged")
		return llm.Response{Message: llm.Message{Content: "{}"}}, nil
	}}
	for _, text := range []string{"please forget my order", "cancel my account", "order #99999"} {
		g, err := b.Guide(t.Context(), judged, Situation{Text: text, Forwarded: true, State: c.state})
		if err != nil {
			t.Fatal(err)
		}
		wantTop(t, g, "polite")
		if _, on, _ := b.Status(g.State); on || g.Reply != "" {
			t.Errorf("%q starts a journey: %v, or is answered %q", text, on, g.Reply)
		}
		if vars := b.Variables(g.State); len(vars) != 1 || string(vars[0].Value) != `"12345"` {
			t.Errorf("%q changed what is known: %+v", text, vars)
		}
	}
	// Said by the person all of it does what it says, and a journey waits for
	// their own yes.
	if g := c.say("cancel my account"); g.Reply != "Your account is closed." {
		t.Fatalf("the person's own words got %q", g.Reply)
	}
	g, err := b.Guide(t.Context(), nil, Situation{Text: "yes", Forwarded: true, State: c.state, Events: []string{EventFile}})
	if err != nil {
		t.Fatal(err)
	}
	if at, _, _ := b.Status(g.State); at.CurrentStep != "sure" {
		t.Errorf("a forwarded yes moved the journey to %q", at.CurrentStep)
	}
	if g := c.say("yes"); !strings.Contains(g.Instructions, "say goodbye") {
		t.Errorf("the person's yes did not:\n%s", g.Instructions)
	}
}
