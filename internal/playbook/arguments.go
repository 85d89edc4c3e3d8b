package playbook

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/llm"
	"parley/internal/playbook/value"
)

func (t *turn) spec(tool string) (llm.ToolSpec, bool) {
	i := slices.IndexFunc(t.sit.Tools, func(s llm.ToolSpec) bool { return s.Name == tool })
	if i < 0 {
		return llm.ToolSpec{}, false
	}
	return t.sit.Tools[i], true
}

// offered returns the tools among these that exist here.
func (t *turn) offered(tools []string) (out []string) {
	for _, tool := range tools {
		if _, ok := t.spec(tool); ok || t.sit.Tools == nil {
			out = append(out, tool)
		} else {
			t.note("a rule offers the tool %s, which is not available here", tool)
		}
	}
	return out
}

func takesArguments(schema json.RawMessage) bool {
	var s struct{ Properties map[string]any }
	return json.Unmarshal(schema, &s) == nil && len(s.Properties) > 0
}

// argumentsFor returns the model's arguments for a tool, completed from variables
// of the same name; nil when there are none or they do not fit the schema.
func (t *turn) argumentsFor(tool string) json.RawMessage {
	spec, ok := t.spec(tool)
	if !ok {
		return nil
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(spec.Parameters, &s); err != nil {
		return nil
	}
	args := map[string]json.RawMessage{}
	if given := t.arguments[tool]; given != nil && (json.Unmarshal(given, &args) != nil || args == nil) {
		t.note("the model's arguments for %s are not an object", tool)
		args = map[string]json.RawMessage{}
	}
	for name := range args {
		if s.Properties[name] == nil {
			delete(args, name) // caller-owned or made up
		}
	}
	for name := range s.Properties {
		if v, known := t.value(name); known && args[name] == nil {
			args[name] = v.Value
		}
	}
	if len(args) == 0 {
		return nil
	}
	out := typed(args, spec.Parameters)
	s.Required = nil // what is missing the model that calls the tool fills in
	resolved, err := s.Resolve(nil)
	if err == nil {
		var x any
		_ = json.Unmarshal(out, &x)
		err = resolved.Validate(x)
	}
	if err != nil {
		t.note("arguments for %s do not fit its schema: %v", tool, err)
		return nil
	}
	return out
}

// Typed brings a call's arguments into the types of its tool's schema, as far as that is
// known; what is no object stays as it is.
func Typed(args, schema json.RawMessage) json.RawMessage {
	var named map[string]json.RawMessage
	if len(schema) == 0 || json.Unmarshal(args, &named) != nil {
		return args
	}
	return typed(named, schema)
}

// typed writes arguments as an object. Text and numbers become what the schema asks
// for; digits are never changed.
func typed(args map[string]json.RawMessage, schema json.RawMessage) json.RawMessage {
	var s struct{ Properties map[string]struct{ Type any } }
	_ = json.Unmarshal(schema, &s) // without one they stay as they are
	for name, raw := range args {
		kind, _ := s.Properties[name].Type.(string)
		text := value.Plain(raw)
		switch isText := strings.HasPrefix(string(raw), `"`); {
		case kind == "string" && !isText && !strings.ContainsAny(text[:1], "{["):
			args[name], _ = json.Marshal(text)
		case (kind == "number" || kind == "integer") && isText:
			digits := strings.TrimLeft(text, "0")
			if digits == "" || digits[0] == '.' {
				digits = "0" + digits
			}
			if _, ok := value.Number(text); ok && json.Valid([]byte(digits)) {
				args[name] = json.RawMessage(digits)
			}
		case kind == "boolean" && isText && (text == "true" || text == "false"):
			args[name] = json.RawMessage(text)
		}
	}
	out, err := json.Marshal(args)
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}
