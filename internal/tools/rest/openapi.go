package rest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"crypto/sha256"
	"encoding/hex"

	"github.com/getkin/kin-openapi/openapi3"

	"parley/internal/text"
)

const (
	maxFile       = 16 << 20
	maxOperations = 100      // of one file
	maxSchema     = 16 << 10 // bytes of one operation's parameters
	maxToolName   = 64
)

// Service is an HTTP service that an OpenAPI file describes.
type Service struct {
	Name string // prefix of its tools
	URL  string // "" is the first server of the file
	// Operations are ids or patterns; nil is everything that only reads.
	Operations []string
	// Make returns a Definition with everything that the file does not say, for an
	// operation with this method.
	Make func(method string) Definition
}

// Left is an operation that cannot be a tool, and why.
type Left struct{ ID, Why string }

// Read makes definitions of the operations in an OpenAPI 3 file. It reads no other
// file and no address. Operations that a pattern matches and that cannot be tools
// are returned in left; one that is named is an error.
func Read(file []byte, s Service) (list []Definition, left []Left, err error) {
	if len(file) > maxFile {
		return nil, nil, fmt.Errorf("the file has %d bytes, at most %d are read", len(file), maxFile)
	}
	doc, err := openapi3.NewLoader().LoadFromData(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read OpenAPI: %w", err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		return nil, nil, errors.New("this is no OpenAPI 3 file: convert older ones first")
	}
	base, err := server(doc, s.URL)
	if err != nil {
		return nil, nil, err
	}
	all := operations(doc)
	chosen, err := choose(all, s)
	if err != nil {
		return nil, nil, err
	}
	names := map[string]string{}
	for _, o := range chosen {
		d, err := o.define(doc, base, s)
		if first := names[d.Name]; err == nil && first != "" {
			err = fmt.Errorf("its name is that of %s", first)
		}
		switch {
		case err == nil:
			names[d.Name] = o.id
			list = append(list, d)
		case slices.Contains(s.Operations, o.id):
			return nil, nil, fmt.Errorf("operation %s: %w", o.id, err)
		default:
			left = append(left, Left{o.id, err.Error()})
		}
	}
	return list, left, nil
}

// operation is one call that a file describes.
type operation struct {
	id, method, path string
	*openapi3.Operation
	shared openapi3.Parameters // of its path
}

var unfit = text.Pattern(`[^A-Za-z0-9_-]+`)

// operations lists those of a file in the order of their paths.
func operations(doc *openapi3.T) (all []operation) {
	if doc.Paths == nil {
		return nil
	}
	items := doc.Paths.Map()
	for _, p := range slices.Sorted(maps.Keys(items)) {
		item := items[p]
		if item == nil {
			continue
		}
		methods := item.Operations()
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			o := operation{id: methods[method].OperationID, method: method, path: p, Operation: methods[method], shared: item.Parameters}
			if o.id == "" {
				o.id = strings.ToLower(method) + strings.TrimRight(unfit().ReplaceAllString(p, "_"), "_")
			}
			all = append(all, o)
		}
	}
	return all
}

// choose returns the operations that the settings ask for.
func choose(all []operation, s Service) (chosen []operation, err error) {
	if s.Operations == nil {
		for _, o := range all {
			if s.Make(o.method).ReadOnly && o.method != http.MethodHead && !o.Deprecated {
				chosen = append(chosen, o)
			}
		}
	}
	for _, want := range s.Operations {
		found := false
		for _, o := range all {
			fits, err := path.Match(want, o.id)
			if err != nil {
				return nil, fmt.Errorf("operations: %q is no pattern: use letters and *", want)
			}
			if !fits && want != o.id {
				continue
			}
			same := func(c operation) bool { return c.id == o.id && c.method == o.method && c.path == o.path }
			if found = true; !slices.ContainsFunc(chosen, same) {
				chosen = append(chosen, o)
			}
		}
		if !found {
			hint := ""
			var ids []string
			for _, o := range all {
				ids = append(ids, o.id)
			}
			if near := text.Nearest(want, ids); near != "" {
				hint = fmt.Sprintf("; did you mean %s?", near)
			}
			return nil, fmt.Errorf("operations: the file has no %q%s", want, hint)
		}
	}
	if len(chosen) > maxOperations {
		return nil, fmt.Errorf("operations: these are %d, at most %d can be offered: name those that are needed", len(chosen), maxOperations)
	}
	return chosen, nil
}

// server returns the address of the service.
func server(doc *openapi3.T, set string) (string, error) {
	if set != "" {
		return strings.TrimSuffix(set, "/"), nil
	}
	if len(doc.Servers) == 0 || doc.Servers[0] == nil {
		return "", errors.New("url: the file names no server: set it")
	}
	first := doc.Servers[0]
	address := first.URL
	for name, v := range first.Variables {
		if v != nil {
			address = strings.ReplaceAll(address, "{"+name+"}", v.Default)
		}
	}
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") || strings.Contains(address, "{") {
		return "", errors.New("url: the file does not say where its server is: set it")
	}
	return strings.TrimSuffix(address, "/"), nil
}

// define makes a tool's definition of an operation.
func (o operation) define(doc *openapi3.T, base string, s Service) (Definition, error) {
	d := s.Make(o.method)
	d.Method, d.Name, d.Description = o.method, toolName(s.Name, o.id), o.describe()
	p := parameters{doc: doc, properties: map[string]any{}, defs: map[string]any{}}
	for _, ref := range o.effective() {
		if err := p.parameter(ref, d); err != nil {
			return d, err
		}
	}
	if err := p.body(o.RequestBody, &d); err != nil {
		return d, err
	}
	d.slots = p.slots
	address, err := p.address(o.path)
	if err != nil {
		return d, err
	}
	d.URL = base + address
	if d.Parameters, err = p.schema(); err != nil {
		return d, err
	}
	return d, sound(d.Parameters)
}

// effective returns the parameters of an operation: its own win over those of its
// path.
func (o operation) effective() (list openapi3.Parameters) {
	list = slices.Clone(o.Parameters)
	for _, ref := range o.shared {
		if ref != nil && ref.Value != nil && o.Parameters.GetByInAndName(ref.Value.In, ref.Value.Name) == nil {
			list = append(list, ref)
		}
	}
	return list
}

func (o operation) describe() string {
	said, _ := text.Strip(strings.Join(strings.Fields(o.Summary+". "+o.Description), " "))
	said = strings.TrimPrefix(strings.TrimSpace(strings.ReplaceAll(said, ".. ", ". ")), ".")
	return text.Shorten(cmp.Or(strings.TrimSpace(said), o.method+" "+o.path), 500)
}

// toolName is service__operation in the characters that every model vendor takes.
// What had to be bent or cut ends with a piece of its hash.
func toolName(service, id string) string {
	name := service + "__" + unfit().ReplaceAllString(id, "_")
	if name == service+"__"+id && len(name) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	return name[:min(len(name), maxToolName-7)] + "_" + hex.EncodeToString(sum[:3])
}

// argName is a parameter's name in the characters that model vendors take.
func argName(name string) string {
	return text.ClipBytes(strings.Trim(unfit().ReplaceAllString(name, "_"), "_"), maxToolName)
}

// generic returns a value as JSON is decoded to any.
func generic(v any) (out any, err error) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	return out, err
}
