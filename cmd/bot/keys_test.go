package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"golang.org/x/tools/txtar"

	"parley/internal/playbook"
)

// playbookKeys returns the table of all keys of a playbook, from its schema. Each has an
// example out of a rehearsal, which TestRehearseExamples plays: a key that none of them has
// is a mistake.
func playbookKeys(t *testing.T) string {
	var schema schemaNode
	must(t, json.Unmarshal(playbook.Schema(), &schema))
	shown := playedKeys(t)
	var b strings.Builder
	for _, list := range []string{"settings", "variables", "guidelines", "replies", "journeys", "guards", "glossary"} {
		fmt.Fprintf(&b, "## %s\n%s\n\n| key | what it does | example | played in |\n|---|---|---|---|\n", list, schema.Properties[list].Description)
		schema.Properties[list].rows(t, &b, list, "", shown)
		b.WriteString("\n")
	}
	return b.String()
}

// schemaNode is the part of a JSON Schema that says what keys there are.
type schemaNode struct {
	Description string                `json:"description"`
	Properties  map[string]schemaNode `json:"properties"`
	Required    []string              `json:"required"`
	Items       *schemaNode           `json:"items"`
}

func (n schemaNode) rows(t *testing.T, b *strings.Builder, path, under string, shown map[string]playedKey) {
	if n.Items != nil && n.Items.Properties != nil {
		n = *n.Items
	}
	keys := make([]string, 0, len(n.Properties))
	for k := range n.Properties {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		p, name := n.Properties[k], under+k
		example, ok := shown[path+"."+k]
		if !ok {
			t.Errorf("no rehearsal has an example of %s.%s", path, k)
		}
		what := p.Description
		if slices.Contains(n.Required, k) {
			what += " Needed."
		}
		fmt.Fprintf(b, "| `%s` | %s | `` %s `` | [%s](../config/rehearsals/%s) |\n", name, strings.ReplaceAll(what, "|", "\\|"),
			strings.ReplaceAll(example.text, "|", "\\|"), strings.TrimSuffix(example.file, ".txt"), example.file)
		p.rows(t, b, path+"."+k, name+".", shown)
	}
}

// playedKey is where a rehearsal uses a key.
type playedKey struct{ text, file string }

// playedKeys finds the keys in the playbooks of the rehearsals, those that are made to show
// keys first.
func playedKeys(t *testing.T) map[string]playedKey {
	found := map[string]playedKey{}
	files, err := filepath.Glob(filepath.Join(examples, "*.txt"))
	must(t, err)
	slices.SortStableFunc(files, func(a, b string) int {
		return boolOrder(strings.Contains(b, "keys")) - boolOrder(strings.Contains(a, "keys"))
	})
	for _, file := range files {
		script, err := os.ReadFile(file)
		must(t, err)
		for _, f := range txtar.Parse(script).Files {
			if !strings.HasPrefix(f.Name, "playbook/") {
				continue
			}
			parsed, err := parser.ParseBytes(f.Data, 0)
			if err != nil {
				continue // a rehearsal of mistakes
			}
			for _, doc := range parsed.Docs {
				keysIn(doc.Body, "", func(path, text string) {
					if _, ok := found[path]; !ok {
						found[path] = playedKey{text, filepath.Base(file)}
					}
				})
			}
		}
	}
	return found
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

var blanks = regexp.MustCompile(`\s+`)

// keysIn visits the keys of YAML, with their path and what is written there on one line.
func keysIn(n ast.Node, path string, visit func(path, text string)) {
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, v := range n.Values {
			keysIn(v, path, visit)
		}
	case *ast.MappingNode:
		for _, kv := range n.Values {
			here := strings.TrimPrefix(path+"."+kv.Key.GetToken().Value, ".")
			text := blanks.ReplaceAllString(strings.TrimSpace(kv.String()), " ")
			if runes := []rune(text); len(runes) > 70 {
				text = string(runes[:69]) + "…"
			}
			visit(here, text)
			keysIn(kv.Value, here, visit)
		}
	}
}
