package sheet

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema returns the JSON Schema (2020-12) of a file that Read fills v from, for
// editors. It is made from the types and tags that Read checks with.
func Schema(title string, v any) []byte {
	root := schemaOf(reflect.TypeOf(v), shape{})
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // only strings, numbers and maps are in it
	}
	return append(text, '\n')
}

func schemaOf(t reflect.Type, s shape) map[string]any {
	out := map[string]any{}
	switch t.Kind() {
	case reflect.Pointer:
		out = schemaOf(t.Elem(), s)
	case reflect.Slice:
		item := s
		item.doc = ""
		out["type"], out["items"] = "array", schemaOf(t.Elem(), item)
	case reflect.Map:
		out["type"], out["additionalProperties"] = "object", map[string]any{"type": []string{"string", "number", "boolean"}}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			out["type"] = "string"
			break
		}
		schemaOfStruct(t, out)
	case reflect.Interface: // anything
	case reflect.Bool:
		out["type"] = "boolean"
	case reflect.Int, reflect.Float64:
		out["type"] = map[bool]string{true: "integer", false: "number"}[t.Kind() == reflect.Int]
		if !math.IsNaN(s.span[0]) {
			out["minimum"], out["maximum"] = s.span[0], s.span[1]
		}
	default:
		schemaOfText(s, out)
	}
	if s.doc != "" {
		out["description"] = s.doc
	}
	return out
}

func schemaOfStruct(t reflect.Type, out map[string]any) {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		if s, ok := shapeOf(t.Field(i)); ok {
			properties[s.key] = schemaOf(t.Field(i).Type, s)
			if s.required {
				required = append(required, s.key)
			}
		}
	}
	out["type"], out["properties"], out["additionalProperties"] = "object", properties, false
	if len(required) > 0 {
		out["required"] = required
	}
}

func schemaOfText(s shape, out map[string]any) {
	out["type"] = "string"
	if !math.IsNaN(s.length[0]) {
		out["minLength"], out["maxLength"] = s.length[0], s.length[1]
	}
	if s.format != "" {
		out["pattern"] = formats[s.format].re().String()
	}
	if s.enum != nil { // read in any case; offered as here and as in String
		either := slices.Clone(s.enum)
		for _, e := range s.enum {
			either = append(either, strings.ToUpper(e[:1])+e[1:])
		}
		out["enum"] = either
	}
}
