package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"parley/internal/yamldoc"
)

// Bounds of what is read of a file.
const (
	maxFile    = 16 << 20
	maxAliased = 1 << 20 // nodes, with all that aliases stand for
	maxHops    = 20      // of one reference
)

// description is an OpenAPI 3 file as plain values. References are followed where they
// are met, within the file only: nothing else is read.
type description struct{ root map[string]any }

// What is read of a parameter, a body and an operation; what the rest says is for people.
// A schema is a mapping, true, false or nil.
type (
	parameter struct {
		Name, In, Style, Description string
		Explode                      *bool
		Required                     bool
		Schema                       any
		Content                      map[string]media
	}
	body struct {
		Description string
		Required    bool
		Content     map[string]media
	}
	media  struct{ Schema any }
	fields struct {
		OperationID, Summary, Description string
		Deprecated                        bool
		Parameters                        []any
		RequestBody                       any
	}
)

// readDescription reads YAML or JSON.
func readDescription(file []byte) (d description, err error) {
	if len(file) > maxFile {
		return d, fmt.Errorf("the file has %d bytes, at most %d are read", len(file), maxFile)
	}
	in := json.NewDecoder(bytes.NewReader(file))
	in.UseNumber()
	if in.Decode(&d.root) != nil {
		if d.root, err = readYAML(string(file)); err != nil {
			return d, fmt.Errorf("read OpenAPI: %w", err)
		}
	}
	if !strings.HasPrefix(fmt.Sprint(d.root["openapi"]), "3.") {
		return d, errors.New("this is no OpenAPI 3 file: convert older ones first")
	}
	return d, nil
}

func readYAML(text string) (root map[string]any, err error) {
	node, err := yamldoc.Parse(text)
	if err != nil || node == nil {
		return nil, err
	}
	w := weigher{anchors: map[string]int{}}
	if w.weigh(node); w.total > maxAliased {
		return nil, errors.New("its aliases stand for too much")
	}
	err = yaml.NodeToValue(node, &root)
	return root, err
}

// weigher counts the nodes of a document, each alias as what it stands for, which may
// hold aliases in turn.
type weigher struct {
	anchors map[string]int
	total   int
}

func (w *weigher) weigh(n ast.Node) {
	before := w.total
	switch n := n.(type) {
	case *ast.AnchorNode:
		w.weigh(n.Value)
		w.anchors[n.Name.String()] = w.total - before
	case *ast.AliasNode:
		w.total = min(w.total+w.anchors[n.Value.String()], maxAliased+1)
	case *ast.MappingNode:
		for _, v := range n.Values {
			w.weigh(v.Value)
		}
	case *ast.MappingValueNode:
		w.weigh(n.Value)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			w.weigh(v)
		}
	case *ast.TagNode:
		w.weigh(n.Value)
	}
	w.total++
}

// follow returns what v is, or what it refers to.
func (d description) follow(v any) (any, error) {
	for range maxHops {
		m, _ := v.(map[string]any)
		ref, ok := m["$ref"].(string)
		if !ok {
			return v, nil
		}
		var err error
		if v, err = d.at(ref); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("a reference leads to itself")
}

// at returns what a reference names: #, and the way through the file.
func (d description) at(ref string) (v any, err error) {
	way, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, fmt.Errorf("it refers to %q, and only this file is read", ref)
	}
	v = d.root
	for _, name := range strings.Split(way, "/") {
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch in := v.(type) {
		case map[string]any:
			v, ok = in[name]
		case []any:
			var i int
			if i, err = strconv.Atoi(name); err == nil && i >= 0 && i < len(in) {
				v = in[i]
			} else {
				ok = false
			}
		default:
			ok = false
		}
		if !ok {
			return nil, fmt.Errorf("it refers to %q, which is not in the file", ref)
		}
	}
	return v, nil
}

// look reads what v is, or refers to, into a struct.
func (d description) look(v, into any) error {
	v, err := d.follow(v)
	if err != nil {
		return err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}
