package rest

import (
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"
)

// parameters collects the arguments of an operation.
type parameters struct {
	doc        description
	properties map[string]any
	required   []string
	defs       map[string]any // schemas that others refer to, by name
	slots      []slot
	lost       error // a schema that is referred to and is not there; nil for none
}

// parameter adds one parameter of a file, unless the owner's settings send it.
func (p *parameters) parameter(v parameter, d Definition) error {
	switch where(v.In) {
	case inHeader:
		if slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(v.Name)) || has(d.Headers, v.Name) || strings.EqualFold(v.Name, d.KeyHeader) {
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
func (p *parameters) add(v parameter) error {
	s := slot{arg: argName(v.Name), name: v.Name, in: where(v.In), style: v.Style, explode: v.Explode == nil || *v.Explode}
	if s.in != inQuery {
		s.explode = v.Explode != nil && *v.Explode
	}
	if v.Explode == nil && s.style != "" && s.style != "form" {
		s.explode = s.style == "deepObject"
	}
	schema := v.Schema
	if schema == nil {
		for _, media := range v.Content {
			schema = media.Schema
		}
	}
	if _, taken := p.properties[s.arg]; taken || s.arg == "" {
		s.arg = string(s.in) + "_" + s.arg
	}
	return p.argument(s, schema, v.Description, v.Required || s.in == inPath)
}

func has(pairs [][2]string, name string) bool {
	return slices.ContainsFunc(pairs, func(p [2]string) bool { return strings.EqualFold(p[0], name) })
}

// argument adds a property of the tool's schema, and where it goes.
func (p *parameters) argument(s slot, schema any, about string, required bool) error {
	var form any = map[string]any{}
	if schema != nil {
		raw, err := plainly(schema)
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
func (p *parameters) body(described any, d *Definition) error {
	if described == nil {
		return nil
	}
	var b body
	if err := p.doc.look(described, &b); err != nil {
		return fmt.Errorf("its body: %w", err)
	}
	for _, want := range []string{"application/json", "application/x-www-form-urlencoded"} {
		for kind, media := range b.Content {
			m, _, err := mime.ParseMediaType(kind)
			json := m == "application/json" || strings.HasSuffix(m, "+json") || m == "*/*"
			if err != nil || json != (want == "application/json") || !json && m != want {
				continue
			}
			d.Form = !json
			name := "body"
			if p.properties[name] != nil {
				name = "request_body"
			}
			return p.argument(slot{arg: name, name: name, in: inBody}, media.Schema, b.Description, b.Required)
		}
	}
	if b.Required {
		return fmt.Errorf("it wants a body that is neither JSON nor a form")
	}
	return nil
}

// address renames the placeholders of a path to the names of arguments.
func (p *parameters) address(path string) (string, error) {
	var lost string
	path = placeholderOfPath.ReplaceAllStringFunc(path, func(found string) string {
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

var placeholderOfPath = regexp.MustCompile(`\{[^{}]*\}`)

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
