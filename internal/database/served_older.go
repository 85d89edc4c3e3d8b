package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley/internal/text"
)

// ErrOlderRuns says that a process of an older version uses the database, which could not
// go on with what this one would make of it.
var ErrOlderRuns = errors.New("older processes use this database")

// contracting is what a step does to processes of the version before it: it takes away, or
// names anew, what they read or write. All else only adds.
var contracting = text.Pattern(`(?i)\b(DROP\s+(TABLE|COLUMN|SCHEMA)|RENAME\s+(TO|COLUMN)|ALTER\s+COLUMN|ADD\s+CONSTRAINT)\b`)

// mayApply refuses steps that older processes could not live with, while some live.
func (o Options) mayApply(ctx context.Context, tx *sql.Tx, script string) error {
	step := contracting().FindString(script)
	if step == "" {
		return nil
	}
	var several bool
	if err := tx.QueryRowContext(ctx, "SELECT to_regclass('node_leases') IS NOT NULL").Scan(&several); err != nil || !several {
		return err
	}
	var names string
	err := tx.QueryRowContext(ctx, `SELECT coalesce(string_agg(name || ' (' || version || ')', ', ' ORDER BY name), '') FROM node_leases
		WHERE until > clock_timestamp() AND id <> $1 AND version IS DISTINCT FROM (SELECT version FROM node_leases WHERE id = $1)`, o.Self).Scan(&names)
	if err == nil && names != "" {
		err = fmt.Errorf("%w: %s; this version changes what they need (%s): end all of them, then start it", ErrOlderRuns, names, step)
	}
	return err
}
