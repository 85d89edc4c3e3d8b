package chunked

import (
	"cmp"
	"context"
	"fmt"

	"parley/internal/db/engine"
)

// window is how many rows of a table are looked through at a time.
const window = 5000

// Sweep is something to be done to the rows of a table that fit a condition.
type Sweep struct {
	// Table is walked by Key, a number, and Where, which may name parameters, says
	// which rows are meant. "" is id.
	Table, Key, Where string
	// Served stands for Where on a server; "" is the same.
	Served string
	// Keys is a query that lists the rows instead, one column, where an index
	// finds them.
	Keys string
	// Do are the statements for each row; :key is its key, or what Keys says.
	Do []string
	// Before and After are run at the beginning and the end of each chunk, without
	// parameters.
	Before, After []string
}

// Unindexed returns the sweep with the deletions from a full-text index only
// noted there: each would look all words of its row up in all of the index. Who
// uses it calls Rewrite afterwards, which takes the words away.
func (s Sweep) Unindexed(index string) Sweep {
	s.Before = []string{"INSERT INTO " + index + " (" + index + ", rank) VALUES ('secure-delete', 0)"}
	s.After = []string{"INSERT INTO " + index + " (" + index + ", rank) VALUES ('secure-delete', 1)"}
	return s
}

// Run does it, and returns how many changes the statements made, also of what
// was cut short. args are the parameters of all statements. A row that fits
// only once the walk has passed it is not met.
func (s Sweep) Run(ctx context.Context, db *engine.DB, args engine.Named) (changed int64, err error) {
	if s.Keys != "" {
		return s.over(ctx, db, s.Keys, args)
	}
	if db.Path() == "" && s.Served != "" {
		s.Where = s.Served
	}
	var last int64
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max("+s.key()+"), 0) FROM "+s.Table).Scan(&last); err != nil {
		return 0, fmt.Errorf("sweep %s: %w", s.Table, err)
	}
	for after := int64(0); after < last; after += window {
		n, err := s.over(ctx, db, s.Walk(), args.With(engine.Named{"after": after, "upto": after + window}))
		changed += n
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// Walk is the query of one window.
func (s Sweep) Walk() string {
	key := s.key()
	return "SELECT " + key + " FROM " + s.Table + " WHERE " + key + " > :after AND " + key + " <= :upto AND (" + s.Where + ")"
}

func (s Sweep) key() string { return cmp.Or(s.Key, "id") }

// beside are the chunks of the sweep.
func (s Sweep) beside(ctx context.Context, db *engine.DB) run {
	if db.Path() == "" {
		return beside(ctx, db) // a server looks after its indexes
	}
	return beside(ctx, db).between(s.Before, s.After)
}

// over does it to the rows that a query lists.
func (s Sweep) over(ctx context.Context, db *engine.DB, query string, args engine.Named) (changed int64, err error) {
	rows, err := db.QueryContext(ctx, query, args)
	if err != nil {
		return 0, fmt.Errorf("sweep: %.60s: %w", query, err)
	}
	keys, err := engine.Collect(rows, func(r engine.Scanner) (key any, err error) { return key, r.Scan(&key) })
	if err != nil {
		return 0, fmt.Errorf("sweep: %.60s: %w", query, err)
	}
	_, err = each(ctx, s.beside(ctx, db), keys, func(tx *engine.Tx, key any) error {
		for _, q := range s.Do {
			if err := tx.Count(&changed, q, args.With(engine.Named{"key": key})); err != nil {
				return fmt.Errorf("sweep: %.60s: %w", q, err)
			}
		}
		return nil
	})
	return changed, err
}
