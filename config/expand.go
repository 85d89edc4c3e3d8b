package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"parley/internal/text"
)

// wordsEmptyFile is said in more than one place.
const wordsEmptyFile = "%s is empty"

// reference matches an environment variable within a secret of a list.
var reference = text.Pattern(`\$\{([^}]*)\}`)

// fromFile begins a secret of a list that is stored in a file of its own.
const fromFile = "file:"

// expand fills in the secrets within lists of sections, which no BOT_ variable can
// name: ${NAME} is an environment variable, file:PATH the content of that file.
// values is the environment.
func (l *loader) expand(values map[string]string) {
	l.config.each(func(s *Setting) {
		if !s.Secret || !strings.Contains(s.Path, "[") {
			return
		}
		for _, v := range texts(s.value) {
			filled, err := l.expanded(v.String(), s.form, values)
			if err != nil {
				l.fail((&Error{Setting: s.Path, Place: placeOf(l.places, s.Path), Problem: err}).hint("name a variable that is set, or a readable file that holds the secret"))
				return
			}
			v.SetString(filled)
		}
	})
}

// texts returns the text of a setting, or those of a list.
func texts(v reflect.Value) []reflect.Value {
	if v.Kind() != reflect.Slice {
		return []reflect.Value{v}
	}
	list := make([]reflect.Value, v.Len())
	for i := range list {
		list[i] = v.Index(i)
	}
	return list
}

// expanded returns one secret, filled in. The error names variables and files and
// never a value. An entry of the form env may hold file: as a value of its own.
func (l *loader) expanded(written, form string, values map[string]string) (string, error) {
	lead := ""
	if name, value, ok := strings.Cut(written, ":"); ok && form == "header" {
		lead, written = name+": ", strings.TrimSpace(value)
	}
	if path, ok := strings.CutPrefix(written, fromFile); ok && form != "env" {
		secret, err := readFile(strings.TrimSpace(path))
		if err == nil && strings.TrimSpace(secret) == "" {
			err = text.Tell(wordsEmptyFile, path)
		}
		l.fill(strings.TrimSpace(secret))
		return lead + strings.TrimSpace(secret), err
	}
	var missing error
	written = reference().ReplaceAllStringFunc(written, func(found string) string {
		name := found[2 : len(found)-1]
		value := values[name]
		if file := values[name+"_FILE"]; value == "" && file != "" {
			secret, err := readFile(file)
			missing = errors.Join(missing, err)
			value = strings.TrimSpace(secret)
		}
		if value == "" {
			missing = errors.Join(missing, text.Tell("names ${%s}, which is not set", name))
		}
		l.fill(value)
		return value
	})
	return lead + written, missing
}

// fill remembers a secret that became part of a setting.
func (l *loader) fill(secret string) {
	if secret != "" && !slices.Contains(l.config.filled, secret) {
		l.config.filled = append(l.config.filled, secret)
	}
}

// environ returns the environment as a map; an empty value counts as unset.
func environ(env []string) map[string]string {
	values := map[string]string{}
	for _, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); value != "" {
			values[name] = value
		}
	}
	return values
}
