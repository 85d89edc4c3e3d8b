package datadir

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"parley/internal/db/sqlite"
)

// ErrOlderRuns says that a process of an older version uses the database, which could not
// go on with what this one would make of it.
var ErrOlderRuns = errors.New("older processes use this database")

// Effect says how a step affects processes of the version before it.
type Effect int

// The effects of steps. One that says nothing takes.
const (
	Takes Effect = iota // what they read or write, or names it anew
	Adds                // and leaves them what they know
)

// mayApply refuses steps that would break older processes while some run.
func (o Options) mayApply(ctx context.Context, tx *sql.Tx, steps sqlite.Migrations) error {
	at := slices.IndexFunc(steps, func(m sqlite.Migration) bool { return o.Served.Effects[m.Name] == Takes })
	if at < 0 {
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
		err = fmt.Errorf("%w: %s; this version changes what they need (%s): end all of them, then start it", ErrOlderRuns, names, steps[at].Name)
	}
	return err
}
