package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/text"
)

// understood lists the values of $schema that the library supports. Any other is
// read as the last of them, as MCP requires.
var understood = map[string]bool{"": true, "http://json-schema.org/draft-07/schema#": true,
	"https://json-schema.org/draft/2020-12/schema": true}

// maxNested is how deep a schema may be: the library reads each level once for
// every level around it.
const maxNested = 64

// readSchema reads a schema, possibly a stranger's.
func readSchema(raw []byte) (*jsonschema.Schema, error) {
	if _, err := readJSON(raw, maxNested); err != nil {
		return nil, err
	}
	schema := &jsonschema.Schema{}
	if err := json.Unmarshal(raw, schema); err != nil {
		return nil, err
	}
	if !understood[schema.Schema] {
		schema.Schema = ""
	}
	return schema, nil
}

// resolve prepares a schema. form is its JSON, nil for true and false.
func resolve(schema *jsonschema.Schema) (form map[string]any, ready *jsonschema.Resolved, err error) {
	raw, err := json.Marshal(schema) // keywords may have been written in other cases
	if err != nil {
		return nil, nil, err
	}
	var read any
	if err := json.Unmarshal(raw, &read); err != nil {
		return nil, nil, err
	}
	form, _ = read.(map[string]any)
	if err := bounded(form); err != nil {
		return nil, nil, err
	}
	ready, err = schema.CloneSchemas().Resolve(nil) // without a loader it reads neither files nor the network
	return form, ready, err
}

// types are those that JSON Schema knows.
var types = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// CheckTypes explains which part of a schema has a type that there is not; nil if none has.
// Nothing fits such a part. The schema has passed CheckSchema.
func CheckTypes(schema []byte) error {
	var form map[string]any
	if err := json.Unmarshal(schema, &form); err != nil {
		return err
	}
	return typed("", form)
}

func typed(at string, form map[string]any) error {
	names, several := form["type"].([]any)
	if !several && form["type"] != nil {
		names = []any{form["type"]}
	}
	for _, n := range names {
		if name, ok := n.(string); !ok || !slices.Contains(types, name) {
			return text.Tell("parameters: %s/type is %q; expected one of: %s", "#"+at, fmt.Sprint(n), strings.Join(types, ", "))
		}
	}
	if several && len(names) == 0 {
		return text.Tell("parameters: %s/type names no type", "#"+at)
	}
	if err := onTheValue.each(at, form, typed); err != nil {
		return err
	}
	return beneath.each(at, form, typed)
}

// maxWeight bounds how many parts of a schema are asked about one value. Those
// of real tools are asked a few dozen times; one of 20 KB can be written to be
// asked 2^100 times.
const maxWeight = 2000

// bounded explains why checking a value against a schema might not end; nil if it
// ends soon. A part that leads back to itself overflows the validator's stack, which
// kills the process. Parts are identified by their JSON pointer; references by id or
// anchor are refused, because their meaning depends on their position. An anchor that
// nothing refers to does nothing.
func bounded(form map[string]any) error {
	return weigher{form, map[string]int{}}.walk("", form)
}

// Keywords that contain schemas: one, a list of them, or one for each name.
type keywords struct{ one, list, named []string }

var (
	// onTheValue are asked about the value itself, beneath about its parts.
	onTheValue = keywords{[]string{"not", "if", "then", "else"}, []string{"allOf", "anyOf", "oneOf"},
		[]string{"dependentSchemas", "dependencies"}}
	beneath = keywords{
		[]string{"items", "additionalItems", "additionalProperties", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"},
		[]string{"items", "prefixItems"},
		[]string{"properties", "patternProperties", "$defs", "definitions"},
	}
	byName = []string{"$id", "$dynamicAnchor"}
)

// each calls do for every schema that form holds under these keywords.
func (k keywords) each(at string, form map[string]any, do func(at string, form map[string]any) error) error {
	var err error
	try := func(at string, part any) {
		if form, ok := part.(map[string]any); ok && err == nil {
			err = do(at, form)
		}
	}
	for _, key := range k.one {
		try(at+"/"+key, form[key])
	}
	for _, key := range k.list {
		list, _ := form[key].([]any)
		for i, part := range list {
			try(at+"/"+key+"/"+strconv.Itoa(i), part)
		}
	}
	for _, key := range k.named {
		named, _ := form[key].(map[string]any)
		for name, part := range named {
			try(at+"/"+key+"/"+escape.Replace(name), part)
		}
	}
	return err
}

// weigher knows the weight of parts; 0 is that of one being weighed.
type weigher struct {
	root   map[string]any
	weight map[string]int
}

// walk weighs a part and all it holds.
func (w weigher) walk(at string, form map[string]any) error {
	if _, err := w.weigh(at, form); err != nil {
		return err
	}
	if err := onTheValue.each(at, form, w.walk); err != nil {
		return err
	}
	return beneath.each(at, form, w.walk)
}

// weigh counts the parts that check the same value as this one.
func (w weigher) weigh(at string, form map[string]any) (int, error) {
	if n, known := w.weight[at]; known {
		if n == 0 {
			return 0, fmt.Errorf("the part at #%s leads back to itself", at)
		}
		return n, nil
	}
	w.weight[at] = 0
	sum := 1
	add := func(at string, form map[string]any) error {
		n, err := w.weigh(at, form)
		if sum += n; err == nil && sum > maxWeight {
			err = errors.New("it asks too much about one value")
		}
		return err
	}
	for _, key := range byName {
		if form[key] != nil && at != "" {
			return 0, fmt.Errorf("%s within is not allowed", key)
		}
	}
	if form["$dynamicRef"] != nil {
		return 0, errors.New("$dynamicRef is not allowed")
	}
	if err := onTheValue.each(at, form, add); err != nil {
		return 0, err
	}
	if ref, ok := form["$ref"].(string); ok {
		to, target, err := w.follow(ref)
		if err == nil {
			err = add(to, target)
		}
		if err != nil {
			return 0, err
		}
	}
	w.weight[at] = sum
	return sum, nil
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// follow finds the part that a reference names by its pointer.
func (w weigher) follow(ref string) (at string, form map[string]any, err error) {
	u, err := url.Parse(ref)
	if err != nil || !strings.HasPrefix(ref, "#") || u.Fragment != "" && u.Fragment[0] != '/' {
		return "", nil, fmt.Errorf("reference to %.100s is not allowed", ref)
	}
	var part any = w.root
	for _, step := range strings.Split(u.Fragment, "/")[1:] {
		switch inner := part.(type) {
		case map[string]any:
			part = inner[unescape.Replace(step)]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) {
				return "", nil, fmt.Errorf("reference to %.100s leads nowhere", ref)
			}
			step, part = strconv.Itoa(i), inner[i]
		}
		at += "/" + escape.Replace(unescape.Replace(step))
	}
	if form, ok := part.(map[string]any); ok {
		return at, form, nil
	}
	if part == true || part == false { // they stand for {} and {"not":{}}
		return at, nil, nil
	}
	return "", nil, fmt.Errorf("reference to %.100s leads nowhere", ref)
}
