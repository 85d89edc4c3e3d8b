package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"parley/internal/db/engine"
	"parley/internal/llm/vector"
)

// Bounds of vectors.
const (
	vectorBatch = 64   // facts embedded at once
	vectorScan  = 2000 // latest facts that are compared with a message
	nearFacts   = 5    // facts that count as near
)

// EmbedFacts makes vectors for a batch of facts without a current one, and reports whether
// there may be more. Without Options.Embed it does nothing.
func (s *Store) EmbedFacts(ctx context.Context) (more bool, err error) {
	if s.o.Embed == nil {
		return false, nil
	}
	due, err := engine.Select(s.db, func(r engine.Scanner) (f Fact, err error) { return f, r.Scan(&f.ID, &f.Content) },
		`SELECT f.id, f.content FROM fact_vectors x JOIN key_facts f ON f.id = x.fact_id
		WHERE (x.model < :model OR x.model > :model) AND f.valid_to = '' LIMIT :limit`,
		engine.Named{"model": s.o.EmbedModel, "limit": vectorBatch})
	if err != nil || len(due) == 0 {
		return false, engine.During("embed facts", err)
	}
	contents := make([]string, len(due))
	for i, f := range due {
		contents[i] = f.Content
	}
	list, err := s.o.Embed(ctx, contents)
	if err != nil {
		return false, engine.During("embed facts", err)
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		for i, f := range due { // not if it was corrected meanwhile
			_, err := tx.Exec(`UPDATE fact_vectors SET model = :model, vector = :vector WHERE fact_id = :id AND EXISTS (SELECT 1 FROM key_facts WHERE id = :id AND content = :content)`,
				engine.Named{"model": s.o.EmbedModel, "vector": append([]byte{}, vector.Of(list[i])...), "id": f.ID, "content": f.Content})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return len(due) == vectorBatch, engine.During("embed facts", err)
}

// near finds facts that v can see and that are close in meaning to a text, best first. The
// text gets a vector only if there are vectors to compare with.
func (s *Store) near(ctx context.Context, v Viewer, text string) ([]int64, error) {
	scope := visibleTo(v)
	if s.o.Embed == nil || scope == "" || v.Operator && v.User == "" { // everybody's facts would take seconds
		return nil, nil
	}
	type meaning struct {
		id int64
		vector.Vector
	}
	all, err := engine.Select(s.db, func(r engine.Scanner) (m meaning, err error) { return m, r.Scan(&m.id, &m.Vector) },
		`SELECT x.fact_id, x.vector FROM fact_vectors x WHERE x.model = :model AND x.fact_id IN (
		SELECT f.id FROM key_facts f WHERE `+scope+` ORDER BY f.updated_at DESC, f.id DESC LIMIT :limit)`,
		v.Named(engine.Named{"model": s.o.EmbedModel, "limit": vectorScan}))
	if err != nil || len(all) == 0 {
		return nil, err
	}
	asked := s.o.Embed.Query(ctx, text)
	if asked == nil {
		return nil, nil
	}
	list := make([]vector.Near, len(all))
	for i, m := range all {
		list[i] = vector.Near{ID: m.id, Cos: asked.Cos(m.Vector)}
	}
	return vector.Nearest(list, nearFacts), nil
}

// fuse joins facts found by words with those near in meaning, best first.
func (s *Store) fuse(v Viewer, found []Fact, near []int64) ([]Fact, error) {
	if len(near) == 0 {
		return found, nil
	}
	more, err := s.byIDs(v, near)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	more = slices.DeleteFunc(more, func(f Fact) bool { return slices.Contains(ids, f.ID) })
	scores := vector.Fuse(ids, near)
	all := append(found, more...)
	slices.SortStableFunc(all, func(a, b Fact) int { return cmp.Compare(scores[b.ID], scores[a.ID]) })
	return all, nil
}

// byIDs reads some facts that v can see, in any order.
func (s *Store) byIDs(v Viewer, ids []int64) ([]Fact, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return facts(s.db, v, "f.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids))", engine.Named{"ids": string(list)})
}
