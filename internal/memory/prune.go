package memory

import (
	"context"
	"errors"
	"time"

	"parley/internal/db/chunked"
	"parley/internal/db/engine"
	"parley/internal/memory/usage"
)

// Retention says how long archived conversations are kept; 0 keeps them forever.
type Retention struct {
	Days     int // after the end of the session
	Archived int // sessions per place, and per person where each has their own
}

// Pruned counts what was deleted.
type Pruned struct{ Messages, Sessions, Inbox, Audit int64 }

// How long rows stay that nobody reads again: those that detect redelivery (Telegram keeps
// updates for a day) and, where retention limits conversations, their audit.
const (
	keepInbox = 7 * 24 * time.Hour
	keepAudit = 30 * 24 * time.Hour
)

// What is old goes in this order. :ended is when a session must have ended,
// :audited, :day and :done are the ages of the rest, :most is Retention.Archived.
var (
	oldMessages = chunked.Sweep{Table: "messages",
		Where: "EXISTS (SELECT 1 FROM sessions s WHERE s.id = messages.session_id AND s.status = 'archived' AND s.ended_at " +
			"<> '' AND s.ended_at < :ended)",
		Do: []string{"DELETE FROM messages WHERE id = :key"}}.Unindexed(saidIndex.Name)
	oldDecisions = chunked.Sweep{Keys: "SELECT id FROM decisions WHERE at < :audited",
		Do: []string{"DELETE FROM tool_calls WHERE decision_id = :key", "DELETE FROM decisions WHERE id = :key"}}
	oldCalls = chunked.Sweep{Table: "tool_calls", Where: "NOT EXISTS (SELECT 1 FROM decisions d WHERE d.id = tool_calls.decision_id)",
		Do: []string{"DELETE FROM tool_calls WHERE id = :key"}}
	oldLetters  = chunked.Sweep{Table: "dead_letters", Where: "at < :audited", Do: []string{"DELETE FROM dead_letters WHERE id = :key"}}
	oldHandoffs = chunked.Sweep{Table: "handoffs", Where: "state NOT IN ('waiting', 'taken') AND changed_at < :audited",
		Do: []string{"DELETE FROM handoffs WHERE id = :key"}}
	oldDays = chunked.Sweep{Keys: "SELECT day FROM overheard WHERE day < :audited UNION SELECT day FROM unasked WHERE day < :audited",
		Do: []string{"DELETE FROM overheard WHERE day = :key", "DELETE FROM unasked WHERE day = :key"}}
	oldUsage = chunked.Sweep{Keys: "SELECT DISTINCT json_array(day, platform, channel, user_id) FROM usage WHERE day < :day",
		Do: []string{"DELETE FROM usage WHERE (day, platform, channel, user_id) = (CAST(:key AS TEXT) ->> 0, CAST(:key AS " +
			"TEXT) ->> 1, CAST(:key AS TEXT) ->> 2, CAST(:key AS TEXT) ->> 3)"}}
	surplus = chunked.Sweep{Keys: `SELECT m.id FROM (
			SELECT id, row_number() OVER (PARTITION BY platform, channel, thread, user_id ORDER BY ended_at DESC) AS n
			FROM sessions WHERE status = 'archived' AND ended_at <> '') s CROSS JOIN messages m ON m.session_id = s.id WHERE s.n > :most`,
		Do: []string{"DELETE FROM messages WHERE id = :key"}}.Unindexed(saidIndex.Name)
	oldInbox  = chunked.Sweep{Table: "inbox", Where: "state <> 'new' AND at < :done", Do: []string{"DELETE FROM inbox WHERE id = :key"}}
	oldOutbox = chunked.Sweep{Table: "outbox", Where: "state NOT IN ('ready', 'started') AND at < :done",
		Do: []string{"DELETE FROM outbox WHERE id = :key"}}
	oldRequests = chunked.Sweep{Keys: "SELECT id FROM api_requests WHERE at < :done", Do: []string{"DELETE FROM api_requests WHERE id = :key"}}
)

// Prune deletes the messages of archived sessions beyond retention, keeping
// their summaries. Imported history has no end within Parley and is never
// touched. It works in chunks beside everybody's messages; ctx ends it between
// two, and the next call does the rest. Free space goes back to the disk.
func (s *Store) Prune(ctx context.Context, r Retention) (p Pruned, err error) {
	now := s.now()
	audited := now.Add(-max(keepAudit, time.Duration(r.Days)*24*time.Hour))
	args := engine.Named{"ended": Stamp(now.AddDate(0, 0, -r.Days)), "audited": Stamp(audited), "day": usage.Day(audited),
		"done": Stamp(now.Add(-keepInbox)), "most": r.Archived}
	type task struct {
		sweep chunked.Sweep
		count *int64
	}
	var rest int64
	tasks := []task{{oldInbox, &p.Inbox}, {oldOutbox, &p.Inbox}, {oldRequests, &rest}, {pastPrecedents, &rest}}
	if r.Archived > 0 {
		tasks = append(tasks, task{surplus, &p.Messages})
	}
	if r.Days > 0 {
		tasks = append(tasks, task{oldMessages, &p.Messages}, task{oldDecisions, &p.Audit}, task{oldCalls, &rest},
			task{oldLetters, &rest}, task{oldHandoffs, &rest}, task{oldDays, &rest}, task{oldUsage, &rest})
	}
	for _, t := range tasks {
		n, err := t.sweep.Run(ctx, s.db, args)
		if *t.count += n; err != nil {
			return p, during("prune", err)
		}
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		if _, err := tx.Exec(dropPassing); err != nil {
			return err
		}
		// Steps of messages that failed were once left behind.
		_, err := tx.Exec("DELETE FROM steps WHERE inbox_id NOT IN (SELECT id FROM inbox WHERE state = 'new')")
		return err
	})
	if err != nil {
		return p, during("prune", err)
	}
	if p.Messages > 0 {
		err = chunked.Rewrite(ctx, s.db, saidIndex)
	}
	return p, during("prune", errors.Join(err, chunked.Shrink(ctx, s.db)))
}
