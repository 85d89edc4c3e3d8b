package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/text"
)

const (
	maxArguments = 100_000 // bytes
	maxDepth     = 32
	maxProblems  = 20
)

// callerOwned lists arguments that models like to fill in but must not: identity
// comes from the transport.
var callerOwned = []string{"user_id", "actor_id", "author_id", "chat_id", "channel", "channel_id", "guild_id", "session", "session_id"}

// ArgumentError lists everything that is wrong with a call's arguments, one problem
// per line, each with its path. It is written for the model.
type ArgumentError struct{ Problems []string }

func (e *ArgumentError) Error() string { return strings.Join(e.Problems, "\n") }

// arguments validates one tool's arguments.
type arguments struct {
	schema *jsonschema.Schema
	whole  *jsonschema.Resolved
	form   map[string]any // the schema, as JSON
}

func compileArguments(raw []byte) (*arguments, error) {
	schema, err := readSchema(raw)
	if err == nil && schema.Type != "object" {
		err = errors.New("the schema is not of type object")
	}
	a := arguments{schema: schema}
	if err == nil {
		a.form, a.whole, err = resolve(schema)
	}
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	return &a, nil
}

// parse returns the arguments as clean JSON and the keys it dropped: the
// unknown ones and those only the transport may fill. The error is an
// *ArgumentError.
func (a *arguments) parse(raw []byte) (clean json.RawMessage, dropped []string, err error) {
	if len(raw) > maxArguments {
		return nil, nil, &ArgumentError{[]string{fmt.Sprintf("arguments: %d bytes, at most %d are allowed", len(raw), maxArguments)}}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}")
	}
	value, err := readJSON(raw, maxDepth)
	if err != nil {
		return nil, nil, &ArgumentError{[]string{"arguments: " + err.Error()}}
	}
	if top, ok := value.(map[string]any); ok {
		declared, _ := a.form["properties"].(map[string]any)
		for _, key := range callerOwned {
			if _, sent := top[key]; sent && declared[key] == nil {
				delete(top, key)
				dropped = append(dropped, key)
			}
		}
	}
	dropped = append(dropped, prune(a.form, value, "")...)
	slices.Sort(dropped)
	if err := a.whole.Validate(value); err != nil {
		return nil, dropped, &ArgumentError{a.problems(value, err)}
	}
	if clean, err = json.Marshal(value); err == nil {
		clean, err = text.ExactJSON(clean) // what people are asked about is what is run
	}
	if err != nil {
		return nil, dropped, &ArgumentError{[]string{"arguments: " + err.Error()}}
	}
	return clean, dropped, nil
}

// prune removes properties that the schema does not allow, and nulls for optional
// arguments, which models write to mean "not given".
func prune(schema map[string]any, value any, path string) (dropped []string) {
	switch v := value.(type) {
	case map[string]any:
		known, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for key, inner := range v {
			at := path + "/" + key
			form, ok := known[key].(map[string]any)
			switch {
			case known[key] == nil && schema["additionalProperties"] == false:
				delete(v, key)
				dropped = append(dropped, strings.TrimPrefix(at, "/"))
			case inner == nil && ok && !slices.Contains(required, any(key)) && form["type"] != nil && !allowsNull(form["type"]):
				delete(v, key)
			case ok:
				dropped = append(dropped, prune(form, inner, at)...)
			}
		}
	case []any:
		if items, ok := schema["items"].(map[string]any); ok {
			for i, inner := range v {
				dropped = append(dropped, prune(items, inner, fmt.Sprintf("%s/%d", path, i))...)
			}
		}
	}
	return dropped
}

func allowsNull(kind any) bool {
	list, _ := kind.([]any)
	return kind == "null" || slices.Contains(list, any("null"))
}

// problems returns everything that is wrong with value, each with its path. The
// library stops at the first mistake, so each place is checked by itself.
func (a *arguments) problems(value any, first error) []string {
	c := checker{root: a.schema, alone: map[*jsonschema.Schema]*jsonschema.Resolved{}}
	out := c.wrong(a.schema, value, "arguments")
	if len(out) == 0 {
		out = []string{"arguments: " + first.Error()}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if more := len(out) - maxProblems; more > 0 {
		out = append(out[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	for i, p := range out {
		out[i], _ = cut(p, 300)
	}
	return out
}

// checker checks each part of a schema by itself.
type checker struct {
	root  *jsonschema.Schema
	alone map[*jsonschema.Schema]*jsonschema.Resolved // nil where it only works within root
}

// wrong lists what is wrong inside value or, if that is nothing, with value itself.
func (c checker) wrong(schema *jsonschema.Schema, value any, path string) (out []string) {
	if schema == nil {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range schema.Required {
			if _, given := v[name]; !given {
				out = append(out, fmt.Sprintf("%s: %s is missing", path, name))
			}
		}
		for name, inner := range v {
			out = append(out, c.wrong(schema.Properties[name], inner, path+"/"+name)...)
		}
	case []any:
		for i, inner := range v {
			out = append(out, c.wrong(schema.Items, inner, fmt.Sprintf("%s/%d", path, i))...)
		}
	}
	if resolved := c.resolve(schema); len(out) == 0 && resolved != nil {
		if err := resolved.Validate(value); err != nil {
			out = []string{path + ": " + strings.TrimPrefix(err.Error(), "validating root: ")}
		}
	}
	return out
}

func (c checker) resolve(schema *jsonschema.Schema) *jsonschema.Resolved {
	resolved, known := c.alone[schema]
	if !known {
		part := *schema
		part.Schema, part.Defs, part.Definitions = c.root.Schema, c.root.Defs, c.root.Definitions
		_, resolved, _ = resolve(&part)
		c.alone[schema] = resolved
	}
	return resolved
}

// readJSON reads one JSON value and refuses what encoding/json accepts:
// duplicate keys, deep nesting, broken UTF-8, anything after the value.
func readJSON(raw []byte, deepest int) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	value, err := readValue(d, deepest)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not valid JSON: text after the value")
	}
	return value, nil
}

// readValue reads a value nested at most this deep.
func readValue(d *json.Decoder, deep int) (any, error) {
	if deep < 0 {
		return nil, errors.New("nested too deeply")
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return readObject(d, deep)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := readValue(d, deep-1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := d.Token()
		return list, err
	}
	if n, ok := token.(json.Number); ok {
		return number(n)
	}
	return token, nil
}

// number returns an int64 where that holds it, and else a float64.
func number(n json.Number) (any, error) {
	if i, err := n.Int64(); err == nil {
		return i, nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("number %.20s is out of range", n)
	}
	return f, nil
}

func readObject(d *json.Decoder, deep int) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("key %v is not a string", token)
		}
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("key %q is given twice", key)
		}
		value, err := readValue(d, deep-1)
		if err != nil {
			return nil, err
		}
		object[key] = value
	}
	_, err := d.Token()
	return object, err
}

func deriveSchema[A any](refine func(*jsonschema.Schema)) (json.RawMessage, error) {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		return nil, fmt.Errorf("derive schema: %w", err)
	}
	withoutNull(schema)
	for _, key := range callerOwned {
		if schema.Properties[key] != nil {
			return nil, fmt.Errorf("argument %s belongs to the transport", key)
		}
	}
	if refine != nil {
		refine(schema)
	}
	return json.Marshal(schema)
}

// withoutNull removes "null" from derived types: providers differ on lists of types,
// and prune already reads null as "not given".
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if kinds := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(kinds) == 1 {
		s.Type, s.Types = kinds[0], nil
	}
	for _, p := range s.Properties {
		withoutNull(p)
	}
	withoutNull(s.Items)
}
