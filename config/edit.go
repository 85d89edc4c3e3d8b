package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"parley/internal/text/yamldoc"
)

// ErrByHand: a settings file is written in a way that Edit does not change.
var ErrByHand = errors.New("this file has to be changed by hand")

// Edit sets one setting in the text of a settings file. Everything else stays as it was
// written, comments and all. A list gets all of its values, which
// may also be one text with commas.
func Edit(text, path string, values ...string) (string, error) {
	c := Default()
	s, ok := c.find(path)
	if !ok {
		return "", unknown(path, paths())
	}
	if s.value.Kind() == reflect.Slice && len(values) == 1 {
		values = strings.FieldsFunc(values[0], func(r rune) bool { return r == ',' || r == ' ' })
	}
	root, err := yamldoc.Parse(text)
	if err != nil {
		return "", err
	}
	e := &edit{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n"), written: written(&s, values), values: values}
	if strings.TrimSpace(text) == "" {
		e.lines = nil
	}
	mapping, isMapping := root.(*ast.MappingNode)
	switch {
	case root == nil:
		e.add(len(e.lines), 0, strings.Split(path, "."))
	case !isMapping:
		return "", ErrByHand
	default:
		err = e.set(mapping, strings.Split(path, "."))
	}
	done := strings.Join(e.lines, "\n") + "\n"
	if _, broken := yamldoc.Parse(done); err == nil && broken != nil {
		err = ErrByHand
	}
	return done, err
}

// written returns values as YAML: a text and a list as JSON, which is YAML, too.
func written(s *Setting, values []string) string {
	var v any = values
	if s.value.Kind() != reflect.Slice {
		if s.value.Kind() != reflect.String {
			return strings.Join(values, " ")
		}
		v = strings.Join(values, " ")
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(v) // text always can
	return strings.ReplaceAll(strings.TrimSpace(b.String()), `","`, `", "`)
}

// edit is one change of the lines of a file.
type edit struct {
	lines   []string
	written string
	values  []string
}

// set sets what the names lead to below a mapping.
func (e *edit) set(m *ast.MappingNode, names []string) error {
	i := slices.IndexFunc(m.Values, func(v *ast.MappingValueNode) bool { return v.Key.GetToken().Value == names[0] })
	if i < 0 {
		return e.insert(m, names)
	}
	entry := m.Values[i]
	below, isMapping := entry.Value.(*ast.MappingNode)
	at := entry.Key.GetToken().Position
	empty := entry.Value.Type() != ast.MappingType && e.bare(at.Line, at.Column+len([]rune(names[0]))) && e.end(at.Line, at.Column) == at.Line
	switch {
	case len(names) > 1 && isMapping:
		return e.set(below, names[1:])
	case len(names) > 1 && empty && !m.IsFlowStyle:
		e.add(at.Line, at.Column+1, names[1:])
		return nil
	case len(names) > 1 || isMapping:
		return ErrByHand
	case empty && !m.IsFlowStyle:
		e.lines[at.Line-1] = withComment(e.lines[at.Line-1], at.Column-1, names[0]+": "+e.written)
		return nil
	}
	return e.replace(entry)
}

// bare reports whether a line ends with the colon in a column, but for a comment.
func (e *edit) bare(line, colon int) bool {
	rest := []rune(e.lines[line-1])
	after := strings.TrimSpace(string(rest[min(colon, len(rest)):]))
	return after == "" || strings.HasPrefix(after, "#")
}

// withComment replaces a line from a column on, but for a comment at its end.
func withComment(line string, from int, with string) string {
	r := []rune(line)
	if _, comment, ok := strings.Cut(string(r[from:]), " #"); ok {
		with += "  #" + comment
	}
	return string(r[:from]) + with
}

// insert adds names that a mapping does not have yet.
func (e *edit) insert(m *ast.MappingNode, names []string) error {
	if m.IsFlowStyle {
		if m.End == nil {
			return ErrByHand
		}
		pair := names[len(names)-1] + ": " + e.written
		for i := len(names) - 2; i >= 0; i-- {
			pair = names[i] + ": {" + pair + "}"
		}
		if len(m.Values) > 0 {
			pair = ", " + pair
		}
		e.splice(m.End.Position.Line, m.End.Position.Column, m.End.Position.Column, pair)
		return nil
	}
	if len(m.Values) == 0 {
		return ErrByHand
	}
	last := m.Values[len(m.Values)-1].Key.GetToken().Position
	e.add(e.end(last.Line, last.Column), last.Column-1, names)
	return nil
}

// add writes new lines after a line, indented.
func (e *edit) add(after, indent int, names []string) {
	var lines []string
	for i, name := range names {
		line := strings.Repeat(" ", indent+2*i) + name + ":"
		if i == len(names)-1 {
			line += " " + e.written
		}
		lines = append(lines, line)
	}
	e.lines = slices.Insert(e.lines, after, lines...)
}

// end returns the last line that belongs to the key of a block: those below it are
// indented more, or items of its list.
func (e *edit) end(line, column int) int {
	last := line
	for n := line + 1; n <= len(e.lines); n++ {
		text := e.lines[n-1]
		bare := strings.TrimLeft(text, " ")
		indent := len(text) - len(bare)
		switch {
		case strings.TrimSpace(bare) == "", strings.HasPrefix(bare, "#"):
			continue // belongs to what comes after it, unless that belongs to the key
		case indent >= column, indent == column-1 && strings.HasPrefix(bare, "-"):
			last = n
		default:
			return last
		}
	}
	return last
}

// splice replaces the columns from up to to of a line.
func (e *edit) splice(line, from, to int, with string) {
	r := []rune(e.lines[line-1])
	e.lines[line-1] = string(r[:from-1]) + with + string(r[to-1:])
}

// replace writes another value for a key that has one.
func (e *edit) replace(entry *ast.MappingValueNode) error {
	key, value := entry.Key.GetToken().Position, entry.Value.GetToken()
	if list, ok := entry.Value.(*ast.SequenceNode); ok && !list.IsFlowStyle {
		return e.extend(list, key.Line, key.Column)
	}
	first, last := value.Position, value
	if list, ok := entry.Value.(*ast.SequenceNode); ok {
		first, last = list.Start.Position, list.End
	}
	if first.Line != key.Line || last.Position.Line != key.Line || e.end(key.Line, key.Column) != key.Line && last.Next == nil {
		return ErrByHand
	}
	to := len([]rune(e.lines[key.Line-1])) + 1
	if n := last.Next; n != nil && n.Position.Line == key.Line {
		to = n.Position.Column
		for line := []rune(e.lines[key.Line-1]); to > first.Column && line[to-2] == ' '; {
			to--
		}
	} else if n != nil && e.end(key.Line, key.Column) != key.Line {
		return ErrByHand // a text over several lines
	}
	e.splice(key.Line, first.Column, to, e.written)
	return nil
}

// extend adds items to a list of lines; it takes none away.
func (e *edit) extend(list *ast.SequenceNode, line, column int) error {
	if len(e.values) < len(list.Values) || len(list.Values) == 0 {
		return ErrByHand
	}
	for i, item := range list.Values {
		if has, ok := yamldoc.Scalar(item); !ok || has != e.values[i] {
			return ErrByHand
		}
	}
	after := e.end(line, column)
	text := e.lines[after-1]
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	for i, v := range e.values[len(list.Values):] {
		quoted, _ := json.Marshal(v) // a text always can
		e.lines = slices.Insert(e.lines, after+i, indent+"- "+string(quoted))
	}
	return nil
}
