// Package frontmatter reads what stands at the head of notes: title, tags, names and
// properties in YAML, and the day that a note is of. Whatever stands there, the note
// is read all the same. It searches nothing and changes no note.
package frontmatter

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"parley/internal/text/yamldoc"
)

// Bounds of frontmatter. What exceeds them is not parsed.
const (
	maxFront     = 64 << 10
	maxFrontNest = 32 // brackets, and list marks on one line
	maxFrontRows = 2000
	maxNames     = 500 // tags, and other names
)

// Matter is the metadata at the head of a note.
type Matter struct {
	Title         string
	Tags, Aliases []string   // at most 500 of each
	Properties    []Property // all others
	Unread        string     // the text, if it is not readable YAML
	Lines         int        // of the file
}

// Parse separates a note from the YAML at its head. It keeps wrong, deep or long YAML
// only as text.
func Parse(data string) (f Matter, rest string) {
	if !strings.HasPrefix(data, "---\n") {
		f.page(data)
		return f, data
	}
	end, size := -1, 0
	window := data[:min(len(data), maxFront)]
	for i, line := range strings.SplitAfter(window, "\n") {
		if mark := strings.TrimRight(line, " \t\n"); i > 0 && (mark == "---" || mark == "...") {
			end, f.Lines = size, i+1
			size += len(line)
			break
		}
		size += len(line)
	}
	if end < 0 {
		return f, data
	}
	f.read(window[len("---\n"):end])
	return f, data[size:]
}

// read takes the values straight from the syntax tree. It decodes nothing, so aliases do
// not expand.
func (f *Matter) read(text string) {
	if tangled(text) {
		f.Unread = text
		return
	}
	root, err := yamldoc.Parse(text)
	if err != nil || root == nil {
		f.Unread = text
		return
	}
	for _, pair := range pairs(root) {
		values := scalars(pair.Value)
		if key := strings.ToLower(pair.Key.String()); !f.known(key, values) {
			f.property(key, pair.Value, 1)
		}
	}
}

// known takes a title, tags or other names; it returns false for any other key.
func (f *Matter) known(key string, values []string) bool {
	switch key {
	case "title":
		if len(values) > 0 {
			f.Title = values[0]
		}
	case "tags", "tag":
		for _, v := range values {
			f.Tags = append(f.Tags, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })...)
		}
		f.Tags = f.Tags[:min(len(f.Tags), maxNames)]
	case "aliases", "alias":
		f.Aliases = append(f.Aliases, values...)
		f.Aliases = f.Aliases[:min(len(f.Aliases), maxNames)]
	default:
		return false
	}
	return true
}

func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// tangled reports whether YAML nests deeper than people write. The parser would need
// more than linear time for it.
func tangled(text string) bool {
	if strings.Count(text, "\n") > maxFrontRows {
		return true
	}
	open := 0
	for line := range strings.Lines(text) {
		if len(line) > maxFront/8 || strings.Count(line, "- ")+strings.Count(line, "? ")+strings.Count(line, ": ") > 4*maxFrontNest {
			return true
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		open += strings.Count(line, "[") + strings.Count(line, "{")
		open -= strings.Count(line, "]") + strings.Count(line, "}")
		if open > maxFrontNest || indent > 8*maxFrontNest || strings.Count(line, "[")+strings.Count(line, "{") > maxFrontNest {
			return true
		}
	}
	return false
}
