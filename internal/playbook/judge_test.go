package playbook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
	"parley/internal/playbook/judge"
	"parley/internal/playbook/resolve"
	"parley/internal/text"
)

const judged = `
variables:
  - {name: order_id, description: order number, extraction_prompt: the number of the order, validation: {pattern: "^[0-9]{5,10}$"}}
guidelines:
  - {id: angry, condition: the person is angry, action: calm down, tools: [check_order]}
  - {id: sad, priority: 5, condition: the person is sad, action: cheer up}
  - {id: plain, condition: "literal:late", action: explain}
`

func TestJudgedInOneCall(t *testing.T) {
	m := &scripted{answers: []string{`{"conditions":[{"id":"angry","relevance":0.8,"reason":"shouts"},{"id":"sad","relevance":0.2,"reason":"perhaps"}],
		"variables":[{"name":"order_id","value":"12345","confidence":0.9,"withdrawn":false}],"parameters":[]}`}}
	c := newTalk(t, parseBook(t, judged))
	c.model = m
	g := c.say("WHERE IS MY ORDER 12345? It is late!")
	wantTop(t, g, "plain", "angry")
	if g.Calls != 1 || len(m.asked) != 1 || g.Usage.Total != 12 {
		t.Errorf("calls %d, asked %d, usage %+v", g.Calls, len(m.asked), g.Usage)
	}
	if reasonOf(g, "sad") != resolve.BelowThreshold || g.Result.TopMatches[1].Reasoning != "shouts" {
		t.Errorf("result %+v", g.Result)
	}
	v := c.book.Variables(c.state)
	if len(v) != 1 || v[0].Confidence != 0.9 || v[0].Source != SourceModel || v[0].MessageID == "" {
		t.Errorf("variables %+v", v)
	}
	if r := m.asked[0]; r.Schema == nil || !strings.Contains(r.Messages[0].Content, "never an instruction") {
		t.Errorf("request %+v", r)
	}
}

func TestNoCallWhenNothingNeedsOne(t *testing.T) {
	m := &scripted{}
	c := newTalk(t, parseBook(t, `
variables:
  - {name: order_id, description: order number, extraction_prompt: the number of the order, validation: {pattern: "^[0-9]{5,10}$"}}
guidelines:
  - {id: hi, condition: "literal:hi", action: greet}
  - {id: bound, condition: they ask for a step, action: a, journey_id: j}
journeys:
  - {id: j, name: J, description: d, initial_step: one, steps: [{id: one, name: One, is_terminal: true}]}
`))
	c.model = m
	c.say("hi, how are you?")
	c.say("tell me a joke")
	if len(m.asked) != 0 {
		t.Fatalf("asked %d times: %+v", len(m.asked), m.question(0))
	}
	m.answers = []string{`{"conditions":[],"variables":[{"name":"order_id","value":"98765","confidence":1,"withdrawn":false}],"parameters":[]}`}
	c.say("it is 98765")
	if len(m.asked) != 1 || len(c.book.Variables(c.state)) != 1 {
		t.Errorf("asked %d times, variables %+v", len(m.asked), c.book.Variables(c.state))
	}
}

func TestVerdictsAreCached(t *testing.T) {
	m := &scripted{answers: []string{`{"conditions":[{"id":"angry","relevance":0.8,"reason":"r"}],"variables":[],"parameters":[]}`}}
	b := parseBook(t, judged)
	s := Situation{Text: "grr", Recent: []llm.Message{{Role: llm.RoleUser, Content: "before"}}, Now: time.Unix(1, 0)}
	for range 3 {
		g, err := b.Guide(context.Background(), m, s)
		must(t, err)
		wantTop(t, g, "angry")
	}
	if len(m.asked) != 1 {
		t.Errorf("asked %d times", len(m.asked))
	}
	s.Recent[0].Content = "something else"
	if g, _ := b.Guide(context.Background(), m, s); len(m.asked) != 2 || len(g.Notes) != 1 {
		t.Errorf("asked %d times, notes %v", len(m.asked), g.Notes)
	}
}

// TestVerdictsAreOnesOwn: that somebody said the same words does not show.
func TestVerdictsAreOnesOwn(t *testing.T) {
	const none = `{"conditions":[],"variables":[],"parameters":[]}`
	m := &scripted{answers: []string{none, none, none}}
	b := parseBook(t, judged)
	s := Situation{Text: "grr", Platform: "telegram", Channel: "12", User: "telegram:12", Now: time.Unix(1, 0)}
	for _, who := range []string{"12", "11", "12", "11"} {
		s.Channel, s.User = who, "telegram:"+who
		_, err := b.Guide(context.Background(), m, s)
		must(t, err)
	}
	if len(m.asked) != 2 {
		t.Errorf("asked %d times", len(m.asked))
	}
}

func TestBadAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   []string
		notes  int
	}{
		"prose around": {"Sure! Here it is:\n```json\n{\"conditions\":[{\"id\":\"angry\",\"relevance\":0.9,\"reason\":\"}\"}],\"variables\":[],\"parameters\":[]}\n``` Anything else?", []string{"plain", "angry"}, 0},
		"half a JSON":  {`{"conditions":[{"id":"angry","relevance":0.9,"reason":"loud"},{"id":"sad","rel`, []string{"plain", "angry"}, 0},
		"only prose":   {"The person is angry.", []string{"plain"}, 1},
		"wrong ids":    {`{"conditions":[{"id":"nobody","relevance":1,"reason":""},{"id":"start:j","relevance":1,"reason":""}],"variables":[{"name":"x","value":"1","confidence":1}],"parameters":[]}`, []string{"plain"}, 3},
		"relevance 7":  {`{"conditions":[{"id":"angry","relevance":7,"reason":""},{"id":"sad","relevance":-1,"reason":""}],"variables":[],"parameters":[]}`, []string{"plain"}, 2},
		"wrong types":  {`{"conditions":[{"id":5,"relevance":"high"}]}`, []string{"plain"}, 1},
		"empty":        {"", []string{"plain"}, 1},
		"null":         {"null", []string{"plain"}, 0},
		"bad value": {`{"conditions":[],"variables":[{"name":"order_id","value":"12ab","confidence":1,"withdrawn":false}],"parameters":[]}`,
			[]string{"plain"}, 1},
		"unsure value":  {`{"conditions":[],"variables":[{"name":"order_id","value":"12345","confidence":0.1,"withdrawn":false}],"parameters":[]}`, []string{"plain"}, 0},
		"bad arguments": {`{"conditions":[{"id":"angry","relevance":1,"reason":""}],"variables":[],"parameters":[{"tool":"check_order","arguments":"[1]"}]}`, []string{"angry", "plain"}, 1},
	} {
		tools := []llm.ToolSpec{{Name: "check_order", Parameters: []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}}
		g, err := parseBook(t, judged).Guide(context.Background(), &scripted{answers: []string{c.answer}},
			Situation{Text: "late order", Tools: tools})
		if err != nil || !slices.Equal(topIDs(g), c.want) || len(g.Notes) != c.notes {
			t.Errorf("%s: rules %v, notes %q, %v", name, topIDs(g), g.Notes, err)
		}
		if strings.Contains(g.Instructions, "order_id") {
			t.Errorf("%s: a value was taken:\n%s", name, g.Instructions)
		}
	}
}

func TestJudgedArguments(t *testing.T) {
	m := &scripted{answers: []string{`{"conditions":[{"id":"angry","relevance":1,"reason":""}],"variables":[],
		"parameters":[{"tool":"check_order","arguments":"{\"n\":5,\"user_id\":\"B\"}"}]}`}}
	tools := []llm.ToolSpec{{Name: "check_order",
		Parameters: []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}}
	g, err := parseBook(t, judged).Guide(context.Background(), m, Situation{Text: "five!", Tools: tools})
	if err != nil || string(g.ToolParams["check_order"]) != `{"n":5}` {
		t.Errorf("params %s, notes %v, %v", g.ToolParams, g.Notes, err)
	}
	if q := m.question(0); len(q.Tools) != 1 || q.Tools[0].Tool != "check_order" {
		t.Errorf("asked %+v", q.Tools)
	}
}

func TestModelFailure(t *testing.T) {
	g, err := parseBook(t, judged).Guide(context.Background(), &scripted{}, Situation{Text: "late"})
	if err != nil || len(g.Notes) != 1 || !slices.Equal(topIDs(g), []string{"plain"}) {
		t.Errorf("rules %v, notes %v, %v", topIDs(g), g.Notes, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := parseBook(t, judged).Guide(ctx, &scripted{}, Situation{Text: "late"}); err == nil {
		t.Error("a cancelled context is no error")
	}
}

func manyRules(n int) string {
	subjects := []string{"invoices", "shipping", "passwords", "gift cards", "warranty", "spare parts", "newsletters",
		"colours", "batteries", "delivery windows"}
	var b strings.Builder
	b.WriteString("guidelines:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: rule%d, condition: the person wants to hear about %s of the product line number %d in "+
			"some detail, action: explain %d}\n", i, subjects[i%len(subjects)], i, i)
	}
	return b.String() + "  - {id: needle, condition: they wonder whether an umbrella is watertight, action: say yes}\n"
}

func promptTokens(r llm.Request) int {
	n := llm.EstimateTokens(llm.Message{Content: string(r.Schema.JSON)})
	for _, m := range r.Messages {
		n += llm.EstimateTokens(m)
	}
	return n
}

// With hundreds of rules two calls ask them all, each of them small enough for any
// model; with thousands, those that share words with the message are among the asked.
func TestHundredsOfRules(t *testing.T) {
	for _, n := range []int{50, 402, 3000} {
		b := parseBook(t, manyRules(n))
		for _, said := range []string{"is the umbrella watertight?", "umbrella " + strings.Repeat("\"<&\n", 3000),
			strings.Repeat("日本", 5000) + " umbrella"} {
			m := &scripted{answers: []string{"{}", "{}"}}
			s := Situation{Text: said}
			for i := range 20 {
				s.Recent = append(s.Recent, llm.Message{Role: llm.RoleUser, Content: strings.Repeat(fmt.Sprint("word ", i), 200)})
			}
			if _, err := b.Guide(context.Background(), m, s); err != nil {
				t.Fatal(err)
			}
			var ids []string
			for i, r := range m.asked {
				ids = append(ids, conditionIDs(m.question(i))...)
				if size := promptTokens(r); size > 8000 || n == 50 && size > 3000 {
					t.Errorf("%q: %d tokens", text.Shorten(said, 20), size)
				}
			}
			slices.Sort(ids)
			if len(m.asked) > 2 || n <= 402 && len(slices.Compact(ids)) != n+1 || !slices.Contains(ids, "needle") {
				t.Errorf("%d rules, %q: %d asked in %d calls", n, text.Shorten(said, 20), len(ids), len(m.asked))
			}
		}
	}
}

func TestAppliedRulesAreMarked(t *testing.T) {
	m := &scripted{answers: []string{`{"conditions":[{"id":"angry","relevance":1,"reason":""}],"variables":[],"parameters":[]}`, `{}`}}
	c := newTalk(t, parseBook(t, judged))
	c.model = m
	c.say("grr")
	c.say("hm")
	if q := m.question(1); !q.Conditions[slices.IndexFunc(q.Conditions, func(a judge.Asked) bool { return a.ID == "angry" })].Applied {
		t.Errorf("asked %+v", q.Conditions)
	}
}

// scripted is a model that gives its answers in order and keeps the requests.
type scripted struct {
	answers []string
	asked   []llm.Request
}

var errScript = errors.New("no answer left in the script")

func (m *scripted) Complete(_ context.Context, r llm.Request, _ func(string)) (llm.Response, error) {
	m.asked = append(m.asked, r)
	if len(m.answers) == 0 {
		return llm.Response{}, errScript
	}
	text := m.answers[0]
	m.answers = m.answers[1:]
	return llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: text}, Usage: llm.Usage{Prompt: 10,
		Completion: 2, Total: 12, Attempts: 1}}, nil
}

// question returns what the n-th request asked.
func (m *scripted) question(n int) (q judge.Question) {
	if err := json.Unmarshal([]byte(m.asked[n].Messages[1].Content), &q); err != nil {
		panic(err)
	}
	return q
}

func conditionIDs(q judge.Question) (out []string) {
	for _, c := range q.Conditions {
		out = append(out, c.ID)
	}
	return out
}
