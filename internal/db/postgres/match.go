package postgres

import (
	"strings"

	"parley/internal/db/engine"
)

// query writes an expression of SQLite's full-text search as a tsquery. Which column a
// word stands in is left out: an index here has one, and who asks looks again.
func query(m engine.Match) string {
	var b strings.Builder
	rest := m.Expr
	for rest != "" {
		switch {
		case rest[0] == '"':
			word, after, _ := strings.Cut(rest[1:], `"`)
			for strings.HasPrefix(after, `"`) { // a doubled quote is one
				var more string
				more, after, _ = strings.Cut(after[1:], `"`)
				word += `"` + more
			}
			if m.Stem != nil {
				word = m.Stem(word)
			}
			b.WriteString(Lexeme(word))
			rest = after
		case rest[0] == '(' || rest[0] == ')':
			b.WriteByte(rest[0])
			rest = rest[1:]
		case strings.HasPrefix(rest, "AND"):
			b.WriteString(" & ")
			rest = rest[3:]
		case strings.HasPrefix(rest, "OR"):
			b.WriteString(" | ")
			rest = rest[2:]
		default: // a space, or the name of a column
			rest = rest[1:]
		}
	}
	return b.String()
}

// Lexeme writes a word as tsquery and tsvector take it.
func Lexeme(word string) string {
	word = Storable(word)
	if len(word) > maxLexeme {
		word = strings.ToValidUTF8(word[:maxLexeme], "")
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(word) + "'"
}

// Vector writes words as a tsvector.
func Vector(words []string) string {
	var b strings.Builder
	for _, w := range words {
		if w != "" {
			b.WriteString(Lexeme(w) + " ")
		}
	}
	return b.String()
}

// maxLexeme is how many bytes of a word PostgreSQL keeps in an index.
const maxLexeme = 2000

// MaxVector is how many bytes the words of a row may have together.
const MaxVector = 1_000_000
