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
