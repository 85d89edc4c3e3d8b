package engine

import "database/sql/driver"

// Match is an expression of a full-text index in SQLite's words, as the parameter of
// MATCH: words in double quotes, AND, OR, parentheses.
type Match struct {
	Expr string
	// Stem is what becomes of a word where the index has no stemmer of its own; nil is
	// nothing.
	Stem func(string) string
}

// Value implements driver.Valuer.
func (m Match) Value() (driver.Value, error) { return m.Expr, nil }

// anew reports whether a statement must be planned for its arguments: searching for a word
// that nearly all rows have needs another plan than for one that few have.
func (d Dialect) anew(args []any) bool {
	if d.Anew == nil {
		return false
	}
	for _, a := range args {
		switch a := a.(type) {
		case Match:
			return true
		case Named:
			for _, v := range a {
				if _, ok := v.(Match); ok {
					return true
				}
			}
		}
	}
	return false
}
