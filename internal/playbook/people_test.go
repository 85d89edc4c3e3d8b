package playbook

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/llm"
)

const desk = `
variables:
  - {name: order_id, description: the order number, patterns: ['order (\d+)'], answer_patterns: ['^(\d+)$'], ask: Which order?}
  - {name: device, description: the broken device, answer_patterns: ['(?i)^(phone|laptop)$'], ask: Which device?}
  - {name: game, description: the game of the evening, answer_patterns: ['(?i)^(chess|go)$'], ask: Which game?}
guidelines:
  - {id: ask_order, condition: always, action: be exact, journey_id: refund}
journeys:
  - id: refund
    name: Refund
    description: give money back
    trigger: "regex:(?i)want a refund|refund, please"
    initial_step: order
    steps:
      - {id: order, name: Find the order, required_context: [order_id], transitions: [{to_step: confirm}]}
      - {id: confirm, name: Confirm, transitions: [{to_step: sent, condition: "literal:yes"}]}
      - {id: sent, name: Sent, is_terminal: true}
  - id: repair
    name: Repair
    description: have a device repaired
    trigger: "regex:(?i)need a repair"
    initial_step: device
    steps:
      - {id: device, name: Which device, required_context: [device], transitions: [{to_step: done}]}
      - {id: done, name: Done, is_terminal: true}
  - id: evening
    name: Game night
    description: plan an evening together
    scope: channel
    trigger: "literal:game night"
    initial_step: game
    steps:
      - {id: game, name: Choose a game, required_context: [game], transitions: [{to_step: set}]}
      - {id: set, name: All set, is_terminal: true}
`

// group is a conversation in which several people write, in one session.
type group struct {
	t       *testing.T
	book    *Book
	model   llm.Model
	session []byte
	person  map[string][]byte
	now     time.Time
	last    Guidance
}

func newGroup(t *testing.T, text string) *group {
	return &group{t: t, book: parseBook(t, text), person: map[string][]byte{}, now: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)}
}

func (g *group) state(user string) State {
	return State{User: user, Session: g.session, Person: g.person[user]}
}

func (g *group) say(user, text string) Guidance {
	g.t.Helper()
	g.now = g.now.Add(time.Second)
	var err error
	g.last, err = g.book.Guide(context.Background(), g.model, Situation{User: user, Text: text, State: g.state(user),
		Now: g.now, MessageID: g.now.Format(time.TimeOnly)})
	return g.keep(user, err)
}

// keep stores the state that the last guidance leaves.
func (g *group) keep(user string, err error) Guidance {
	g.t.Helper()
	must(g.t, err)
	g.session, g.person[user] = g.last.State.Session, g.last.State.Person
	return g.last
}

// at compares all of a person's journeys: "refund/order active, repair/device waiting".
func (g *group) at(user, want string) {
	g.t.Helper()
	list, err := g.book.Standings(g.state(user))
	var got []string
	for _, at := range list {
		got = append(got, fmt.Sprintf("%s/%s %s", at.JourneyID, at.CurrentStep, at.Status))
	}
	if s := strings.Join(got, ", "); s != want || err != nil {
		g.t.Errorf("after %v: %s, %v; want %s\nwhy %s", g.now.Format(time.TimeOnly), s, err, want, strings.Join(g.last.Why, "\n    "))
	}
}

// What one person has going on is nobody else's.
func TestAJourneyBelongsToItsPerson(t *testing.T) {
	g := newGroup(t, desk)
	if said := g.say("ann", "I want a refund"); !strings.Contains(said.Instructions, "Which order?") {
		t.Errorf("ann is not asked:\n%s", said.Instructions)
	}
	said := g.say("bob", "order 55555 arrived fine")
	if len(said.Result.TopMatches) > 0 || strings.Contains(said.Instructions, "Refund") {
		t.Errorf("bob is in ann's refund:\n%s", said.Instructions)
	}
	g.at("ann", "refund/order active")
	g.at("bob", "")
	for _, v := range g.book.Variables(g.state("ann")) {
		t.Errorf("ann has %s = %s, which bob said", v.Name, v.Value)
	}
	if said := g.say("ann", "hm"); strings.Contains(said.Instructions, "55555") {
		t.Errorf("ann's prompt has bob's order:\n%s", said.Instructions)
	}
	g.say("bob", "99999")
	g.at("bob", "")
	g.say("ann", "12345")
	g.at("ann", "refund/confirm active")
	g.say("bob", "yes")
	g.at("ann", "refund/confirm active")
	g.say("bob", "I want a refund") // his order was told before
	g.at("bob", "refund/confirm active")
	g.say("ann", "yes")
	g.at("ann", "refund/sent completed")
	g.at("bob", "refund/confirm active")
}

// A journey of the channel is everybody's, beside what each has going on.
func TestAJourneyOfTheChannel(t *testing.T) {
	g := newGroup(t, desk)
	g.say("ann", "I want a refund")
	g.say("bob", "let us plan a game night")
	g.at("bob", "evening/game active")
	g.at("ann", "refund/order active, evening/game active")
	if said := g.say("cem", "hello"); !strings.Contains(said.Instructions, "Which game?") {
		t.Errorf("cem is not in it:\n%s", said.Instructions)
	}
	g.say("cem", "chess")
	g.at("ann", "refund/order active, evening/set completed")
	if v := g.book.Variables(g.state("dan")); len(v) != 1 || string(v[0].Value) != `"chess"` {
		t.Errorf("dan's variables: %+v", v)
	}
}

func TestPeopleChangeTheirMind(t *testing.T) {
	for _, test := range []struct {
		name string
		said string // messages, one a line
		want string
	}{
		{"leaves", "I want a refund\nforget it", "refund/order left"},
		{"leaves by name", "I want a refund\nplease cancel the refund", "refund/order left"},
		{"leaves and switches", "I want a refund\nforget the refund, I need a repair", "repair/device active, refund/order left"},
		{"switches", "I want a refund\nbefore that I need a repair", "repair/device active, refund/order waiting"},
		{"switches instead", "I want a refund\nno, I need a repair instead", "repair/device active, refund/order left"},
		{"goes back", "I want a refund\nI need a repair\nback to the refund", "refund/order active, repair/device waiting"},
		{"goes back to what was left", "I want a refund\nforget it\nlet's continue with the refund", "refund/order active"},
		{"goes on", "I want a refund\nforget it\nwhere were we?", "refund/order active"},
		{"asks again for what was left", "I want a refund\norder 12345\nforget it\nI want a refund", "refund/confirm active"},
		{"the next comes up", "I want a refund\nI need a repair\nphone", "refund/order active, repair/done completed"},
		{"the next comes up when one is left", "I want a refund\nI need a repair\nnever mind", "refund/order active, repair/device left"},
		{"an answer is an answer", "I want a refund\n12345", "refund/confirm active"},
		{"the own trigger starts nothing twice", "I want a refund\nI want a refund", "refund/order active"},
		{"the journey's own way first", "I want a refund\n12345\nyes, stop asking", "refund/sent completed"},
		{"enough words in a sentence", "I want a refund\nmy dog would not stop barking at it", "refund/order active"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := newGroup(t, desk)
			for text := range strings.SplitSeq(test.said, "\n") {
				g.say("ann", text)
			}
			g.at("ann", test.want)
		})
	}
}

// With a model people say it in any words and language, and only a message that does
// not answer the step is worth a call.
func TestChangeOfMindIsJudged(t *testing.T) {
	g := newGroup(t, desk)
	m := &scripted{answers: []string{
		`{"conditions":[{"id":"leave:refund","relevance":0.9,"reason":"gives up"}]}`,
		`{"conditions":[{"id":"resume:refund","relevance":0.9,"reason":"goes on"}]}`,
	}}
	g.model = m
	g.say("ann", "I want a refund")
	g.say("ann", "order 12345")
	g.say("ann", "lass gut sein")
	g.at("ann", "refund/confirm left")
	g.say("ann", "I need a repair")
	g.at("ann", "repair/device active, refund/confirm left")
	if len(m.asked) != 1 {
		t.Fatalf("%d calls", len(m.asked))
	}
	g.say("ann", "doch wieder die Rückerstattung")
	g.at("ann", "refund/confirm active, repair/device waiting")
	if ids := fmt.Sprint(conditionIDs(m.question(1))); ids != "[leave:repair resume:refund]" {
		t.Errorf("asked %s", ids)
	}
}

// What waits is said, and comes up when the other is done.
func TestWhatWaitsIsSaid(t *testing.T) {
	g := newGroup(t, desk)
	g.say("ann", "I want a refund")
	if said := g.say("ann", "I need a repair"); !strings.Contains(said.Instructions, `"Refund", at the step "Find the order"`) ||
		!strings.Contains(said.Instructions, "Which device?") {
		t.Errorf("beside each other:\n%s", said.Instructions)
	}
	if said := g.say("ann", "phone"); !strings.Contains(said.Instructions, `"Repair" ends`) ||
		!strings.Contains(said.Instructions, "Find the order") {
		t.Errorf("at the end:\n%s", said.Instructions)
	}
	if said := g.say("ann", "well?"); !strings.Contains(said.Instructions, "Which order?") {
		t.Errorf("after it:\n%s", said.Instructions)
	}
}

// A state from before goes to who reads it, with all it had.
func TestOldStates(t *testing.T) {
	old := `{"v":1,"journey":{"id":"refund","status":"active","step":"confirm","started":"2026-01-31T09:00:00Z","entered":"2026-01-31T09:00:00Z"},
		"vars":{"order_id":{"name":"order_id","value":"12345","extracted_at":"2026-01-31T09:00:00Z","confidence":1,"source":"pattern"}},
		"parked":{"id":"repair","status":"suspended","step":"device","started":"2026-01-31T08:00:00Z","entered":"2026-01-31T08:00:00Z"},
		"past":[{"id":"evening","status":"completed","at":"2026-01-31T08:00:00Z"}]}`
	g := newGroup(t, desk)
	g.session = []byte(old)
	g.say("ann", "hm")
	g.at("ann", "refund/confirm active, repair/device waiting")
	g.at("bob", "")
	if v := g.book.Variables(g.state("ann")); len(v) != 1 || string(v[0].Value) != `"12345"` {
		t.Errorf("variables %+v", v)
	}
}

func TestScopeMistakes(t *testing.T) {
	_, err := Load(write1(t, "variables: [{name: x, description: d, scope: channel, per_person: true}]"), Options{})
	if err == nil || !strings.Contains(err.Error(), "cannot be kept for a person") {
		t.Errorf("%v", err)
	}
}
