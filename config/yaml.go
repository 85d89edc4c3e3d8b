package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"parley/internal/text"
	"parley/internal/text/yamldoc"
)

// yamlFile applies one parsed file to a Config. Every value goes through Setting.set, like
// those of the environment and the flags.
type yamlFile struct {
	*loader
	name  string
	lines []string
}

// maxMistakes is the number of mistakes in one file that are reported at once.
const maxMistakes = 20

func (y *yamlFile) load(text string) {
	text = strings.TrimPrefix(text, "\ufeff")
	root, err := yamldoc.Parse(text)
	if err != nil {
		y.unparsed(err)
	} else if root != nil {
		y.section(root, reflect.ValueOf(&y.config).Elem(), "")
	}
}

// unparsed reports where the parser stopped, and the usual cause. The parser's own words
// may quote the file, and do not help people.
func (y *yamlFile) unparsed(err error) {
	var e *yamldoc.Error
	if !errors.As(err, &e) || e.Line == 0 {
		y.fail(wrong("is not YAML").from(y.name))
		return
	}
	line := ""
	if e.Line <= len(y.lines) {
		line = y.lines[e.Line-1]
	}
	mistake := wrong("this is not valid YAML")
	switch lead := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; {
	case errors.Is(err, yamldoc.ErrTooDeep):
		mistake = wrong("is nested too deeply to be a settings file")
	case errors.Is(err, yamldoc.ErrSeveral):
		mistake = wrong("a settings file is one document").hint("remove the line ---")
	case strings.Contains(lead, "\t"):
		mistake.hint("indent with spaces, not with tabs")
	case strings.Contains(e.Problem, "already defined"):
		mistake = wrong("this is set a second time")
	case strings.Contains(e.Problem, "end of quote"), strings.Contains(e.Problem, "could not find end character"),
		strings.Contains(e.Problem, "end token"), strings.Contains(e.Problem, "must be specified"):
		mistake.hint("a quotation mark or a bracket is opened here and never closed")
	case strings.Contains(e.Problem, "mapping value is not allowed"):
		mistake.hint("put a text that holds : or # between quotation marks")
	default:
		mistake.hint("the lines of a section are indented alike, with spaces")
	}
	y.failHere(e.Line, e.Column, mistake)
}

func (y *yamlFile) failAt(tk *token.Token, setting string, e *Error) {
	y.failHere(tk.Position.Line, tk.Position.Column, e.at(setting))
}

// failHere reports a mistake at a position in the file.
func (y *yamlFile) failHere(line, column int, e *Error) {
	e.Place = fmt.Sprintf("%s:%d:%d", y.name, line, column)
	e.Excerpt = strings.TrimSuffix(yamldoc.Excerpt(y.lines, line, column, masked), "\n")
	y.fail(e)
}

func (y *yamlFile) place(tk *token.Token) string {
	return fmt.Sprintf("%s:%d:%d", y.name, tk.Position.Line, tk.Position.Column)
}

// section applies a mapping to a struct.
func (y *yamlFile) section(node ast.Node, v reflect.Value, prefix string) {
	if node.Type() == ast.NullType || node.Type() == ast.CommentType {
		return
	}
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		y.failAt(node.GetToken(), strings.TrimSuffix(prefix, "."), wrong("expected settings, one `name: value` a line"))
		return
	}
	for _, entry := range mapping.Values {
		if len(y.errs) >= maxMistakes {
			return
		}
		key := entry.Key.GetToken()
		field, ok := fieldNamed(v, key.Value)
		if _, plain := entry.Key.(ast.ScalarNode); !plain || !ok {
			y.failAt(key, prefix+key.Value, unknown(prefix+key.Value, namesFor(v, prefix)))
			continue
		}
		y.value(entry.Value, v, field, prefix+key.Value)
	}
}

// namesFor returns the names to suggest: all, or those of this list's sections.
func namesFor(v reflect.Value, prefix string) []string {
	if !strings.Contains(prefix, "[") {
		return paths()
	}
	var names []string
	for _, f := range fields(v.Type()) {
		names = append(names, prefix+f.Tag.Get("yaml"))
	}
	return names
}

func fieldNamed(v reflect.Value, name string) (reflect.StructField, bool) {
	for _, f := range fields(v.Type()) {
		if f.Tag.Get("yaml") == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func (y *yamlFile) value(node ast.Node, parent reflect.Value, field reflect.StructField, path string) {
	v := parent.FieldByIndex(field.Index)
	s := newSetting(field, v, path)
	list, isList := node.(*ast.SequenceNode)
	switch {
	case v.Kind() == reflect.Struct:
		y.section(node, v, path+".")
		return
	case node.Type() == ast.NullType: // `name:` with nothing after it keeps the default
		return
	case isSections(v.Type()) && field.Tag.Get("key") != "" && node.Type() == ast.MappingType:
		y.keyed(node.(*ast.MappingNode), v, path, field.Tag.Get("key"))
	case isSections(v.Type()):
		if !isList {
			y.failAt(node.GetToken(), path, wrong("expected a list"))
			return
		}
		y.sections(list, v, path)
	case v.Type() == jsonType:
		y.json(node, &s)
	case isList && v.Kind() == reflect.Slice:
		y.list(list, &s)
	case node.Type() == ast.MappingType && joins[s.form] != "":
		y.pairs(node.(*ast.MappingNode), &s)
	default:
		text, ok := yamldoc.Scalar(node)
		if !ok {
			y.failAt(node.GetToken(), path, wrong("expected a single value"))
			return
		}
		if err := s.set(text); err != nil {
			y.failAt(node.GetToken(), path, &Error{Problem: err})
			return
		}
	}
	y.places[path] = y.place(node.GetToken())
}

// joins maps the form of lists that may be written as pairs to the separator of a pair.
var joins = map[string]string{"env": "=", "header": ": ", "query": "=", "metadata": ": "}

func (y *yamlFile) pairs(mapping *ast.MappingNode, s *Setting) {
	var items []string
	for _, entry := range mapping.Values {
		text, ok := yamldoc.Scalar(entry.Value)
		if _, plain := entry.Key.(ast.ScalarNode); !plain || !ok {
			y.failAt(entry.Key.GetToken(), s.Path, wrong("expected single values by name"))
			return
		}
		items = append(items, entry.Key.GetToken().Value+joins[s.form]+text)
	}
	s.setList(items)
}

// json writes a value of the file as JSON; a text must be JSON already.
func (y *yamlFile) json(node ast.Node, s *Setting) {
	if text, ok := yamldoc.Scalar(node); ok {
		s.value.SetString(strings.TrimSpace(text))
		return
	}
	var value any
	err := yaml.NodeToValue(node, &value)
	var written []byte
	if err == nil {
		written, err = json.Marshal(value)
	}
	if err != nil {
		y.failAt(node.GetToken(), s.Path, wrong("cannot be written as JSON"))
		return
	}
	s.value.SetString(string(written))
}

func (y *yamlFile) list(list *ast.SequenceNode, s *Setting) {
	var items []string
	for _, n := range list.Values {
		text, ok := yamldoc.Scalar(n)
		if !ok {
			y.failAt(n.GetToken(), s.Path, wrong("expected a list of single values"))
			return
		}
		if text = strings.TrimSpace(text); text != "" {
			y.places[fmt.Sprintf("%s[%d]", s.Path, len(items))] = y.place(n.GetToken())
			items = append(items, text)
		}
	}
	s.setList(items)
}

// keyed fills a list of structs from a mapping: each name becomes the value of key.
func (y *yamlFile) keyed(mapping *ast.MappingNode, v reflect.Value, path, key string) {
	v.Set(reflect.MakeSlice(v.Type(), len(mapping.Values), len(mapping.Values)))
	for i, entry := range mapping.Values {
		prefix := fmt.Sprintf("%s[%d].", path, i)
		y.places[strings.TrimSuffix(prefix, ".")] = y.place(entry.Key.GetToken())
		y.item(entry.Value, v.Index(i), prefix)
		if field, ok := fieldNamed(v.Index(i), key); ok {
			v.Index(i).FieldByIndex(field.Index).SetString(entry.Key.GetToken().Value)
		}
	}
}

// sections fills a list of structs; each starts with the defaults of its tags.
func (y *yamlFile) sections(list *ast.SequenceNode, v reflect.Value, path string) {
	v.Set(reflect.MakeSlice(v.Type(), len(list.Values), len(list.Values)))
	for i, n := range list.Values {
		prefix := fmt.Sprintf("%s[%d].", path, i)
		y.places[strings.TrimSuffix(prefix, ".")] = y.place(n.GetToken())
		y.item(n, v.Index(i), prefix)
	}
}

// item fills one struct of a list.
func (y *yamlFile) item(n ast.Node, v reflect.Value, prefix string) {
	walk(v, prefix, func(s *Setting) {
		if s.Default != "" {
			_ = s.set(s.Default) // a test proves every default valid
		}
	})
	y.section(n, v, prefix)
}

var keyLine = text.Pattern(`^([\s-]*([A-Za-z0-9_]+)\s*:)(.*)$`)

// masked returns a line without values that may be secret: a misspelt key may belong to a
// secret.
func masked(line string) string {
	parts := keyLine().FindStringSubmatch(line)
	switch {
	case strings.TrimSpace(line) == "":
		return ""
	case strings.HasPrefix(strings.TrimSpace(line), "#"):
		return "# …"
	case parts == nil:
		return "…"
	case strings.TrimSpace(parts[3]) == "", harmless(parts[2]) && !strings.ContainsAny(parts[3], "{["): // others may be within
		return parts[1] + cleanLine(parts[3])
	}
	return parts[1] + " …"
}

// harmless reports whether every setting whose path ends in this word may be shown.
func harmless(word string) bool {
	known := false
	for _, s := range Settings() {
		if lastWord(s.Path) == word {
			if s.Secret || s.form == "url" {
				return false
			}
			known = s.value.Kind() != reflect.Slice
		}
	}
	return known
}

func cleanLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s[:min(len(s), 120)])
}
