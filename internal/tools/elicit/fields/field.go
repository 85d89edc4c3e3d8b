// Package fields reads what people answer to the fields of a form. It asks nobody.
package fields

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

// wordsFieldSize is said in more than one place.
const wordsFieldSize = "The number must be %s."

// Kind is the type of a Field.
type Kind string

// The kinds of fields.
const (
	Text    Kind = "text"    // a string
	Number  Kind = "number"  // a float64
	Whole   Kind = "whole"   // an int64
	Switch  Kind = "switch"  // a bool
	Choice  Kind = "choice"  // the Value of one of Options
	Choices Kind = "choices" // a []string of some of them
)

// Field is one thing that a tool server wants to know. Its texts are the
// server's: data.
type Field struct {
	Name     string
	Title    string // what people read; never empty
	About    string
	Kind     Kind
	Required bool
	Default  any // taken when it is left out; nil for none
	Options  []Option
	Format   string   // of a text: email, uri, date, date-time, or ""
	Least    *float64 // of a number, of a text's characters or of how many choices
	Most     *float64
}

// Option is one value of a Field.
type Option struct{ Value, Label string }

// Read makes the value of what a person wrote. Its errors are sentences for
// them.
func (f Field) Read(said string) (any, error) {
	said = strings.TrimSpace(said)
	switch f.Kind {
	case Whole:
		n, err := strconv.ParseInt(said, 10, 64)
		if err != nil {
			return nil, text.Tell("I need a whole number.")
		}
		return n, f.within(float64(n), wordsFieldSize)
	case Number:
		n, err := strconv.ParseFloat(strings.Replace(said, ",", ".", 1), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, text.Tell("I need a number.")
		}
		return n, f.within(n, wordsFieldSize)
	case Choice:
		o, err := f.option(said)
		return o.Value, err
	case Choices:
		return f.several(said)
	}
	if err := f.within(float64(utf8.RuneCountInString(said)), "The number of characters must be %s."); err != nil {
		return nil, err
	}
	return said, f.formed(said)
}

// Shown is a value as people know it; "" for none.
func (f Field) Shown(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		var list []string
		for _, one := range v {
			list = append(list, f.Shown(one))
		}
		return strings.Join(list, ", ")
	}
	said := fmt.Sprint(value)
	if i := slices.IndexFunc(f.Options, func(o Option) bool { return o.Value == said }); i >= 0 {
		return f.Options[i].Label
	}
	return said
}

// option is the one that a person names: by its number, its label or its value.
func (f Field) option(said string) (Option, error) {
	said = strings.TrimSpace(said)
	for _, o := range f.Options {
		if strings.EqualFold(o.Value, said) || strings.EqualFold(o.Label, said) {
			return o, nil
		}
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(said, ".")); err == nil && n >= 1 && n <= len(f.Options) {
		return f.Options[n-1], nil
	}
	return Option{}, text.Tell("I need one of the answers in the list, or its number.")
}

func (f Field) several(said string) (any, error) {
	values := []string{}
	for one := range strings.FieldsFuncSeq(said, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		o, err := f.option(one)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(values, o.Value) {
			values = append(values, o.Value)
		}
	}
	return values, f.within(float64(len(values)), "The number of answers must be %s.")
}

// within says where a size is too small or too large; words take what is
// allowed.
func (f Field) within(size float64, words string) error {
	low, high := f.Least != nil && size < *f.Least, f.Most != nil && size > *f.Most
	switch {
	case !low && !high:
		return nil
	case f.Least != nil && f.Most != nil:
		return text.Tell(words, catalog.Fill("between %v and %v", *f.Least, *f.Most))
	case low:
		return text.Tell(words, catalog.Fill("at least %v", *f.Least))
	}
	return text.Tell(words, catalog.Fill("at most %v", *f.Most))
}

// formed says where a text is not of the form that is wanted.
func (f Field) formed(said string) error {
	switch f.Format {
	case "email":
		if a, err := mail.ParseAddress(said); err != nil || a.Address != said {
			return text.Tell("I need an email address.")
		}
	case "uri":
		if u, err := url.Parse(said); err != nil || u.Scheme == "" {
			return text.Tell("I need an address that begins like https://.")
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, said); err != nil {
			return text.Tell("I need a date such as 2026-03-31.")
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, said); err != nil {
			return text.Tell("I need a date and a time such as 2026-03-31T18:00:00Z.")
		}
	}
	return nil
}

// errForm is returned for a form that cannot be asked here.
var errForm = errors.New("not a form that can be asked in a chat")

// Of reads one property of a form's JSON Schema.
func Of(name string, required bool, schema json.RawMessage) (Field, error) {
	var s struct {
		Type, Title, Description, Format string
		Default                          any
		Enum, EnumNames                  []string
		OneOf                            []option
		Items                            struct {
			Enum  []string
			AnyOf []option
		}
		Minimum, Maximum, MinLength, MaxLength, MinItems, MaxItems *float64
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return Field{}, fmt.Errorf("%w: %s: %w", errForm, name, err)
	}
	f := Field{Name: name, Title: s.Title, About: s.Description, Required: required, Default: s.Default, Format: s.Format,
		Least: s.Minimum, Most: s.Maximum}
	if strings.TrimSpace(f.Title) == "" {
		f.Title = name
	}
	switch s.Type {
	case "string":
		f.Kind, f.Least, f.Most = Text, s.MinLength, s.MaxLength
		if f.Options = options(s.Enum, s.EnumNames, s.OneOf); len(f.Options) > 0 {
			f.Kind = Choice
		}
	case "array":
		f.Kind, f.Least, f.Most = Choices, s.MinItems, s.MaxItems
		if f.Options = options(s.Items.Enum, nil, s.Items.AnyOf); len(f.Options) == 0 {
			return f, fmt.Errorf("%w: %s", errForm, name)
		}
	case "number":
		f.Kind = Number
	case "integer":
		f.Kind = Whole
	case "boolean":
		f.Kind = Switch
	default:
		return f, fmt.Errorf("%w: %s is a %q", errForm, name, s.Type)
	}
	return f, nil
}

// option is a value with its title, as a schema has it.
type option struct{ Const, Title string }

func options(values, names []string, titled []option) (all []Option) {
	for i, v := range values {
		o := Option{v, v}
		if i < len(names) && names[i] != "" {
			o.Label = names[i]
		}
		all = append(all, o)
	}
	for _, t := range titled {
		all = append(all, Option{t.Const, cmp.Or(t.Title, t.Const)})
	}
	return all
}
