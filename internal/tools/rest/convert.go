package rest

import (
	"regexp"
	"slices"
	"strings"

	"parley/internal/text"
)

// Keywords of schemas by what they hold. What is in none of them is left out: it is
// for people or for other programs.
var (
	keepsData = []string{"type", "format", "enum", "const", "default", "required", "title", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems",
		"uniqueItems", "minProperties", "maxProperties", "dependentRequired"}
	keepsSchema = []string{"items", "additionalProperties", "not", "contains", "propertyNames"}
	keepsList   = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	keepsNamed  = []string{"properties", "patternProperties"}
)

const ofSchemas = "#/components/schemas/"

// convert turns a schema of OpenAPI 3.0 or 3.1 into JSON Schema. Schemas that are
// referred to become definitions of the whole.
func (p *parameters) convert(v any) any {
	form, ok := v.(map[string]any)
	if !ok {
		return v // true and false
	}
	if ref, ok := form["$ref"].(string); ok {
		return p.refer(ref)
	}
	out := map[string]any{}
	for name, value := range form {
		switch {
		case name == "description":
			if s, ok := value.(string); ok {
				out[name] = short(s)
			}
		case slices.Contains(keepsData, name):
			out[name] = value
		case slices.Contains(keepsSchema, name):
			out[name] = p.convert(value)
		case slices.Contains(keepsList, name):
			list, _ := value.([]any)
			for i := range list {
				list[i] = p.convert(list[i])
			}
			out[name] = list
		case slices.Contains(keepsNamed, name):
			out[name] = p.named(value, form)
		}
	}
	modern(form, out)
	return out
}

// named converts properties. Those that only answers have are left out.
func (p *parameters) named(value any, form map[string]any) map[string]any {
	out := map[string]any{}
	all, _ := value.(map[string]any)
	for name, inner := range all {
		if m, ok := inner.(map[string]any); ok && m["readOnly"] == true {
			required, _ := form["required"].([]any)
			form["required"] = slices.DeleteFunc(slices.Clone(required), func(r any) bool { return r == name })
			continue
		}
		out[name] = p.convert(inner)
	}
	return out
}

// refer makes a reference into the file one into the whole.
func (p *parameters) refer(ref string) any {
	name, ok := strings.CutPrefix(ref, ofSchemas)
	if !ok || p.doc.Components == nil || p.doc.Components.Schemas[name] == nil {
		return map[string]any{}
	}
	if _, known := p.defs[name]; !known {
		p.defs[name] = map[string]any{} // it may refer to itself
		if raw, err := generic(p.doc.Components.Schemas[name]); err == nil {
			p.defs[name] = p.convert(raw)
		}
	}
	return map[string]any{"$ref": "#/$defs/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}
}

// modern rewrites what OpenAPI 3.0 says in its own way, and drops patterns that
// only other engines read.
func modern(form, out map[string]any) {
	if out["required"] != nil {
		out["required"] = form["required"] // properties may be gone
	}
	if required, ok := out["required"].([]any); ok && len(required) == 0 {
		delete(out, "required")
	}
	if kind, ok := out["type"].(string); ok && form["nullable"] == true {
		out["type"] = []any{kind, "null"}
		if list, ok := out["enum"].([]any); ok && !slices.Contains(list, nil) {
			out["enum"] = append(slices.Clone(list), nil)
		}
	}
	for _, side := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		if exclusive, ok := out[side[0]].(bool); ok {
			delete(out, side[0])
			if exclusive && out[side[1]] != nil {
				out[side[0]] = out[side[1]]
				delete(out, side[1])
			}
		}
	}
	if pattern, ok := out["pattern"].(string); ok {
		if _, err := regexp.Compile(pattern); err != nil {
			delete(out, "pattern")
		}
	}
}

// undescribed removes descriptions from a schema.
func undescribed(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, said := v["description"].(string); said {
			delete(v, "description")
		}
		for _, inner := range v {
			undescribed(inner)
		}
	case []any:
		for _, inner := range v {
			undescribed(inner)
		}
	}
}

// short returns what a file says about something, for a model.
func short(s string) string {
	clean, _ := text.Strip(strings.Join(strings.Fields(s), " "))
	return text.Shorten(clean, 200)
}
