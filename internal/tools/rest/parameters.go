package rest

import (
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"parley/internal/text"
)

// parameters collects the arguments of an operation.
type parameters struct {
	doc        *openapi3.T
	properties map[string]any
	required   []string
	defs       map[string]any // schemas that others refer to, by name
	slots      []slot
}

// parameter adds one parameter of a file, unless the owner's settings send it.
func (p *parameters) parameter(ref *openapi3.ParameterRef, d Definition) error {
	if ref == nil || ref.Value == nil {
		return fmt.Errorf("a parameter cannot be found")
	}
	v := ref.Value
	switch where(v.In) {
	case inHeader:
		if slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(v.Name)) || has(d.Headers, v.Name) ||
			strings.EqualFold(v.Name, d.KeyHeader) {
			return nil
		}
	case inQuery:
		if has(d.Query, v.Name) {
			return nil
		}
	case inPath:
		if v.Style != "" && v.Style != "simple" {
			return fmt.Errorf("parameter %s has the style %s", v.Name, v.Style)
		}
	default: // cookies
		if v.Required {
			return fmt.Errorf("parameter %s is wanted in a %s", v.Name, v.In)
		}
		return nil
	}
	return p.add(v)
}

// add adds an argument for a parameter.
func (p *parameters) add(v *openapi3.Parameter) error {
	s := slot{arg: argName(v.Name), name: v.Name, in: where(v.In), style: v.Style, explode: v.Explode == nil || *v.Explode}
	if s.in != inQuery {
		s.explode = v.Explode != nil && *v.Explode
	}
	if v.Explode == nil && s.style != "" && s.style != "form" {
		s.explode = s.style == "deepObject"
	}
	ref := v.Schema
	if ref == nil && len(v.Content) > 0 {
		for _, media := range v.Content {
			ref = media.Schema
		}
	}
	if _, taken := p.properties[s.arg]; taken || s.arg == "" {
		s.arg = string(s.in) + "_" + s.arg
	}
	return p.argument(s, ref, v.Description, v.Required || s.in == inPath)
}

func has(pairs [][2]string, name string) bool {
	return slices.ContainsFunc(pairs, func(p [2]string) bool { return strings.EqualFold(p[0], name) })
}

// argument adds a property of the tool's schema, and where it goes.
func (p *parameters) argument(s slot, ref *openapi3.SchemaRef, about string, required bool) error {
	var form any = map[string]any{}
	if ref != nil {
		raw, err := generic(ref)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", s.name, err)
		}
		form = p.convert(raw)
	}
	if m, ok := form.(map[string]any); ok && about != "" && m["$ref"] == nil {
		m["description"] = short(about)
	}
	p.properties[s.arg] = form
	p.slots = append(p.slots, s)
	if required {
		p.required = append(p.required, s.arg)
	}
	return nil
}

// body adds the body, as JSON or as a form.
func (p *parameters) body(ref *openapi3.RequestBodyRef, d *Definition) error {
	if ref == nil || ref.Value == nil {
		return nil
	}
	for _, want := range []string{"application/json", "application/x-www-form-urlencoded"} {
		for kind, media := range ref.Value.Content {
			m, _, err := mime.ParseMediaType(kind)
			json := m == "application/json" || strings.HasSuffix(m, "+json") || m == "*/*"
			if err != nil || media == nil || json != (want == "application/json") || !json && m != want {
				continue
			}
			d.Form = !json
			name := "body"
			if p.properties[name] != nil {
				name = "request_body"
			}
			return p.argument(slot{arg: name, name: name, in: inBody}, media.Schema, ref.Value.Description, ref.Value.Required)
		}
	}
	if ref.Value.Required {
		return fmt.Errorf("it wants a body that is neither JSON nor a form")
	}
	return nil
}

// address renames the placeholders of a path to the names of arguments.
func (p *parameters) address(path string) (string, error) {
	var lost string
	path = placeholderOfPath().ReplaceAllStringFunc(path, func(found string) string {
		name := found[1 : len(found)-1]
		for _, s := range p.slots {
			if s.in == inPath && s.name == name {
				return "{" + s.arg + "}"
			}
		}
		lost = name
		return found
	})
	if lost != "" {
		return "", fmt.Errorf("the path's {%s} is not described", lost)
	}
	return path, nil
}

var placeholderOfPath = text.Pattern(`\{[^{}]*\}`)

// schema returns the schema of all arguments.
func (p *parameters) schema() (json.RawMessage, error) {
	form := map[string]any{"type": "object", "properties": p.properties, "additionalProperties": false}
	if len(p.required) > 0 {
		form["required"] = p.required
	}
	if len(p.defs) > 0 {
		form["$defs"] = p.defs
	}
	b, err := json.Marshal(form)
	if err == nil && len(b) > maxSchema {
		undescribed(form)
		b, err = json.Marshal(form)
	}
	if err == nil && len(b) > maxSchema {
		err = fmt.Errorf("its parameters take %d bytes, at most %d are offered to a model", len(b), maxSchema)
	}
	return b, err
}
