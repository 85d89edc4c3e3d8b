package engine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Named holds the parameters of a statement by name: the value of "user" for
// ":user". It is a statement's only argument. Every name in the text needs a value.
// Values that the text does not name are ignored, so the parameters of a condition
// can be passed to any statement that may contain it.
type Named map[string]any

// With returns a copy with more parameters, which win.
func (n Named) With(more Named) Named {
	all := make(Named, len(n)+len(more))
	for k, v := range n {
		all[k] = v
	}
	for k, v := range more {
		all[k] = v
	}
	return all
}

// Numbered writes a statement with numbers for its parameters, each after mark:
// "?" for SQLite; PostgreSQL takes the same statements with "$". A parameter is
// written :name, with the same number wherever it occurs, or as a bare ?, which
// counts up; no statement has both. names are those of the numbers, from 1; nil
// for bare ones. Quoted text and comments stay as they are, and so does the cast
// ::type.
func Numbered(query, mark string) (text string, names []string, err error) {
	var b strings.Builder
	at, bare := map[string]int{}, 0
	for i := 0; i < len(query); {
		n := skipped(query[i:])
		if n > 0 {
			b.WriteString(query[i : i+n])
			i += n
			continue
		}
		switch name := identifier(query[i+1:]); {
		case query[i] == '?' && i+1 < len(query) && '0' <= query[i+1] && query[i+1] <= '9':
			return "", nil, errors.New("a statement numbers its parameters: name them")
		case query[i] == '?':
			bare++
			b.WriteString(mark + strconv.Itoa(bare))
			i++
		case query[i] == ':' && name != "":
			if at[name] == 0 {
				names = append(names, name)
				at[name] = len(names)
			}
			b.WriteString(mark + strconv.Itoa(at[name]))
			i += 1 + len(name)
		default:
			b.WriteByte(query[i])
			i++
		}
	}
	if bare > 0 && len(names) > 0 {
		return "", nil, errors.New("a statement has parameters with and without names")
	}
	return b.String(), names, nil
}

// skipped returns the length of what begins here and holds no parameter: something
// quoted, a comment, a cast.
func skipped(s string) int {
	end := func(mark string) int {
		if n := strings.Index(s[1:], mark); n >= 0 {
			return 1 + n + len(mark)
		}
		return len(s)
	}
	switch {
	case s[0] == '\'' || s[0] == '"': // a doubled quote begins the next
		return end(s[:1])
	case strings.HasPrefix(s, "--"):
		return end("\n")
	case strings.HasPrefix(s, "::"):
		return 2
	}
	return 0
}

// identifier returns the name that begins here: letters, digits after the first, _.
func identifier(s string) string {
	n := 0
	for n < len(s) && (s[n] == '_' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z' || n > 0 && '0' <= s[n] && s[n] <= '9') {
		n++
	}
	return s[:n]
}

// numbered writes a statement in the words of a kind of database.
func (d Dialect) numbered(query string) (text string, names []string, err error) {
	if d.Text != nil {
		query = d.Text(query)
	}
	return Numbered(query, d.Mark)
}

// values returns the arguments of a statement as a kind of database takes them.
func (d Dialect) values(names []string, args []any) ([]any, error) {
	list, err := values(names, args)
	if err != nil || d.Argument == nil {
		return list, err
	}
	own := make([]any, len(list))
	for i, a := range list {
		own[i] = d.Argument(a)
	}
	return own, nil
}

// values returns the arguments of a statement in the order of its numbers.
func values(names []string, args []any) ([]any, error) {
	named, ok := Named(nil), false
	if len(args) == 1 {
		named, ok = args[0].(Named)
	}
	if !ok && len(names) > 0 {
		return nil, fmt.Errorf("a statement wants parameters with the names %s", strings.Join(names, ", "))
	}
	if !ok {
		return args, nil
	}
	list := make([]any, len(names))
	for i, name := range names {
		if list[i], ok = named[name]; !ok {
			return nil, fmt.Errorf("a statement wants the parameter %s", name)
		}
	}
	return list, nil
}
