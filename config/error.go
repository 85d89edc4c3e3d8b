package config

import (
	"fmt"
	"strings"

	"parley/internal/text"
)

// Error is one mistake in a setting. Load and Validate return all they find,
// joined; errors.As finds the first. It never holds a secret.
type Error struct {
	Setting string // path, key or variable, as it was written
	Place   string // file:line:column, "environment" or "flag"; empty when unknown
	Problem error  // what is wrong, a text.Error where people can be told
	Hint    error  // the nearest known name, or what to write instead; nil for none
	Excerpt string // lines of the file, values that may be secret left out
}

// Error implements error.
func (e *Error) Error() string {
	format, args := e.Words()
	return fmt.Sprintf(format, args...)
}

// Words returns what the error says as a format and its arguments, as a text.Error
// does: Problem and Hint can be said in another language.
func (e *Error) Words() (format string, args []any) {
	for _, where := range []string{e.Place, e.Setting} {
		if where != "" {
			format, args = format+"%s: ", append(args, where)
		}
	}
	format, args = format+"%v", append(args, e.Problem)
	if e.Hint != nil {
		format, args = format+" (%v)", append(args, e.Hint)
	}
	if e.Excerpt != "" {
		format, args = format+"\n%s", append(args, e.Excerpt)
	}
	return format, args
}

// wrong is what is wrong with a value. Whoever knows them adds the setting and its place.
func wrong(words string, args ...any) *Error { return &Error{Problem: text.Tell(words, args...)} }

// hint adds what to write instead.
func (e *Error) hint(words string, args ...any) *Error {
	e.Hint = text.Tell(words, args...)
	return e
}

// at adds which setting is wrong.
func (e *Error) at(setting string) *Error {
	e.Setting = setting
	return e
}

// from adds where its value came from.
func (e *Error) from(place string) *Error {
	e.Place = place
	return e
}

// ExitCode returns the exit code of the process: a mistake in the settings counts as
// a mistake in how the program was called. kong calls it.
func (e *Error) ExitCode() int { return 2 }

// paths lists the names a person may write: settings and sections.
func paths() []string {
	var all []string
	seen := map[string]bool{}
	for _, s := range Settings() {
		for i, r := range s.Path {
			if section := s.Path[:i]; r == '.' && !seen[section] {
				seen[section] = true
				all = append(all, section)
			}
		}
		all = append(all, s.Path)
	}
	return all
}

// unknown is a name that stands for nothing; one of known may be meant.
func unknown(name string, known []string) *Error {
	return wrong("unknown setting").hint(wordsDidYouMean, Closest(name, known)).at(name)
}

// Closest returns the known name that looks most like name. It compares whole names
// and last words, so that a setting in the wrong section is found too.
func Closest(name string, known []string) string {
	const far = 1 << 20
	best, bestScore := "", far
	for _, k := range known {
		whole := distance(name, k)
		score := 2*min(whole, distance(lastWord(name), lastWord(k))+1)*100 + whole
		if score < bestScore {
			best, bestScore = k, score
		}
	}
	return best
}

func lastWord(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// maxCompared is how much of a name is compared, in bytes.
const maxCompared = 80

func distance(a, b string) int {
	return text.Edits(strings.ToLower(text.ClipBytes(a, maxCompared)), strings.ToLower(text.ClipBytes(b, maxCompared)), maxCompared)
}
