package playbook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var allKnown = Known{Tools: []string{"look_up", "note"}, Servers: []string{"shop"}, Roles: []string{"member", "admin", "owner"},
	Platforms: []string{"telegram", "discord", "terminal"}}

func findings(t *testing.T, text string, k Known) (out []string) {
	t.Helper()
	for _, f := range Check(parseBook(t, text), k, nil) {
		out = append(out, f.ID+": "+f.Kind)
	}
	return out
}

const aRule = "{id: other, condition: \"literal:other\", action: note it}"

// Each of these faults was planted, and words show it.
func TestPlantedFaults(t *testing.T) {
	for name, test := range map[string]struct{ rules, want string }{
		"languages that always apply":  {`{id: a, condition: always, action: Answer in English.}, {id: b, condition: always, action: Answer in German only.}`, "b: contradiction"},
		"length that always applies":   {`{id: a, condition: always, action: Keep answers short.}, {id: b, condition: always, action: Give long answers with all details.}`, "b: contradiction"},
		"tone that always applies":     {`{id: a, condition: always, action: Use a formal tone.}, {id: b, condition: always, action: Use an informal tone.}`, "b: contradiction"},
		"forbidden and asked for":      {`{id: a, condition: always, action: Never offer a discount.}, {id: b, condition: the person is angry, action: Offer them a discount of 10 %.}`, "b: contradiction"},
		"the same condition, reworded": {`{id: a, condition: the customer wants a refund, action: Offer a refund.}, {id: b, condition: The person asks for a refund, action: Never offer a refund.}`, "b: contradiction"},
		"opposite answers":             {`{id: a, condition: "literal:open", reply: We open at 9.}, {id: b, condition: "literal:Open", reply: We open at 10.}`, "b: contradiction"},
		"twice":                        {`{id: a, condition: "literal:late", action: Offer a voucher.}, {id: b, condition: "literal:late", action: offer the voucher}`, "b: twice"},
		"a role":                       {`{id: a, condition: always, action: x, roles: [onwer]}`, "a: unknown role"},
		"a platform":                   {`{id: a, condition: always, action: x, platforms: [telegramm]}`, "a: unknown platform"},
		"a tool":                       {`{id: a, condition: always, action: x, tools: [lookup]}`, "a: unknown tool"},
		"a tool in a condition":        {`{id: a, condition: "tool:lookup failed", action: x}`, "a: unknown tool"},
		"a tool to be judged after":    {`{id: a, condition: it is late, after: [lookup], action: x}`, "a: unknown tool"},
		"a tool server":                {`{id: a, condition: always, action: x, tools: [shpo__find]}`, "a: unknown tool"},
		"needs what excludes it":       {`{id: a, condition: always, action: x, depends_on: {all: [b]}}, {id: b, condition: always, action: y, excludes: [a]}`, "a: unreachable"},
		"needs two that exclude":       {`{id: a, condition: always, action: x, depends_on: {all: [b, other]}}, {id: b, condition: always, action: y, excludes: [other]}`, "a: unreachable"},
		"needs it through another":     {`{id: a, condition: always, action: x, depends_on: {all: [b]}}, {id: b, condition: always, action: y, depends_on: {all: [c]}}, {id: c, condition: always, action: z, excludes: [a]}`, "a: unreachable"},
		"entails what excludes it":     {`{id: a, condition: always, action: x, entails: [b]}, {id: b, condition: "literal:bbb", action: y, excludes: [a]}`, "a: contradiction"},
	} {
		if got := findings(t, "guidelines: ["+aRule+", "+test.rules+"]", allKnown); !slices.Contains(got, test.want) || len(got) != 1 {
			t.Errorf("%s: %v, want %s", name, got, test.want)
		}
	}
}

func TestPlantedJourneys(t *testing.T) {
	journey := func(id, rest string) string {
		return fmt.Sprintf("{id: %s, name: N, description: d, initial_step: a, %s, steps: [{id: a, name: A, transitions: "+
			"[{to_step: z}]}, {id: z, name: Z, is_terminal: true}]}", id, rest)
	}
	for name, test := range map[string]struct{ text, want string }{
		"one trigger": {"journeys: [" + journey("x", `trigger: "literal:refund"`) + ", " + journey("y",
			`trigger: "literal:Refund"`) + "]", "y: same trigger"},
		"one trigger, reworded": {"journeys: [" + journey("x", `trigger: the customer wants a refund`) + ", " + journey("y",
			`trigger: the person asks for a refund`) + "]", "y: same trigger"},
		"person and channel": {"journeys: [" + journey("x", `trigger: "literal:refund"`) + ", " + journey("y",
			`trigger: "literal:refund", scope: channel`) + "]", ""},
		"an account number": {"variables: [{name: account, description: the bank account, data_type: number}]", "account: digits"},
		"an order's number": {"variables: [{name: what, description: the number of the order, data_type: number}]", "what: digits"},
		"an amount":         {"variables: [{name: amount, description: how much money, data_type: number}]", ""},
		"from no tool":      {"variables: [{name: amount, description: how much money, from: lookup.sum}]", "amount: unknown tool"},
		"a step's tool": {"journeys: [{id: j, name: J, description: d, initial_step: a, steps: [{id: a, name: A, " +
			"tool: lookup, transitions: [{to_step: z}]}, {id: z, name: Z, is_terminal: true}]}]", "j: unknown tool"},
		"nowhere on failure":   {`journeys: [{id: j, name: J, description: d, initial_step: a, steps: [{id: a, name: A, tool: note, transitions: [{to_step: z, condition: "tool:note ok"}]}, {id: z, name: Z, is_terminal: true}]}]`, "j: dead end"},
		"somewhere on failure": {`journeys: [{id: j, name: J, description: d, initial_step: a, steps: [{id: a, name: A, tool: note, transitions: [{to_step: z, condition: "tool:note ok"}, {to_step: z, condition: "tool:note failed"}]}, {id: z, name: Z, is_terminal: true}]}]`, ""},
	} {
		if got := strings.Join(findings(t, test.text, allKnown), ", "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// What is no mistake is not called one.
func TestNoFaults(t *testing.T) {
	for name, rules := range map[string]string{
		"a server's tool":          `{id: a, condition: always, action: x, tools: [shop__find, note]}`,
		"a pattern":                `{id: a, condition: "tool:shop__* failed", action: x}`,
		"other places":             `{id: a, condition: always, action: Answer in English., platforms: [discord]}, {id: b, condition: always, action: Answer in German., platforms: [telegram]}`,
		"other roles":              `{id: a, condition: always, action: Be brief., roles: [member]}, {id: b, condition: always, action: Be detailed., roles: [owner]}`,
		"one excludes the other":   `{id: a, condition: always, action: Answer in English.}, {id: b, condition: always, action: Answer in German., excludes: [a]}`,
		"a rule and its exception": `{id: a, condition: always, action: Keep answers short.}, {id: b, condition: the person asks for details, action: Explain at length.}`,
		"other prohibitions":       `{id: a, condition: always, action: Never give legal advice.}, {id: b, condition: the person is sad, action: Give them some comfort.}`,
		"other questions":          `{id: a, condition: the person asks about prices, action: Name them.}, {id: b, condition: the person does not ask about prices, action: Name none.}`,
	} {
		if got := findings(t, "guidelines: ["+aRule+", "+rules+"]", allKnown); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A model finds what words do not show; what it makes up counts for nothing.
func TestCompare(t *testing.T) {
	b := parseBook(t, `guidelines:
  - {id: furious, condition: the customer is furious, action: Apologize.}
  - {id: angry, condition: the person shouts at us, action: Stay firm and do not apologize.}
  - {id: there, condition: always, action: x, platforms: [discord]}
  - {id: here, condition: always, action: y, platforms: [telegram]}
`)
	m := &scripted{answers: []string{"Let me see {them}: " +
		`{"pairs":[{"a":"angry","b":"furious","kind":"contradiction","why":"one apologizes"},{"a":"furious","b":"angry","kind":"overlap","why":"again"},
		{"a":"here","b":"there","kind":"overlap","why":"both always"},{"a":"angry","b":"nobody","kind":"overlap","why":""},{"a":"angry","b":"angry","kind":"overlap","why":""},{"a":"angry","b":"here","kind":"silly","why":""}]}`}}
	found, err := Compare(t.Context(), b, m)
	if len(found) != 1 || err != nil || !strings.HasSuffix(found[0].String(),
		":3: angry: contradiction: with furious, the model says: one apologizes") {
		t.Errorf("found %v, %v", found, err)
	}
	if _, err := Compare(t.Context(), b, &scripted{answers: []string{"none"}}); err == nil {
		t.Error("an answer that is none is no error")
	}
}

// Every rule meets every other one.
func TestCompareMeetsAll(t *testing.T) {
	m := &scripted{}
	for range 100 {
		m.answers = append(m.answers, `{"pairs":[]}`)
	}
	if _, err := Compare(t.Context(), parseBook(t, manyRules(69)), m); err != nil {
		t.Fatal(err)
	}
	met := map[[2]int]bool{}
	for _, r := range m.asked {
		var ids []int
		for i := range 69 {
			if strings.Contains(r.Messages[1].Content, fmt.Sprintf(`"rule%d"`, i)) {
				ids = append(ids, i)
			}
		}
		for _, x := range ids {
			for _, y := range ids {
				met[[2]int{x, y}] = true
			}
		}
	}
	if len(met) != 69*69 {
		t.Errorf("%d of %d pairs in %d calls", len(met), 69*69, len(m.asked))
	}
}
