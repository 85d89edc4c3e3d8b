package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"parley/internal/db/engine"
)

// Plans returns SQLite's plan of each statement, by its text. Tests check that they use
// their indexes; a statement may be one that changes something.
func Plans(ctx context.Context, path string, queries []string) (map[string][]string, error) {
	conn, done, err := Fresh(ctx, path)
	if err != nil {
		return nil, err
	}
	defer done()
	plans := make(map[string][]string, len(queries))
	for _, query := range queries {
		text, _, err := engine.Numbered(query, dialect.Mark)
		if err != nil {
			return nil, engine.During(query, err)
		}
		args := make([]any, strings.Count(text, dialect.Mark)) // NULLs, and never too few
		rows, err := conn.QueryContext(ctx, "EXPLAIN QUERY PLAN "+text, args...)
		if err != nil {
			return nil, engine.During(query, err)
		}
		plans[query], err = engine.Collect(rows, func(rows *sql.Rows) (step string, err error) {
			var id, parent, unused int
			err = rows.Scan(&id, &parent, &unused, &step)
			return step, err
		})
		if err != nil {
			return nil, engine.During(query, err)
		}
	}
	return plans, nil
}
