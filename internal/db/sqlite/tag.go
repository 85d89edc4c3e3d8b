//go:build !sqlite_fts5 && !fts5

package sqlite

// Full-text search is a compile-time choice of the SQLite library. Without the
// tag this line does not compile, and the compiler's message says what to do.
var _ = build_with_tags_sqlite_fts5__go_run_tags_sqlite_fts5_cmd_bot
