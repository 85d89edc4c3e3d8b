package config

import (
	"strings"

	"parley/internal/text"
)

// Error is one mistake in a setting. Load and Validate return all they find,
// joined; errors.As finds the first. It never holds a secret.
type Error struct {
	Setting string // path, key or variable, as it was written
	Place   string // file:line:column, "environment" or "flag"; empty when unknown
	Problem string
	Hint    string // the nearest known name, or what to write instead
	Excerpt string // lines of the file, values that may be secret left out
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Place != "" {
		b.WriteString(e.Place + ": ")
	}
	if e.Setting != "" {
		b.WriteString(e.Setting + ": ")
	}
	b.WriteString(e.Problem)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	if e.Excerpt != "" {
		b.WriteString("\n" + e.Excerpt)
	}
	return b.String()
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

func nearest(name string, known []string) string {
	return "did you mean " + Closest(name, known) + "?"
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
