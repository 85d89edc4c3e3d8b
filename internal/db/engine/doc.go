// Package engine holds this program's way to use a database: readers beside writers
// that commit in groups, named parameters, kept statements, times as text, and errors
// that callers distinguish. It knows no table, and no kind of database: sqlite and
// postgres open one and say what theirs does in its own way.
package engine
