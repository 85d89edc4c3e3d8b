package memory

import (
	"context"
	"time"

	"parley/internal/sqlite"
)

// Retention says how long archived conversations are kept; 0 keeps them forever.
type Retention struct {
	Days     int // after the end of the session
	Archived int // sessions per place, and per person where each has their own
}

// Pruned counts what was deleted.
type Pruned struct{ Messages, Sessions, Inbox, Audit int64 }

// How long rows are kept that nobody reads again: those that recognize
// redelivery (Telegram keeps updates for a day) and, where
// retention limits conversations, their audit.
const (
	keepInbox = 7 * 24 * time.Hour
	keepAudit = 30 * 24 * time.Hour
)

// Prune deletes the messages of archived sessions beyond retention, keeping
// their summaries. Imported history has no end within Parley and is never
// touched.
func (s *Store) Prune(ctx context.Context, r Retention) (p Pruned, err error) {
	now := s.now()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		p = Pruned{}
		if r.Days > 0 {
			if err := tx.Count(&p.Messages, `DELETE FROM messages WHERE session_id IN
				(SELECT id FROM sessions WHERE status = 'archived' AND ended_at <> '' AND ended_at < ?)`, Stamp(now.AddDate(0, 0, -r.Days))); err != nil {
				return err
			}
			if err := tx.Count(&p.Audit, "DELETE FROM decisions WHERE at < ?", Stamp(now.Add(-max(keepAudit, time.Duration(r.Days)*24*time.Hour)))); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM dead_letters WHERE at < ?", Stamp(now.Add(-max(keepAudit, time.Duration(r.Days)*24*time.Hour)))); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM overheard WHERE day < ?", Stamp(now.Add(-max(keepAudit, time.Duration(r.Days)*24*time.Hour)))); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM usage WHERE day < ?", day(now.Add(-max(keepAudit, time.Duration(r.Days)*24*time.Hour)))); err != nil {
				return err
			}
			if _, err := tx.Exec("DELETE FROM tool_calls WHERE decision_id NOT IN (SELECT id FROM decisions)"); err != nil {
				return err
			}
		}
		if r.Archived > 0 {
			if err := tx.Count(&p.Messages, `DELETE FROM messages WHERE session_id IN (SELECT id FROM (
				SELECT id, row_number() OVER (PARTITION BY platform, channel, thread, user_id ORDER BY ended_at DESC) AS n
				FROM sessions WHERE status = 'archived' AND ended_at <> '') WHERE n > ?)`, r.Archived); err != nil {
				return err
			}
		}
		if err := tx.Count(&p.Inbox, "DELETE FROM inbox WHERE state <> 'new' AND at < ?", Stamp(now.Add(-keepInbox))); err != nil {
			return err
		}
		for _, drop := range []string{dropPassing, pastPrecedents} {
			if _, err := tx.Exec(drop); err != nil {
				return err
			}
		}
		// Steps of messages that failed were once left behind.
		if _, err := tx.Exec("DELETE FROM steps WHERE inbox_id NOT IN (SELECT id FROM inbox WHERE state = 'new')"); err != nil {
			return err
		}
		return tx.Count(&p.Inbox, "DELETE FROM outbox WHERE state NOT IN ('ready', 'started') AND at < ?", Stamp(now.Add(-keepInbox)))
	})
	return p, err
}
