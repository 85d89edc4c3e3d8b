package datadir

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"strings"

	"parley/internal/db/engine"
	"parley/internal/db/sqlite"
)

// carry takes over into a restored copy what must not happen a second time because the copy
// ends earlier than the database that it replaces: which messages were received, answered or
// put aside, what became of calls that waited, which parts were sent, which reminders were told, who is answered by people, how
// far platforms were read, and the numbers that were given out, because buttons and people
// name rows by them. Messages and parts that were under way there go on here. What anybody
// has kept stays as the copy has it.
//
// carried is false, and nothing is changed, where replaced has no database that can be read,
// or one that did not go on from this copy.
func carry(ctx context.Context, conn *sql.Conn, replaced string) (carried bool, err error) {
	if err := sqlite.Whole(replaced); errors.Is(err, os.ErrNotExist) || errors.Is(err, engine.ErrCorrupt) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if _, err := conn.ExecContext(ctx, "ATTACH DATABASE ? AS was", replaced); err != nil {
		return false, ctx.Err() // whoever restores often does so because that one cannot be read
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "DETACH DATABASE was") }()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }()
	c := carrier{ctx: ctx, tx: tx}
	if !c.wentOn() {
		return false, ctx.Err()
	}
	for _, part := range carriedParts {
		c.take(part)
	}
	if c.err != nil {
		return false, ctx.Err()
	}
	return true, tx.Commit()
}

// carrier takes over parts of the database attached as "was"; after an error it does nothing.
type carrier struct {
	ctx context.Context
	tx  *sql.Tx
	err error
}

// carriedPart is what is taken over of one table, where both databases have it: verb, the
// table's name and rest are the statement, in which COLUMNS stands for the columns that both have.
type carriedPart struct{ verb, table, rest string }

const (
	remove  = "DELETE FROM"
	update  = "UPDATE"
	missing = "INSERT OR IGNORE INTO"
	instead = "INSERT OR REPLACE INTO"
	theirs  = "(COLUMNS) SELECT COLUMNS FROM was."
)

var carriedParts = []carriedPart{
	{update, "inbox", `SET state = w.state, body = w.body FROM was.inbox w
		WHERE w.id = inbox.id AND w.uid = inbox.uid AND inbox.state = 'new' AND w.state <> 'new'`},
	{missing, "inbox", theirs + "inbox"},
	{remove, "steps", "WHERE inbox_id NOT IN (SELECT id FROM inbox WHERE state = 'new')"},
	{instead, "steps", theirs + "steps WHERE inbox_id IN (SELECT id FROM inbox WHERE state = 'new')"},
	{update, "tool_calls", `SET status = w.status, class = w.class, result = w.result, retries = w.retries, duration_ms = w.duration_ms
		FROM was.tool_calls w WHERE w.id = tool_calls.id AND w.decision_id = tool_calls.decision_id AND w.sequence = tool_calls.sequence
		AND (tool_calls.status = 'pending' AND w.status <> 'pending' OR tool_calls.status IN ('running', 'retrying'))`},
	{remove, "dead_letters", ""},
	{missing, "dead_letters", theirs + "dead_letters"},
	{remove, "handoffs", ""},
	{missing, "handoffs", theirs + "handoffs"},
	{instead, "handoff_posts", theirs + "handoff_posts"},
	{instead, "handoff_answers", theirs + "handoff_answers"},
	{update, "outbox", `SET state = w.state, body = w.body, platform_id = w.platform_id FROM was.outbox w
		WHERE w.id = outbox.id AND w.nonce = outbox.nonce AND outbox.state IN ('ready', 'started')`},
	{missing, "outbox", theirs + "outbox WHERE state IN ('ready', 'started')"},
	{update, "reminders", `SET state = w.state, due_at = w.due_at, told_at = w.told_at FROM was.reminders w
		WHERE w.id = reminders.id AND w.created_at = reminders.created_at AND w.told_at > reminders.told_at`},
	{instead, "cursors", theirs + "cursors"},
	{"INSERT INTO", "numbers", theirs + `numbers WHERE true
		ON CONFLICT (kind, book) DO UPDATE SET last = max(last, excluded.last)`},
	{"INSERT INTO", "sqlite_sequence", `(name, seq) SELECT name, 0 FROM was.sqlite_sequence
		WHERE name IN (SELECT name FROM sqlite_schema) AND name NOT IN (SELECT name FROM sqlite_sequence)`},
	{update, "sqlite_sequence", `SET seq = max(sqlite_sequence.seq, w.seq) FROM was.sqlite_sequence w
		WHERE w.name = sqlite_sequence.name`},
}

// wentOn reports whether the database attached as "was" went on from this one: both hold the
// same secret, or, where another copy was restored in between, a message under the same random
// id.
func (c *carrier) wentOn() bool {
	for _, rows := range []string{
		"secrets s JOIN was.secrets w USING (name, value) WHERE name = 'nonce'",
		"inbox i JOIN was.inbox w USING (id, uid)",
	} {
		var is bool
		if err := c.tx.QueryRowContext(c.ctx, "SELECT EXISTS (SELECT 1 FROM "+rows+")").Scan(&is); err == nil && is {
			return true
		}
	}
	return false
}

// take takes over one part.
func (c *carrier) take(p carriedPart) {
	both := c.columns("main", p.table)
	there := c.columns("was", p.table)
	both = slices.DeleteFunc(both, func(name string) bool { return !slices.Contains(there, name) })
	if c.err != nil || len(both) == 0 {
		return
	}
	_, c.err = c.tx.ExecContext(c.ctx, p.verb+" "+p.table+" "+strings.ReplaceAll(p.rest, "COLUMNS", strings.Join(both, ", ")))
}

// columns lists a table's columns; none where there is no such table.
func (c *carrier) columns(schema, table string) (names []string) {
	if c.err != nil {
		return nil
	}
	rows, err := c.tx.QueryContext(c.ctx, "SELECT name FROM pragma_table_info(?, ?)", table, schema)
	if c.err = err; err != nil {
		return nil
	}
	names, c.err = engine.Collect(rows, engine.Value[string])
	return names
}
