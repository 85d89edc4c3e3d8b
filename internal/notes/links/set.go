package links

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"parley/internal/text"
)

// Set holds the files to which links may lead, by their paths from the folder of notes.
// It is immutable and safe for concurrent use.
type Set struct {
	exact map[string]string   // by folded path: case, width and the form of accents make no difference
	named map[string][]string // by folded name, the shortest path first
}

// NewSet makes a Set of paths.
func NewSet(paths []string) *Set {
	s := &Set{exact: map[string]string{}, named: map[string][]string{}}
	for _, p := range paths {
		low := text.Fold(p)
		if s.exact[low] != "" {
			continue
		}
		s.exact[low] = p
		s.named[path.Base(low)] = append(s.named[path.Base(low)], p)
	}
	for _, all := range s.named {
		slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	}
	return s
}

// moved returns the set after files moved; moves maps old paths to new ones.
func (s *Set) moved(moves map[string]string) *Set {
	paths := make([]string, 0, len(s.exact))
	for _, p := range s.exact {
		if to, ok := moves[p]; ok {
			p = to
		}
		paths = append(paths, p)
	}
	return NewSet(paths)
}

// Resolve returns the file to which a link in the note from leads, "" for none. A
// wikilink means, in this order: a path from the folder of notes, a file in the note's
// own folder, and the file with the shortest path. A Markdown link is first tried from
// the note's own folder, as in every other program.
func (s *Set) Resolve(from string, l Link) string {
	target := strings.TrimSpace(l.Target)
	if target == "" {
		return ""
	}
	dir := path.Dir(from)
	switch {
	case strings.HasPrefix(target, "./"), strings.HasPrefix(target, "../"):
		return s.at(path.Join(dir, target))
	case strings.HasPrefix(target, "/"):
		return s.at(path.Clean(target[1:]))
	case l.Kind == Markdown:
		if at := s.at(path.Join(dir, target)); at != "" {
			return at
		}
	}
	if l.Kind == Node { // a canvas names whole paths only
		return s.exact[text.Fold(target)]
	}
	if at := s.at(path.Clean(target)); at != "" {
		return at
	}
	return s.ending(dir, path.Clean(target))
}

// at returns the file at a path, which may lack the ending .md.
func (s *Set) at(p string) string {
	p = text.Fold(p)
	if strings.HasPrefix(p, "../") {
		return ""
	}
	if found := s.exact[p]; found != "" {
		return found
	}
	return s.exact[p+".md"]
}

// ending returns the file whose path ends in target: of several the one in dir, or else
// the one with the shortest path.
func (s *Set) ending(dir, target string) string {
	low := text.Fold(target)
	for _, want := range []string{low, low + ".md"} {
		var fits []string
		for _, p := range s.named[path.Base(want)] {
			if strings.HasSuffix("/"+text.Fold(p), "/"+want) {
				fits = append(fits, p)
			}
		}
		if i := slices.IndexFunc(fits, func(p string) bool { return text.Fold(path.Dir(p)) == text.Fold(dir) }); i >= 0 {
			return fits[i]
		}
		if len(fits) > 0 {
			return fits[0]
		}
	}
	return ""
}

// alone reports whether no other file has the name of p.
func (s *Set) alone(p string) bool { return len(s.named[text.Fold(path.Base(p))]) == 1 }
