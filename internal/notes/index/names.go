package index

import (
	"context"
	"path"
	"strings"

	"parley/internal/text"
)

// maxNamed is how many notes of one name are told apart.
const maxNamed = 20

// names lists what people may call a file.
func (d indexed) names() (all []string) {
	for _, n := range append([]string{noteName(d.path), d.title}, d.aliases...) {
		if n = strings.ToLower(strings.TrimSpace(n)); n != "" {
			all = append(all, text.Clip(n, maxName))
		}
	}
	return all
}

// Find lists the files that a name means, as people say it: a path, a title, an alias
// or the name of a file, with its ending or without, in any case. A path comes first:
// where one fits, nothing else is listed.
func (v *Vault) Find(ctx context.Context, name string) ([]Entry, error) {
	name = strings.TrimSpace(strings.ToValidUTF8(name, ""))
	name = strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]")
	low := strings.ToLower(name)
	ended := strings.TrimSuffix(low, ".md") + ".md"
	inside := path.Join(v.o.WriteDir, name)
	for _, try := range []struct {
		where string
		args  []any
	}{
		{"path IN (?, ?, ?, ?)", []any{name, name + ".md", inside, inside + ".md"}},
		{"id IN (SELECT doc FROM names WHERE name IN (?, ?))", []any{low, noteName(name)}},
		{"name = ? AND (lower(path) LIKE '%/' || ? ESCAPE '\\' OR lower(path) LIKE '%/' || ? ESCAPE '\\')",
			[]any{noteName(name), like(low), like(ended)}},
	} {
		found, err := v.list(ctx, maxNamed, try.where, try.args...)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// like escapes a text for LIKE.
func like(s string) string { return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s) }
