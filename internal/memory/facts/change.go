package facts

import (
	"context"
	"encoding/json"
	"time"

	"parley/internal/db/engine"
)

// Kind says what was done to a fact.
type Kind string

// The kinds.
const (
	Added     Kind = "added"
	Replaced  Kind = "replaced"
	Forgotten Kind = "forgotten"
)

// Change is a change of a fact, as the person for whom it was made is told.
type Change struct {
	ID      int64
	Number  int64 // by which its person takes it back; theirs alone are counted
	Kind    Kind
	Fact    Fact   // as it is now; a forgotten one as it was
	Was     string // Replaced: the content before
	Other   Fact   // Added: a fact that it contradicts and that still stands; its ID is 0 for none
	History int64  // Replaced: the row of the content before
	Batch   int64  // the first of the changes that are undone together
	Learned bool   // nobody asked for it
	Source  Source
	At      time.Time
}

// Source says where a person made a change themselves outside of the chat; "" is in it.
type Source string

// The sources.
const (
	FromFile    Source = "file"
	FromProgram Source = "program" // of their own, which showed it to them: bot mcp
)

// marks reports whether only rank or tags changed.
func (c Change) marks() bool { return c.Kind == Replaced && c.Was == c.Fact.Content }

// note stores a change. told reports that the person who asked for it is told now.
func (s *Store) note(tx *engine.Tx, v Viewer, c Change, told bool) (_ Change, err error) {
	c.At = s.o.Now()
	at := engine.Stamp(c.At)
	said := ""
	if told {
		said = at
	}
	c.ID, err = tx.Insert("INSERT INTO fact_changes (batch, kind, fact_id, other_id, history_id, user_id, at, stamp, "+
		"learned, told, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		c.Batch, string(c.Kind), c.Fact.ID, c.Other.ID, c.History, v.User, at, engine.Stamp(c.Fact.Updated), c.Learned, said, string(c.Source))
	if err == nil {
		err = tx.QueryRow("SELECT number FROM fact_changes WHERE id = ?", c.ID).Scan(&c.Number)
	}
	return c, err
}

// changeRows reads a person's changes of visible facts that hold. Ends of the query narrow
// and order.
const changeRows = `SELECT c.id, c.number, c.kind, c.fact_id, c.other_id, c.history_id, c.batch, c.learned, c.at, coalesce(h.content, '')
	FROM fact_changes c JOIN key_facts f ON f.id = c.fact_id LEFT JOIN fact_history h ON h.id = c.history_id AND h.fact_id = c.fact_id
	WHERE c.user_id = :user AND f.valid_to = '' AND `

// changes reads changes with their facts.
func changes(query engine.Querier, v Viewer, end string, args engine.Named) ([]Change, error) {
	list, err := engine.Select(query, func(r engine.Scanner) (c Change, err error) {
		var at string
		err = r.Scan(&c.ID, &c.Number, &c.Kind, &c.Fact.ID, &c.Other.ID, &c.History, &c.Batch, &c.Learned, &at, &c.Was)
		c.At = engine.ParseStamp(at)
		return c, err
	}, changeRows+factScope+" AND "+end, v.Named(args))
	for i := range list {
		for _, f := range []*Fact{&list[i].Fact, &list[i].Other} {
			if *f, err = factOf(query, v, f.ID); err != nil {
				return nil, err
			}
		}
	}
	return list, err
}

// lastChange returns the newest change of a fact; its ID is 0 for none.
func lastChange(tx *engine.Tx, v Viewer, id int64) (Change, error) {
	list, err := changes(tx, v, "c.fact_id = :id ORDER BY c.id DESC LIMIT 1", engine.Named{"id": id})
	if err != nil || len(list) == 0 {
		return Change{}, err
	}
	return list[0], nil
}

// Untold returns the changes that v can see here and was not told yet, the oldest first.
func (s *Store) Untold(v Viewer, limit int) ([]Change, error) {
	some, err := s.untold.Get(struct{}{}, func() (some bool, err error) {
		err = s.db.QueryRow("SELECT EXISTS (SELECT 1 FROM fact_changes WHERE told = '')").Scan(&some)
		return some, err
	})
	if err != nil || !some {
		return nil, engine.During("untold changes", err)
	}
	list, err := changes(s.db, v, "c.told = '' ORDER BY c.id LIMIT :limit", engine.Named{"limit": limit})
	if err == nil && len(list) < limit {
		var gone []Change
		gone, err = goneUntold(s.db, v, limit-len(list))
		list = append(list, gone...)
	}
	return list, engine.During("untold changes", err)
}

// goneUntold returns the facts that were forgotten unasked, of which v was not told yet.
func goneUntold(query engine.Querier, v Viewer, limit int) ([]Change, error) {
	list, err := engine.Select(query, func(r engine.Scanner) (c Change, err error) {
		var at string
		err = r.Scan(&c.ID, &c.Number, &c.Kind, &c.Fact.ID, &c.Batch, &c.Learned, &at)
		c.At = engine.ParseStamp(at)
		return c, err
	}, `SELECT c.id, c.number, c.kind, c.fact_id, c.batch, c.learned, c.at FROM fact_changes c JOIN key_facts f ON f.id = c.fact_id
		WHERE c.user_id = :user AND c.told = '' AND c.kind = 'forgotten' AND f.valid_to <> '' AND `+factScope+" ORDER BY c.id LIMIT :limit",
		v.Named(engine.Named{"limit": limit}))
	for i := range list {
		if err == nil {
			list[i].Fact, err = forgotten(query, v, list[i].Fact.ID)
		}
	}
	return list, err
}

// Learned returns what was learned unasked after q.Since up to q.Before and still holds,
// the newest first, each fact once. Of q it reads only these and Limit and Offset.
func (s *Store) Learned(_ context.Context, v Viewer, q Query) ([]Change, error) {
	list, err := changes(s.db, v, `c.learned AND c.at > :since AND (:before = '' OR c.at <= :before) AND f.rank < :kept
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

// keepChanges is how long changes are stored.
const keepChanges = 30 * 24 * time.Hour

// PruneChanges deletes for good the facts that were forgotten in the chat more than a day
// ago, or left out of the facts file longer ago than that can be undone, and old changes.
func (s *Store) PruneChanges(ctx context.Context) error {
	now, n := s.o.Now(), int64(0)
	err := s.db.Write(ctx, func(tx *engine.Tx) error {
		n = 0
		err := tx.Count(&n, `DELETE FROM key_facts WHERE valid_to <> '' AND (id IN (SELECT fact_id FROM fact_changes WHERE kind = 'forgotten' AND source <> 'file' AND at <= :at)
			OR superseded_by IN (SELECT fact_id FROM fact_changes WHERE kind = 'forgotten' AND source <> 'file' AND at <= :at))`, engine.Named{"at": engine.Stamp(now.Add(-undoChange))})
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

// emptyLog removes erased facts from the log. If a reader holds the log, the next call does
// it.
func (s *Store) emptyLog(ctx context.Context) { _ = s.db.EmptyLog(ctx) }
