package facts

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"parley/internal/db/engine"
)

// Kind is what was done to a fact.
type Kind string

// The kinds.
const (
	Added     Kind = "added"
	Replaced  Kind = "replaced"
	Forgotten Kind = "forgotten"
)

// Change is something that was done to a fact, for the person it was done for.
type Change struct {
	ID      int64
	Kind    Kind
	Fact    Fact   // as it is now; of a forgotten one as it was
	Was     string // Replaced: what it said before
	Other   Fact   // Added: what it disagrees with and still stands; its id is 0 for nothing
	History int64  // Replaced: the row of what it said
	Batch   int64  // the first of those that are undone together
	Learned bool   // nobody asked for it
	At      time.Time
}

// marks says that the fact says what it said, and only stands otherwise, or has
// other tags.
func (c Change) marks() bool { return c.Kind == Replaced && c.Was == c.Fact.Content }

// note writes a change down. told says that whoever asked for it is told now.
func (s *Store) note(tx *engine.Tx, v Viewer, c Change, told bool) (_ Change, err error) {
	c.At = s.o.Now()
	at := engine.Stamp(c.At)
	said := ""
	if told {
		said = at
	}
	c.ID, err = tx.Insert("INSERT INTO fact_changes (batch, kind, fact_id, other_id, history_id, user_id, at, stamp, "+
		"learned, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		c.Batch, string(c.Kind), c.Fact.ID, c.Other.ID, c.History, v.User, at, engine.Stamp(c.Fact.Updated), c.Learned, said)
	return c, err
}

// changeRows reads changes of a person whose facts hold, as far as they can be
// seen; ends of it narrow and order.
const changeRows = `SELECT c.id, c.kind, c.fact_id, c.other_id, c.history_id, c.batch, c.learned, c.at, coalesce(h.content, '')
	FROM fact_changes c JOIN key_facts f ON f.id = c.fact_id LEFT JOIN fact_history h ON h.id = c.history_id AND h.fact_id = c.fact_id
	WHERE c.user_id = :user AND f.valid_to = '' AND `

// changes reads them, with their facts.
func changes(query func(string, ...any) (*sql.Rows, error), v Viewer, end string, args engine.Named) ([]Change, error) {
	rows, err := query(changeRows+factScope+" AND "+end, v.Named(args))
	if err != nil {
		return nil, err
	}
	list, err := engine.Collect(rows, func(r *sql.Rows) (c Change, err error) {
		var at string
		err = r.Scan(&c.ID, &c.Kind, &c.Fact.ID, &c.Other.ID, &c.History, &c.Batch, &c.Learned, &at, &c.Was)
		c.At = engine.ParseStamp(at)
		return c, err
	})
	for i := range list {
		for _, f := range []*Fact{&list[i].Fact, &list[i].Other} {
			found, ferr := facts(query, v, byID, engine.Named{"id": f.ID})
			if ferr != nil {
				return nil, ferr
			}
			*f = one(found)
		}
	}
	return list, err
}

// lastChange is the newest change of a fact; its id is 0 when there is none.
func lastChange(tx *engine.Tx, v Viewer, id int64) (Change, error) {
	list, err := changes(tx.Query, v, "c.fact_id = :id ORDER BY c.id DESC LIMIT 1", engine.Named{"id": id})
	if err != nil || len(list) == 0 {
		return Change{}, err
	}
	return list[0], nil
}

// Untold are changes that v was not told yet and can see from here, the oldest
// first.
func (s *Store) Untold(v Viewer, limit int) ([]Change, error) {
	some, err := s.untold.Get(struct{}{}, func() (some bool, err error) {
		err = s.db.QueryRow("SELECT EXISTS (SELECT 1 FROM fact_changes WHERE told = '')").Scan(&some)
		return some, err
	})
	if err != nil || !some {
		return nil, engine.During("untold changes", err)
	}
	list, err := changes(s.db.Query, v, "c.told = '' ORDER BY c.id LIMIT :limit", engine.Named{"limit": limit})
	return list, engine.During("untold changes", err)
}

// Learned are what was learned without being asked for after q.Since and holds,
// and up to q.Before, the newest first, each fact once. Only these and the bounds
// of q count.
func (s *Store) Learned(_ context.Context, v Viewer, q Query) ([]Change, error) {
	list, err := changes(s.db.Query, v, `c.learned AND c.at > :since AND (:before = '' OR c.at <= :before) AND f.rank < :kept
		AND NOT EXISTS (SELECT 1 FROM fact_changes d WHERE d.fact_id = c.fact_id AND d.id > c.id AND d.learned) ORDER BY c.id DESC LIMIT :limit OFFSET :offset`,
		engine.Named{"since": engine.Stamp(q.Since), "before": engine.Stamp(q.Before), "kept": int(Kept), "limit": q.Limit, "offset": q.Offset})
	return list, engine.During("learned facts", err)
}

// Told notes that people were told of changes.
func Told(tx *engine.Tx, ids []int64, now time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	b, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = tx.Exec("UPDATE fact_changes SET told = ? WHERE told = '' AND id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))",
		engine.Stamp(now), string(b))
	return err
}

// keepChanges is how long a change is known that can no longer be undone.
const keepChanges = 30 * 24 * time.Hour

// PruneChanges deletes for good what was forgotten in the chat more than a day
// ago, and changes of long ago.
func (s *Store) PruneChanges(ctx context.Context) error {
	now, n := s.o.Now(), int64(0)
	err := s.db.Write(ctx, func(tx *engine.Tx) error {
		n = 0
		err := tx.Count(&n, `DELETE FROM key_facts WHERE valid_to <> '' AND (id IN (SELECT fact_id FROM fact_changes WHERE kind = 'forgotten' AND at <= :at)
			OR superseded_by IN (SELECT fact_id FROM fact_changes WHERE kind = 'forgotten' AND at <= :at))`, engine.Named{"at": engine.Stamp(now.Add(-undoChange))})
		if err != nil {
			return err
		}
		_, err = tx.Exec("DELETE FROM fact_changes WHERE at <= ?", engine.Stamp(now.Add(-keepChanges)))
		return err
	})
	if err == nil && n > 0 {
		s.emptyLog(ctx)
	}
	return engine.During("prune changes", err)
}

// emptyLog leaves nothing of what was erased in the log. Where somebody reads it
// just now, the next time does.
func (s *Store) emptyLog(ctx context.Context) { _ = s.db.EmptyLog(ctx) }
