package sqlite

import (
	"context"
	"database/sql"
	"strings"
)

// Run runs a script in one transaction, one statement after the other: given all of it,
// the library copies what is left for each, which takes longer than SQLite does. A
// statement begins a line, and the one before it ends the line before. It is not
// interrupted when ctx ends, which would take a goroutine for each.
func Run(ctx context.Context, db *sql.DB, script string) error {
	ctx = context.WithoutCancel(ctx)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for statement := range statements(script) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// statements yields those of a script, which begin with a capital. Those within a
// trigger do not begin a line.
func statements(script string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin, end := 0, false
		for at := 0; at < len(script); {
			line, _, _ := strings.Cut(script[at:], "\n")
			if end && line != "" && (line[0] == '-' || line[0] >= 'A' && line[0] <= 'Z') && !strings.HasPrefix(line, "END") {
				if !yield(script[begin:at]) {
					return
				}
				begin = at
			}
			end = strings.HasSuffix(line, ";")
			at += len(line) + 1
		}
		if begin < len(script) {
			yield(script[begin:])
		}
	}
}
