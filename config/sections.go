package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"parley/internal/text/yamldoc"
)

// IsSettings reports whether a YAML text holds settings and nothing else: each of its keys is a
// section of them. known is how many it has.
func IsSettings(text string) (is bool, known int, err error) {
	root, err := yamldoc.Parse(text)
	if err != nil {
		return false, 0, err
	}
	m, ok := root.(*ast.MappingNode)
	if !ok {
		return root == nil, 0, nil
	}
	sections := map[string]bool{}
	for _, s := range Settings() {
		section, _, _ := strings.Cut(s.Path, ".")
		section, _, _ = strings.Cut(section, "[")
		sections[section] = true
	}
	for _, v := range m.Values {
		key, _ := yamldoc.Scalar(v.Key)
		if !sections[key] {
			return false, known, nil
		}
		known++
	}
	return true, known, nil
}
