package datadir

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/db/engine"
)

// Size is what the rows of a table take, without their indexes and free space.
type Size struct {
	Table string
	Rows  int64
	Bytes int64 // of large tables an estimate, from their newest rows
}

// sampled is how many rows of a table are measured.
const sampled = 1000

// Sizes measures every table, the largest first. It counts rows: it is for an
// operator who asks, not for every minute.
func (f *File) Sizes(ctx context.Context) ([]Size, error) {
	if f.served {
		list, err := f.sizesServed(ctx)
		return ordered(list), engine.During("measure tables", err)
	}
	rows, err := f.db.Query(
		`SELECT t.name, group_concat('coalesce(length(CAST("' || c.name || '" AS BLOB)), 0)', ' + '), t.sql LIKE '%WITHOUT ROWID%'
		FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`)
	if err != nil {
		return nil, engine.During("measure tables", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Size
	for rows.Next() {
		var name, length string
		var bare bool
		if err := rows.Scan(&name, &length, &bare); err != nil {
			return nil, engine.During("measure tables", err)
		}
		newest := " ORDER BY rowid DESC"
		if bare {
			newest = ""
		}
		sz := Size{Table: name}
		var mean float64
		table := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		err := f.db.QueryRowContext(ctx,
			fmt.Sprintf("SELECT (SELECT count(*) FROM %s), coalesce(avg(n), 0) FROM (SELECT %s AS n FROM %s%s LIMIT %d)",
				table, length, table, newest, sampled)).Scan(&sz.Rows, &mean)
		if err != nil {
			return nil, engine.During("measure "+name, err)
		}
		sz.Bytes = int64(mean*float64(sz.Rows) + 0.5)
		list = append(list, sz)
	}
	return ordered(list), engine.During("measure tables", rows.Err())
}

func ordered(list []Size) []Size {
	slices.SortFunc(list, func(a, b Size) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Table, b.Table)) })
	return list
}
