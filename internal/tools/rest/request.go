package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"parley/internal/tools"
)

// filling is a call's values on their way into a request.
type filling struct {
	*call
	in     tools.Call
	values map[string]any // arguments; numbers as they were written
}

// request builds the request of a call. Its error is an *tools.ArgumentError.
func (c *call) request(ctx context.Context, in tools.Call) (*http.Request, error) {
	f := filling{call: c, in: in}
	if err := decode(in.Args, &f.values); err != nil {
		return nil, wrong("arguments: %v", err)
	}
	address, err := f.address()
	if err != nil {
		return nil, err
	}
	body, kind, err := f.body()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, c.Method, address, body)
	if err != nil {
		return nil, wrong("arguments: they make no address")
	}
	r.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.1")
	r.Header.Set("User-Agent", "Parley")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if err := f.headers(r.Header); err != nil {
		return nil, err
	}
	return r, nil
}

func wrong(words string, args ...any) error {
	return &tools.ArgumentError{Problems: []string{fmt.Sprintf(words, args...)}}
}

// address fills in the URL. A value never becomes more than one part of a path,
// and never part of the host.
func (f filling) address() (string, error) {
	path, query, _ := strings.Cut(f.URL, "?")
	path, err := f.fill(path, func(name string, v any) (string, error) {
		s := f.inPath(name, v)
		if s == "" {
			return "", wrong("arguments/%s: must not be empty", name)
		}
		return url.PathEscape(s), nil
	})
	if err != nil {
		return "", err
	}
	for _, part := range strings.Split(path, "/") {
		if plain, err := url.PathUnescape(part); err != nil || plain == "." || plain == ".." || strings.ContainsFunc(plain, unicode.IsControl) {
			return "", wrong("arguments: %q cannot stand in an address", part)
		}
	}
	query, err = f.fill(query, func(_ string, v any) (string, error) { return url.QueryEscape(written(v)), nil })
	if err != nil {
		return "", err
	}
	if more := f.query().Encode(); more != "" {
		query = strings.TrimPrefix(query+"&"+more, "&")
	}
	if query == "" {
		return path, nil
	}
	return path + "?" + query, nil
}

// inPath returns a value as a part of a path.
func (f filling) inPath(name string, v any) string {
	if i := slices.IndexFunc(f.slots, func(s slot) bool { return s.arg == name && s.in == inPath }); i >= 0 {
		return f.slots[i].joined(v)
	}
	return written(v)
}

// query returns the pairs that are added to the address.
func (f filling) query() url.Values {
	q := url.Values{}
	for _, pair := range f.Query {
		for _, v := range f.several(pair[1]) {
			q.Add(pair[0], v)
		}
	}
	for _, s := range f.slots {
		if v, given := f.values[s.arg]; given && s.in == inQuery {
			s.add(q, v)
		}
	}
	if !f.hasBody() {
		for name, v := range f.rest() {
			add(q, name, v)
		}
	}
	return q
}

// several fills in a value of a pair: a list that stands alone becomes several, and
// an argument that was not given none.
func (f filling) several(template string) []string {
	if name := alone(template); name != "" {
		if v, given := f.value(name); given {
			return texts(v)
		}
		return nil
	}
	s, err := f.fill(template, plainly)
	if err != nil {
		return nil // an argument in the middle was not given
	}
	return []string{s}
}

// alone returns the name of the placeholder that is all of s, or "".
func alone(s string) string {
	if found := placeholder().FindStringSubmatch(s); found != nil && found[0] == s {
		return found[1]
	}
	return ""
}

// rest returns the arguments that have no place of their own.
func (f filling) rest() map[string]any {
	rest := maps.Clone(f.values)
	maps.DeleteFunc(rest, func(name string, _ any) bool { return f.used[name] })
	return rest
}

// headers adds those of the definition. A value that would end a header is refused.
func (f filling) headers(h http.Header) error {
	set := func(name, value string) error {
		if strings.ContainsFunc(value, unicode.IsControl) {
			return wrong("arguments: a header cannot hold line breaks")
		}
		h.Set(name, value)
		return nil
	}
	for _, pair := range f.Headers {
		if values := f.several(pair[1]); values != nil {
			if err := set(pair[0], strings.Join(values, ",")); err != nil {
				return err
			}
		}
	}
	for _, s := range f.slots {
		if v, given := f.values[s.arg]; given && s.in == inHeader {
			if err := set(s.name, s.joined(v)); err != nil {
				return err
			}
		}
	}
	if f.KeyHeader != "" {
		h.Set(f.KeyHeader, key(f.in))
	}
	return nil
}

// body returns what is sent, and its type; nil and "" for nothing.
func (f filling) body() (io.Reader, string, error) {
	var value any
	switch whole := slices.IndexFunc(f.slots, func(s slot) bool { return s.in == inBody }); {
	case whole >= 0:
		v, given := f.values[f.slots[whole].arg]
		if !given {
			return nil, "", nil
		}
		value = v
	case f.Body != nil:
		if err := decode(f.Body, &value); err != nil {
			return nil, "", wrong("body: %v", err)
		}
		value, _ = f.filled(value)
	case f.hasBody() && len(f.slots) == 0:
		value = f.rest()
	default:
		return nil, "", nil
	}
	if !f.Form {
		b, err := json.Marshal(value)
		return bytes.NewReader(b), "application/json", err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, "", wrong("arguments: a form needs names and values")
	}
	q := url.Values{}
	for name, v := range fields {
		add(q, name, v)
	}
	return strings.NewReader(q.Encode()), "application/x-www-form-urlencoded", nil
}

// filled fills in a value of the body's template; keep is false for an argument that
// was not given.
func (f filling) filled(v any) (_ any, keep bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if filled, keep := f.filled(inner); keep {
				v[name] = filled
			} else {
				delete(v, name)
			}
		}
	case []any:
		var list []any
		for _, inner := range v {
			if filled, keep := f.filled(inner); keep {
				list = append(list, filled)
			}
		}
		return list, true
	case string:
		if name := alone(v); name != "" {
			return f.value(name)
		}
		s, err := f.fill(v, plainly)
		return s, err == nil
	}
	return v, true
}

// value returns an argument, or what the transport knows.
func (f filling) value(name string) (v any, given bool) {
	if v, given = f.values[name]; given || f.args[name] {
		return v, given && v != nil
	}
	switch name {
	case "person.id":
		return f.in.Who.ID, true
	case "person.name":
		return f.in.Who.Name, true
	case "place.id":
		return f.in.Where.String(), true
	case "call.key":
		return key(f.in), true
	}
	return nil, false
}

// plainly writes a value without escapes.
func plainly(_ string, v any) (string, error) { return written(v), nil }

// decode reads JSON; numbers stay as they were written.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}

// fill replaces the placeholders of a text.
func (f filling) fill(s string, write func(name string, v any) (string, error)) (string, error) {
	var failed error
	s = placeholder().ReplaceAllStringFunc(s, func(found string) string {
		name := found[1 : len(found)-1]
		v, given := f.value(name)
		if !given {
			failed = wrong("arguments: %s is missing", name)
			return ""
		}
		out, err := write(name, v)
		if err != nil {
			failed = err
		}
		return out
	})
	return s, failed
}

// written returns a value as text: a list with commas, an object as JSON.
func written(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return strings.Join(texts(v), ",")
	case map[string]any:
		b, _ := json.Marshal(v) // it came from JSON
		return string(b)
	}
	return fmt.Sprint(v)
}

// texts returns the values of a list as text, or the only one.
func texts(v any) (all []string) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, one := range list {
		all = append(all, written(one))
	}
	return all
}

// add adds each value of a list to a query, or the only one.
func add(q url.Values, name string, v any) {
	for _, one := range texts(v) {
		q.Add(name, one)
	}
}

// joined returns a value in one piece: style simple, as paths and headers have it.
func (s slot) joined(v any) string {
	fields, ok := v.(map[string]any)
	if !ok {
		return written(v)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		between := ","
		if s.explode {
			between = "="
		}
		list = append(list, name+between+written(fields[name]))
	}
	return strings.Join(list, ",")
}

// add adds a value to a query in the style that the file says.
func (s slot) add(q url.Values, v any) {
	switch v := v.(type) {
	case []any:
		if s.explode && (s.style == "form" || s.style == "") {
			add(q, s.name, v)
			return
		}
		between := map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[s.style]
		q.Add(s.name, strings.Join(texts(v), cmp.Or(between, ",")))
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case s.style == "deepObject":
				add(q, s.name+"["+name+"]", v[name])
			case s.explode:
				q.Add(name, written(v[name]))
			default:
				q.Set(s.name, s.joined(v))
			}
		}
	default:
		q.Add(s.name, written(v))
	}
}
