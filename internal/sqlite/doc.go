// Package sqlite is how this program uses SQLite: one file with one writer that
// commits in groups and readers beside it, its settings, statements, migrations
// and checks. It knows no table: memory and vault own theirs.
package sqlite
