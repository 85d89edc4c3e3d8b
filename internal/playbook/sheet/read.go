package sheet

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"parley/internal/text"
)

// formats are the forms of names. Models read the names of tools and variables;
// ids have to be one word so that commands can take them.
var formats = map[string]struct {
	re   func() *regexp.Regexp
	says string
}{
	"name": {text.Pattern(`^[a-z][a-z0-9_]{0,49}$`), "1 to 50 lower-case letters, digits and _, a letter first"},
	"tool": {text.Pattern(`^[a-z][a-zA-Z0-9_-]{0,63}$`), "1 to 64 letters, digits, _ and -, a small letter first"},
	"id":   {text.Pattern(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`), "1 to 64 letters, digits, _, . and -"},
}

// shape holds the requirements in the tags of a field.
type shape struct {
	key, doc, format string
	required         bool
	length, span     [2]float64 // NaN pair when absent
	enum             []string
}

func shapeOf(f reflect.StructField) (shape, bool) {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	s := shape{key: key, doc: f.Tag.Get("doc")}
	s.length = [2]float64{math.NaN(), math.NaN()}
	s.span = s.length
	for rule := range strings.FieldsSeq(f.Tag.Get("rule")) {
		name, arg, _ := strings.Cut(rule, "=")
		switch name {
		case "required":
			s.required = true
		case "format":
			s.format = arg
		case "len":
			s.length = bounds(arg)
		case "range":
			s.span = bounds(arg)
		case "enum":
			s.enum = strings.Split(arg, "|")
		}
	}
	return s, f.IsExported() && key != ""
}

func bounds(arg string) [2]float64 {
	lo, hi, _ := strings.Cut(arg, "..")
	a, _ := strconv.ParseFloat(lo, 64)
	b, _ := strconv.ParseFloat(hi, 64)
	return [2]float64{a, b}
}

// reader turns one file's nodes into Go values. It notes the line of each and every
// mistake on the way.
type reader struct{ src *Source }

// Read fills v, a pointer to a struct with tags, from a document. Lists grow by what the
// document has, and a struct's field At, a Place, says where it was read. What is wrong
// goes to src.
func Read(src *Source, root ast.Node, v any) {
	(&reader{src}).read(root, reflect.ValueOf(v).Elem(), "", shape{})
}

// read fills v, which is addressable, from n. s is the shape of the field that
// holds it.
func (r *reader) read(n ast.Node, v reflect.Value, path string, s shape) {
	r.src.lines[path] = n.GetToken().Position.Line
	if v.Kind() == reflect.Struct {
		if at := v.FieldByName("At"); at.IsValid() {
			at.Set(reflect.ValueOf(Place{r.src, path}))
		}
	}
	switch n.(type) {
	case *ast.NullNode:
		return
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		r.src.Mistake(path, "anchors, aliases and tags are not taken here; write the value out")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.read(n, v.Elem(), path, s)
	case reflect.Slice:
		r.readList(n, v, path, s)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			r.readTime(n, v, path)
			return
		}
		r.readStruct(n, v, path)
	case reflect.Map:
		r.readMetadata(n, v, path)
	case reflect.Interface:
		var x any
		if err := yaml.NodeToValue(n, &x); err != nil {
			r.src.Mistake(path, "cannot be read: %v", err)
			return
		}
		v.Set(reflect.ValueOf(&x).Elem())
	default:
		r.readScalar(n, v, path, s)
	}
}

func (r *reader) readList(n ast.Node, v reflect.Value, path string, s shape) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.src.Mistake(path, "wants a list, got %s", kindOf(n))
		return
	}
	kind := v.Type().Elem()
	pointers := kind.Kind() == reflect.Pointer
	if pointers {
		kind = kind.Elem()
	}
	for i, node := range seq.Values {
		item := reflect.New(kind)
		r.read(node, item.Elem(), fmt.Sprintf("%s[%d]", path, i), s)
		if !pointers {
			item = item.Elem()
		}
		v.Set(reflect.Append(v, item))
	}
}

func (r *reader) readStruct(n ast.Node, v reflect.Value, path string) {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		r.src.Mistake(path, "wants a mapping of names to values, got %s", kindOf(n))
		return
	}
	fields, names := map[string]int{}, []string{}
	for i := range v.NumField() {
		if s, ok := shapeOf(v.Type().Field(i)); ok {
			fields[s.key] = i
			names = append(names, s.key)
		}
	}
	given := map[string]bool{}
	for _, kv := range m.Values {
		key := kv.Key.GetToken().Value
		here := join(path, key)
		r.src.lines[here] = kv.Key.GetToken().Position.Line
		i, known := fields[key]
		_, null := kv.Value.(*ast.NullNode)
		if near := Suggest(key, names); !known && m.IsFlowStyle && (null || near == "") {
			r.src.Mistake(here, "unknown key%s; inside {…} a comma ends a text: put a text that has commas in quotes", near)
			continue
		}
		if !known {
			r.src.Mistake(here, "unknown key%s", Suggest(key, names))
			continue
		}
		s, _ := shapeOf(v.Type().Field(i))
		given[key] = !null
		r.read(kv.Value, v.Field(i), here, s)
	}
	for _, name := range names {
		if s, _ := shapeOf(v.Type().Field(fields[name])); s.required && !given[name] {
			r.src.Mistake(path, "%s is missing", name)
		}
	}
}

func (r *reader) readMetadata(n ast.Node, v reflect.Value, path string) {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		r.src.Mistake(path, "wants a mapping of names to texts, got %s", kindOf(n))
		return
	}
	notes := map[string]string{}
	for _, kv := range m.Values {
		if _, ok := kv.Value.(ast.ScalarNode); !ok {
			r.src.Mistake(join(path, kv.Key.GetToken().Value), "wants text, got %s", kindOf(kv.Value))
			continue
		}
		notes[kv.Key.GetToken().Value] = kv.Value.GetToken().Value
	}
	v.Set(reflect.ValueOf(notes))
}

func (r *reader) readTime(n ast.Node, v reflect.Value, path string) {
	text := n.GetToken().Value
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
	}
	if err != nil {
		r.src.Mistake(path, "wants a time like 2026-01-31T09:30:00Z, got %q", text)
		return
	}
	v.Set(reflect.ValueOf(t.UTC()))
}

func (r *reader) readScalar(n ast.Node, v reflect.Value, path string, s shape) {
	var x any
	if _, scalar := n.(ast.ScalarNode); scalar {
		if err := yaml.NodeToValue(n, &x); err != nil {
			r.src.Mistake(path, "cannot be read: %v", err)
			return
		}
	}
	switch text, isText := x.(string); {
	case v.Kind() == reflect.String && isText:
		r.checkText(text, path, s)
		v.SetString(text)
		return
	case v.Kind() == reflect.Bool:
		if b, ok := x.(bool); ok {
			v.SetBool(b)
			return
		}
	case v.CanInt(), v.CanFloat():
		f, ok := Number(x)
		if ok && (v.CanFloat() || f == math.Trunc(f)) {
			if f < s.span[0] || f > s.span[1] {
				r.src.Mistake(path, "wants %v to %v, got %v", s.span[0], s.span[1], f)
			}
			if v.CanInt() {
				v.SetInt(int64(f))
			} else {
				v.SetFloat(f)
			}
			return
		}
	}
	wants := map[reflect.Kind]string{reflect.String: "text (put it in quotes)", reflect.Bool: "true or false", reflect.Int: "a whole number"}
	r.src.Mistake(path, "wants %s, got %s", cmp.Or(wants[v.Kind()], "a number"), kindOf(n))
}

func (r *reader) checkText(text, path string, s shape) {
	n := float64(utf8.RuneCountInString(strings.TrimSpace(text)))
	switch {
	case s.required && n == 0:
		r.src.Mistake(path, "must not be empty")
	case n < s.length[0] || n > s.length[1]:
		r.src.Mistake(path, "wants %v to %v characters, got %v", s.length[0], s.length[1], n)
	case s.format != "" && !formats[s.format].re().MatchString(text):
		r.src.Mistake(path, "%q is not a name: wants %s", text, formats[s.format].says)
	case s.enum != nil && !slices.Contains(s.enum, strings.ToLower(text)):
		r.src.Mistake(path, "%q is none of %s%s", text, strings.Join(s.enum, ", "), Suggest(text, s.enum))
	}
}

// Number returns a number that YAML or JSON was decoded to; ok is false for anything
// else, and for what is not finite.
func Number(x any) (f float64, ok bool) {
	switch x := x.(type) {
	case float64:
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	}
	return 0, false
}

func kindOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	default:
		return strconv.Quote(n.GetToken().Value)
	}
}

func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}
