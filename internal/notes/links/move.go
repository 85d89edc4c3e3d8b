package links

import (
	"path"
	"strings"
)

// Move moves files in a folder of notes.
type Move struct {
	before, after *Set
	moves         map[string]string // old paths to new ones
	back          map[string]string // new paths to old ones
	shortest      bool
}

// NewMove describes a move: all files before it, and the new paths by the old ones. With
// shortest, Obsidian's default, a Markdown link without a folder names a file in any
// folder; else one in the same folder.
func NewMove(files []string, moves map[string]string, shortest bool) *Move {
	m := &Move{before: NewSet(files), moves: moves, back: map[string]string{}, shortest: shortest}
	for from, to := range moves {
		m.back[to] = from
	}
	m.after = m.before.moved(moves)
	return m
}

// Splice is one replacement in a text, at a byte offset before all replacements.
type Splice struct {
	At       int
	Old, New string
}

// Apply makes replacements in a text; ok is false if they do not fit it.
func Apply(text string, all []Splice) (next string, ok bool) {
	var b strings.Builder
	at := 0
	for _, s := range all {
		if s.At < at || s.At+len(s.Old) > len(text) || text[s.At:s.At+len(s.Old)] != s.Old {
			return "", false
		}
		b.WriteString(text[at:s.At] + s.New)
		at = s.At + len(s.Old)
	}
	return b.String() + text[at:], true
}

// Reverse returns the replacements that undo others.
func Reverse(all []Splice) []Splice {
	back := make([]Splice, len(all))
	shift := 0
	for i, s := range all {
		back[i] = Splice{At: s.At + shift, Old: s.New, New: s.Old}
		shift += len(s.New) - len(s.Old)
	}
	return back
}

// Keep returns the replacements after which the links of a file still lead to the same
// files. name is its path after the move; n counts the links that change.
func (m *Move) Keep(name, text string) (all []Splice, n int) {
	was := name
	if old, ok := m.back[name]; ok {
		was = old
	}
	for _, l := range Parse(name, text) {
		if l.card != "" {
			next, changed := m.card(l.card, was, name)
			if len(all) > 0 && all[len(all)-1].At == l.From || changed == 0 {
				continue // replaced with the first link of this card
			}
			all, n = append(all, Splice{l.From, text[l.From:l.To], quoted(next)}), n+changed
			continue
		}
		if next, ok := m.kept(l, was, name); ok {
			old := text[l.From:l.To]
			all, n = append(all, Splice{l.From, old, l.written(next, old)}), n+1
		}
	}
	return all, n
}

// card does for the text of a canvas card what Keep does for a file.
func (m *Move) card(text, was, name string) (next string, n int) {
	var all []Splice
	for _, l := range parseNote(text) {
		if to, ok := m.kept(l, was, name); ok {
			old := text[l.From:l.To]
			all = append(all, Splice{l.From, old, l.written(to, old)})
		}
	}
	next, _ = Apply(text, all)
	return next, len(all)
}

// kept returns the new target of a link; ok is false if the old one may stay.
func (m *Move) kept(l Link, was, name string) (target string, ok bool) {
	led := m.before.Resolve(was, l)
	if led == "" {
		return "", false
	}
	leads := led
	if to, moved := m.moves[led]; moved {
		leads = to
	}
	how := m.style(l, was, led)
	if m.leads(l, how, name) == leads {
		return "", false
	}
	for _, next := range m.ways(l, how, name, leads) {
		l.Target = next
		if m.leads(l, how, name) == leads {
			return next, true
		}
	}
	return "", false
}

// leads returns where a link leads after the move. A relative link must stay one that
// every program can follow.
func (m *Move) leads(l Link, how style, name string) string {
	if how == byRelative && !strings.HasPrefix(l.Target, "/") {
		return m.after.at(path.Join(path.Dir(name), l.Target))
	}
	return m.after.Resolve(name, l)
}

// style is the way in which a target is written.
type style int

const (
	byName     style = iota
	byPath           // from the folder of notes
	bySlash          // the same with a leading slash
	byRelative       // from the note's own folder
	byDots           // the same with a leading ./ or ../
)

func (m *Move) style(l Link, was, led string) style {
	beside := path.Join(path.Dir(was), l.Target)
	switch {
	case l.Kind == Node:
		return byPath
	case strings.HasPrefix(l.Target, "/"):
		return bySlash
	case strings.HasPrefix(l.Target, "./"), strings.HasPrefix(l.Target, "../"):
		return byDots
	case l.Kind == Markdown && m.before.at(beside) == led && (strings.Contains(l.Target, "/") || !m.shortest):
		return byRelative
	case strings.Contains(l.Target, "/"):
		return byPath
	}
	return byName
}

// ways lists the possible targets for a link to leads, the best first.
func (m *Move) ways(l Link, s style, name, leads string) []string {
	whole := leads
	if ending := path.Ext(leads); strings.EqualFold(ending, ".md") && !strings.EqualFold(path.Ext(l.Target), ending) {
		whole = strings.TrimSuffix(leads, ending)
	}
	near := relative(path.Dir(name), whole)
	dots := near
	if !strings.HasPrefix(near, "../") {
		dots = "./" + near
	}
	ways := []string{whole, "/" + whole, dots}
	switch s {
	case byName:
		if m.after.alone(leads) {
			return append([]string{path.Base(whole)}, ways...)
		}
	case bySlash:
		return []string{"/" + whole}
	case byRelative:
		return []string{near, dots, "/" + whole}
	case byDots:
		return append([]string{dots}, ways...)
	}
	return ways
}

// relative returns the relative path from a folder to a file.
func relative(dir, to string) string {
	if dir == "." {
		return to
	}
	from, target := strings.Split(dir, "/"), strings.Split(to, "/")
	for len(from) > 0 && len(target) > 1 && from[0] == target[0] {
		from, target = from[1:], target[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(target, "/")
}
