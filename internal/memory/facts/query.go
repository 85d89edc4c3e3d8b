package facts

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/db/engine"
)

// Query selects facts. Empty fields match all.
type Query struct {
	Text          string    // words; the best match comes first
	Tag           string    // with or without '#'
	Since, Before time.Time // bounds of ValidFrom
	Limit, Offset int       // Limit 0 means 20
}

func (q Query) fits(f Fact) bool {
	return (q.Tag == "" || slices.Contains(f.Tags, q.Tag)) && (q.Since.IsZero() || !f.ValidFrom.Before(q.Since)) &&
		(q.Before.IsZero() || f.ValidFrom.Before(q.Before))
}

// FindFacts returns the facts that v can see and that match. Without words, important facts
// come first, then the newest.
func (s *Store) FindFacts(ctx context.Context, v Viewer, q Query) ([]Fact, error) {
	if q.Limit <= 0 {
		q.Limit = 20
	}
	if q.Tag != "" {
		q.Tag = "#" + strings.TrimPrefix(strings.ToLower(strings.TrimSpace(q.Tag)), "#")
	}
	if strings.TrimSpace(q.Text) == "" {
		list, err := facts(s.db, v,
			`(:tag = '' OR instr(' ' || f.tags || ' ', ' ' || :tag || ' ') > 0) AND f.valid_from >= :since AND (:before = '' OR f.valid_from < :before)
			ORDER BY f.important DESC, f.updated_at DESC, f.id DESC LIMIT :limit OFFSET :offset`,
			engine.Named{"tag": q.Tag, "since": engine.Stamp(q.Since), "before": engine.Stamp(q.Before), "limit": q.Limit, "offset": q.Offset})
		return list, engine.During("find facts", err)
	}
	list, err := s.SearchFacts(ctx, v, q.Text, maxCandidates)
	list = slices.DeleteFunc(list, func(f Fact) bool { return !q.fits(f) })
	list = list[min(q.Offset, len(list)):]
	return list[:min(q.Limit, len(list))], err
}

// CountFacts counts the facts that Facts lists.
func (s *Store) CountFacts(_ context.Context, v Viewer) (n int, err error) {
	scope := visibleTo(v)
	if scope == "" {
		return 0, nil
	}
	err = s.db.QueryRow("SELECT count(*) FROM key_facts f WHERE f.valid_to = '' AND "+scope, v.Named(nil)).Scan(&n)
	return n, engine.During("count facts", err)
}
