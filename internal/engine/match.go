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
