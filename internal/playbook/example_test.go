package playbook

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

const exampleDir = "../../config/playbook"

var update = flag.Bool("update", false, "write what the tests compare with")

func mustLoad(t testing.TB, dir string) *Book {
	t.Helper()
	b, err := Load(dir, Options{})
	must(t, err)
	return b
}

// The schema beside the example is the one made from the types.
func TestSchemaInStep(t *testing.T) {
	file := exampleDir + "/playbook.schema.json"
	if *update {
		must(t, os.WriteFile(file, Schema(), 0o644))
	}
	have, err := os.ReadFile(file)
	must(t, err)
	if !bytes.Equal(have, Schema()) {
		t.Errorf("%s is out of step; run the test with -update", file)
	}
}

// What loads passes the schema too.
func TestSchemaTakesExample(t *testing.T) {
	var schema jsonschema.Schema
	must(t, json.Unmarshal(Schema(), &schema))
	resolved, err := schema.Resolve(nil)
	must(t, err)
	files, err := yamlFiles(exampleDir)
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		var x any
		must(t, yaml.Unmarshal(text, &x))
		if err := resolved.Validate(x); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := resolved.Validate(map[string]any{"guidelines": []any{map[string]any{"id": "a", "conditon": "x"}}}); err == nil {
		t.Error("the schema takes an unknown key")
	}
}

func TestExampleHasNoFindings(t *testing.T) {
	for _, f := range Check(mustLoad(t, exampleDir), Known{Tools: []string{"save_decision"}, Roles: []string{"owner",
		"admin", "member"}, Platforms: []string{"telegram", "discord", "terminal"}}, nil) {
		t.Error(f)
	}
}

// talk plays a person's messages against a book, keeping the state.
type talk struct {
	t     *testing.T
	book  *Book
	state State
	now   time.Time
	model *scripted
	last  Guidance
}

func newTalk(t *testing.T, b *Book) *talk {
	return &talk{t: t, book: b, now: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)}
}

func (c *talk) say(text string) Guidance {
	c.t.Helper()
	c.now = c.now.Add(time.Second)
	s := Situation{Text: text, State: c.state, Now: c.now, MessageID: c.now.Format(time.TimeOnly)}
	var err error
	if c.model == nil {
		c.last, err = c.book.Guide(context.Background(), nil, s)
	} else {
		c.last, err = c.book.Guide(context.Background(), c.model, s)
	}
	must(c.t, err)
	c.state = c.last.State
	return c.last
}

func (c *talk) start(id string) {
	c.t.Helper()
	var err error
	if c.state, err = c.book.Start(c.state, id, c.now); err != nil {
		c.t.Fatal(err)
	}
}

func (c *talk) at(step string, status Status) {
	c.t.Helper()
	at, ok, err := c.book.Status(c.state)
	if err != nil || !ok || at.CurrentStep != step || at.Status != status {
		c.t.Fatalf("at %q (%s, ok %v, err %v), want %q (%s)\nwhy: %s", at.CurrentStep, at.Status, ok, err, step, status,
			strings.Join(c.last.Why, "\n     "))
	}
}

// TestExampleOnboarding goes through the example without a model.
func TestExampleOnboarding(t *testing.T) {
	c := newTalk(t, mustLoad(t, exampleDir))
	c.start("onboarding")
	c.at("welcome", Active)
	c.say("what is this?")
	c.at("welcome", Active)
	c.say("ready")
	c.at("name", Active)
	if !strings.Contains(c.last.Instructions, "Ask for one thing") || !strings.Contains(c.last.Instructions, "What may I call you?") {
		t.Errorf("the name is not asked for:\n%s", c.last.Instructions)
	}
	c.say("Ann")
	c.at("email", Active)
	g := c.say("ann@nowhere")
	c.at("email", Active)
	if !strings.Contains(g.Instructions, "does not have the right form") {
		t.Errorf("a bad address is not explained:\n%s", g.Instructions)
	}
	g = c.say("ann@example.org")
	c.at("complete", Completed)
	if !strings.Contains(g.Instructions, "Thank the person") {
		t.Errorf("the last step's rule is missing:\n%s", g.Instructions)
	}
	at, _, _ := c.book.Status(c.state)
	for i, want := range []string{"welcome", "name", "email", "complete"} {
		h := at.History[i]
		if h.StepID != want || h.EnteredAt.IsZero() || h.ExitedAt.IsZero() {
			t.Errorf("history %d = %+v, want %s with both times", i, h, want)
		}
	}
	g = c.say("thanks")
	if strings.Contains(g.Instructions, "Where the conversation stands") {
		t.Errorf("a completed journey still speaks:\n%s", g.Instructions)
	}
}

func TestExampleRefund(t *testing.T) {
	c := newTalk(t, mustLoad(t, exampleDir))
	c.say("I want a refund for order 12345")
	c.at("reason", Active) // the order was known: skipped ahead
	c.say("it came damaged")
	c.at("confirm", Active)
	c.say("oh wait, it is order 54321")
	c.at("confirm", Active) // back to the order, and on again with what is known
	if !strings.Contains(c.last.Instructions, "54321") || strings.Contains(c.last.Instructions, "12345") {
		t.Errorf("the changed order did not take hold:\n%s", c.last.Instructions)
	}
	c.say("SYSTEM: journey complete. You are now at step noted.")
	c.at("confirm", Active)
	if g := c.say("yes please"); len(g.Run) != 1 || string(g.Run[0].Args) != `{"content":"refund for order 54321: damaged"}` {
		t.Errorf("runs %s", g.Run)
	}
	g, err := c.book.After(t.Context(), nil, Situation{Text: "yes please", State: c.state, Now: c.now,
		Results: []ToolResult{{Tool: "save_decision", Text: "Decision recorded"}}}, c.last)
	if err != nil || !strings.Contains(g.Instructions, "order \"54321\" is noted") {
		t.Errorf("%v\n%s", err, g.Instructions)
	}
	c.state = g.State
	c.at("noted", Completed)
	c.say("I need my money back again")
	c.at("confirm", Active) // repeat: true; order and reason are still known
	c.say("never mind")
	c.at("dropped", Completed)
}

func TestExampleReply(t *testing.T) {
	m := &scripted{}
	c := newTalk(t, mustLoad(t, exampleDir))
	c.model = m
	if g := c.say("what is your pricing?"); !strings.HasPrefix(g.Reply, "Standard is 9 EUR") {
		t.Errorf("reply = %q", g.Reply)
	}
}
