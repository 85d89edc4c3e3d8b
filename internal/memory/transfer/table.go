package transfer

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"parley/internal/db/engine"
)

// table is a table that both databases have.
type table struct {
	name    string
	columns []column
	counted string // the column that is numbered by itself; "" for none
}

type column struct{ name, kind string } // the kind in PostgreSQL's words

// names are the columns, with commas between.
func (t table) names() string {
	list := make([]string, len(t.columns))
	for i, c := range t.columns {
		list[i] = `"` + c.name + `"`
	}
	return strings.Join(list, ", ")
}

// tables lists those that hold rows of their own, those that others refer to first. What
// is in indexes of words is made of them, and what several nodes say of themselves is of
// those nodes.
func tables(ctx context.Context, served *sql.Conn) (list []table, err error) {
	rows, err := served.QueryContext(ctx,
		`SELECT c.table_name, c.column_name, c.data_type, c.is_identity = 'YES' FROM information_schema.columns c
		JOIN pg_tables t ON t.schemaname = c.table_schema AND t.tablename = c.table_name
		WHERE c.table_schema = current_schema() AND c.table_name NOT LIKE '%\_fts' AND c.table_name !~ '^(node_|parley)' ORDER BY c.table_name, c.ordinal_position`)
	if err != nil {
		return nil, err
	}
	_, err = engine.Collect(rows, func(rows engine.Scanner) (name string, err error) {
		var c column
		var counted bool
		if err := rows.Scan(&name, &c.name, &c.kind, &counted); err != nil {
			return name, err
		}
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, table{name: name})
		}
		t := &list[len(list)-1]
		t.columns = append(t.columns, c)
		if counted {
			t.counted = c.name
		}
		return name, nil
	})
	if err != nil {
		return nil, err
	}
	return ordered(ctx, served, list)
}

// ordered puts tables behind those that they refer to.
func ordered(ctx context.Context, served *sql.Conn, list []table) ([]table, error) {
	refers := map[string][]string{}
	rows, err := served.QueryContext(ctx, "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'")
	if err != nil {
		return nil, err
	}
	_, err = engine.Collect(rows, func(rows engine.Scanner) (from string, err error) {
		var to string
		err = rows.Scan(&from, &to)
		refers[from] = append(refers[from], to)
		return from, err
	})
	if err != nil {
		return nil, err
	}
	var out []table
	done := map[string]bool{}
	for len(out) < len(list) {
		before := len(out)
		for _, t := range list {
			ready := !slices.ContainsFunc(refers[t.name], func(to string) bool { return !done[to] && to != t.name })
			if !done[t.name] && ready {
				out, done[t.name] = append(out, t), true
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("tables refer to each other in a circle")
		}
	}
	return out, nil
}
