// Package sqlite holds this program's way to use SQLite: one file with one writer
// that commits in groups, and readers beside it; settings, statements, migrations
// and checks. It knows no table: memory and vault own theirs.
package sqlite
