package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"parley/internal/text"
)

// auto stands for a detected number of tokens, and for the endpoint's own temperature.
const auto = "auto"

// Setting is one leaf of Config.
type Setting struct {
	Path    string // session.idle_timeout; sources[0].dir in a list
	Env     string // BOT_SESSION_IDLE_TIMEOUT; empty for lists of sections and their content
	Default string // as written in the file
	Range   string // "30s..1h", "a|b", or empty
	Doc     string
	Secret  bool
	Change  string // ByChat, ByReload, or "" if it needs a restart

	form      string // checked by misformed
	wellKnown string // variable of other programs; the one of Env wins
	unique    bool   // the names in this list of sections must differ
	names     bool   // the texts name entries of models
	instead   string // the setting to use instead if there are several models
	beside    bool   // it also applies to several models
	value     reflect.Value
}

// How settings change without a restart.
const (
	ByChat   = "chat"   // with /config set, and with a reload
	ByReload = "reload" // with a reload
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	secretType   = reflect.TypeFor[Secret]()
	tokensType   = reflect.TypeFor[Tokens]()
	warmthType   = reflect.TypeFor[Warmth]()
	bytesType    = reflect.TypeFor[Bytes]()
	jsonType     = reflect.TypeFor[JSON]()
)

// Settings lists every setting in the order of Config.
func Settings() []Setting {
	var all []Setting
	c := Config{}
	c.each(func(s *Setting) { s.value = reflect.Value{}; all = append(all, *s) })
	return all
}

// Changing lists the paths of the settings that change in one of these ways.
func Changing(ways ...string) (paths []string) {
	for _, s := range Settings() {
		if slices.Contains(ways, s.Change) {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// each calls f for every setting, including those in lists.
func (c *Config) each(f func(*Setting)) { walk(reflect.ValueOf(c).Elem(), "", f) }

func walk(v reflect.Value, prefix string, f func(*Setting)) {
	for _, l := range leaves(v.Type()) {
		s := l.setting
		if prefix != "" { // in a list
			s.Path, s.Env = prefix+s.Path, ""
		}
		s.value = v.FieldByIndex(l.index)
		value, path := s.value, s.Path
		f(&s)
		if isSections(value.Type()) {
			for j := range value.Len() {
				walk(value.Index(j), fmt.Sprintf("%s[%d].", path, j), f)
			}
		}
	}
}

// leaf is a setting of a struct, or of a section in it.
type leaf struct {
	index   []int
	setting Setting // without a value
}

// known caches the leaves of each struct: tags are slow to read, and startup reads all
// settings many times.
var known sync.Map

// leaves returns all settings of a struct, in order.
func leaves(t reflect.Type) []leaf {
	if list, ok := known.Load(t); ok {
		return list.([]leaf)
	}
	list := leavesWithin(t, nil, "")
	known.Store(t, list)
	return list
}

func leavesWithin(t reflect.Type, index []int, prefix string) (list []leaf) {
	for _, field := range fields(t) {
		at, path := append(slices.Clip(index), field.Index...), prefix+field.Tag.Get("yaml")
		if field.Type.Kind() == reflect.Struct {
			list = append(list, leavesWithin(field.Type, at, path+".")...)
			continue
		}
		list = append(list, leaf{at, newSetting(field, reflect.Value{}, path)})
	}
	return list
}

// inline tags a struct whose settings belong to the section around it.
const inline = ",inline"

// fields returns the settings and sections of a struct, in order.
func fields(t reflect.Type) (list []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("yaml"); name != "-" && name != inline {
			list = append(list, f)
		}
	}
	return list
}

func newSetting(field reflect.StructField, value reflect.Value, path string) Setting {
	s := Setting{
		Path:    path,
		Default: field.Tag.Get("default"),
		Range:   field.Tag.Get("range") + field.Tag.Get("one"),
		Doc:     field.Tag.Get("doc"),
		Secret:  field.Type == secretType || field.Type.Kind() == reflect.Slice && field.Type.Elem() == secretType,
		Change:  field.Tag.Get("change"),
		form:    field.Tag.Get("form"), wellKnown: field.Tag.Get("env"),
		unique:  field.Tag.Get("unique") != "",
		names:   field.Tag.Get("names") != "",
		instead: field.Tag.Get("instead"),
		beside:  field.Tag.Get("beside") != "",
		value:   value,
	}
	if !isSections(field.Type) && !strings.Contains(path, "[") {
		s.Env = envName(path)
	}
	return s
}

func envName(path string) string {
	return "BOT_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// isSections distinguishes lists of sections from lists of texts.
func isSections(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// Set changes one setting from its written form: a duration is 300s or a number of
// seconds, a list is separated by commas. It checks only the form; Validate checks ranges.
// The error is an *Error.
func (c *Config) Set(path, value string) error {
	s, ok := c.find(path)
	if !ok || isSections(s.value.Type()) {
		return unknown(path, paths())
	}
	if err := s.set(value); err != nil {
		return &Error{Setting: path, Problem: err}
	}
	return nil
}

// Get returns one setting as written in the file, a secret hidden.
func (c Config) Get(path string) (value string, ok bool) {
	s, ok := c.find(path)
	if !ok || isSections(s.value.Type()) {
		return "", false
	}
	return s.text(), true
}

// Diff lists the settings that differ in d; a list of sections counts as one.
func (c Config) Diff(d Config) (paths []string) {
	values := map[string]any{}
	c.each(func(s *Setting) { values[s.Path] = s.value.Interface() })
	d.each(func(s *Setting) {
		if !strings.Contains(s.Path, "[") && !reflect.DeepEqual(values[s.Path], s.value.Interface()) {
			paths = append(paths, s.Path)
		}
	})
	return paths
}

func (c *Config) find(path string) (found Setting, ok bool) {
	c.each(func(s *Setting) {
		if s.Path == path {
			found, ok = *s, true
		}
	})
	return found, ok
}

// set parses a value into the field. Its error explains what is expected and never
// contains a secret.
func (s *Setting) set(value string) error {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, unicode.IsControl) {
		return text.Tell("must be one line without control characters")
	}
	v := s.value
	switch {
	case v.Type() == durationType:
		d, err := parseDuration(value)
		if err != nil {
			return text.Tell("is %q; expected a duration such as 300s, 5m or 1h", value)
		}
		v.SetInt(int64(d))
	case v.Type() == bytesType:
		n, err := parseBytes(value)
		if err != nil {
			return text.Tell("is %q; expected a size such as 200MB or 1GB", value)
		}
		v.SetInt(int64(n))
	case v.Type() == tokensType && value == auto:
		v.SetInt(0)
	case v.Type() == tokensType && value == "0": // 0 stands for auto internally
		return text.Tell("is %q; expected %s or a whole number", value, auto)
	case v.Type() == warmthType && value == auto:
		v.SetFloat(float64(OwnWarmth))
	case v.Type() == warmthType && strings.HasPrefix(value, "-"): // negative stands for auto internally
		return text.Tell("is %q; expected %s or a number from 0", value, auto)
	case v.Kind() == reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return text.Tell("is %q; expected a whole number", value)
		}
		v.SetInt(int64(n))
	case v.Kind() == reflect.Float64:
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return text.Tell("is %q; expected a number", value)
		}
		v.SetFloat(n)
	case v.Kind() == reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return text.Tell("is %q; expected true or false", value)
		}
		v.SetBool(b)
	case v.Kind() == reflect.String:
		v.SetString(value)
	default:
		s.setList(strings.Split(value, ","))
	}
	return nil
}

func (s *Setting) setList(items []string) {
	list := reflect.Zero(s.value.Type())
	for _, item := range items {
		if item = strings.TrimSpace(item); item != "" {
			list = reflect.Append(list, reflect.ValueOf(item).Convert(s.value.Type().Elem()))
		}
	}
	s.value.Set(list)
}

// text returns the value as a person would write it, a secret hidden.
func (s *Setting) text() string {
	v := s.value
	switch {
	case v.Type() == durationType:
		return durationText(time.Duration(v.Int()))
	case v.Type() == tokensType && v.Int() == 0, v.Type() == warmthType && v.Float() < 0:
		return auto
	case v.Kind() == reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = fmt.Sprint(v.Index(i).Interface())
		}
		return strings.Join(items, ", ")
	case s.form == "url":
		return redactURL(v.String())
	}
	return fmt.Sprint(v.Interface())
}
