// Package postgres opens the engine on a PostgreSQL server: its connections, its
// dialect, what may be repeated, and the translation of schemas that were written for
// SQLite. It knows no table.
package postgres
