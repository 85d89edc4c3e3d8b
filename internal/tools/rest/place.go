package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"parley/internal/text"
)

// placeholder is {name}.
var placeholder = text.Pattern(`\{([A-Za-z0-9_.-]+)\}`)

// facts are placeholders that the transport fills in, never the model.
var facts = []string{"person.id", "person.name", "place.id", "call.key"}

// slot says where an argument of an OpenAPI operation goes.
type slot struct {
	arg, name string // as the model and as the service calls it
	in        where
	style     string // as OpenAPI has it
	explode   bool
}

// where is a part of a request.
type where string

// The parts of a request.
const (
	inPath   where = "path"
	inQuery  where = "query"
	inHeader where = "header"
	inBody   where = "body" // the whole body
)

// named lists the placeholders in s.
func named(s string) (names []string) {
	for _, found := range placeholder().FindAllStringSubmatch(s, -1) {
		names = append(names, found[1])
	}
	return names
}

// templates lists everything that may hold placeholders, with what it is called.
func (c *call) templates() (list [][2]string) {
	list = append(list, [2]string{"url", c.URL})
	for _, q := range c.Query {
		list = append(list, [2]string{"query " + q[0], q[1]})
	}
	for _, h := range c.Headers {
		list = append(list, [2]string{"header " + h[0], h[1]})
	}
	return append(list, [2]string{"body", string(c.Body)})
}

// declare reads the arguments, or makes them of the placeholders.
func (c *call) declare() error {
	schema := map[string]any{}
	if len(c.Parameters) > 0 {
		if err := json.Unmarshal(c.Parameters, &schema); err != nil {
			return errors.New("parameters: not a JSON object")
		}
	} else {
		schema = c.guess()
	}
	if schema["type"] == nil {
		schema["type"] = "object"
	}
	if schema["additionalProperties"] == nil {
		schema["additionalProperties"] = false
	}
	if schema["properties"] == nil {
		schema["properties"] = map[string]any{}
	}
	declared, ok := schema["properties"].(map[string]any)
	if !ok {
		return errors.New("parameters: properties is not an object")
	}
	for name := range declared {
		c.args[name] = true
	}
	var err error
	c.Parameters, err = json.Marshal(schema)
	return err
}

// guess returns a schema with a text for each placeholder.
func (c *call) guess() map[string]any {
	properties := map[string]any{}
	for _, t := range c.templates() {
		for _, name := range named(t[1]) {
			if !slices.Contains(facts, name) && !strings.HasPrefix(t[0], "header ") {
				properties[name] = map[string]any{"type": "string"}
			}
		}
	}
	return map[string]any{"properties": properties, "required": slices.Sorted(maps.Keys(properties))}
}

// place finds out which arguments have a place, and refuses placeholders that name
// nothing. The error does not repeat what stands around them: it may be a secret.
func (c *call) place() error {
	for _, t := range c.templates() {
		for _, name := range named(t[1]) {
			switch {
			case c.args[name]:
				c.used[name] = true
			case slices.Contains(facts, name):
			case t[0] == "url" || t[0] == "body":
				hint := ""
				if near := text.Nearest(name, slices.Collect(maps.Keys(c.args))); near != "" {
					hint = fmt.Sprintf("; did you mean {%s}?", near)
				}
				return fmt.Errorf("%s: {%s} is no argument%s", t[0], name, hint)
			default:
				return fmt.Errorf("%s: it holds a name in braces that is no argument", t[0])
			}
		}
	}
	for _, s := range c.slots {
		c.used[s.arg] = true
	}
	if c.Body == nil {
		return nil
	}
	for name := range c.args {
		if !c.used[name] {
			return fmt.Errorf("parameters: %s is sent nowhere: name it in url, query, headers or body", name)
		}
	}
	return nil
}

// hasBody reports whether arguments without a place go into the body.
func (c *call) hasBody() bool {
	return slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch}, c.Method)
}
