package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"parley/internal/llm/vector"
)

// Bounds of vectors.
const (
	vectorBatch = 32      // sections embedded at once
	maxVectors  = 200_000 // 200 bytes of memory each, with 1536 dimensions
	closeLook   = 400     // sections whose whole vectors are compared
	wideLook    = 4000    // the same if the query has filters
	maxNear     = 30      // sections that count as near
	maxOrphans  = 1000    // vectors without a section, before they are deleted
)

// meanings holds sketches of the index's vectors in memory, for the first step of a
// search. A sketch whose section is gone does no harm: the second step reads the index.
type meanings struct {
	working sync.Mutex // held by the one Embed that is running
	last    int64      // the section that the current pass has reached
	done    int64      // the value of Vault.changes that the last full pass covered

	mu    sync.RWMutex // guards the rest
	ready bool
	kinds map[string]*sketches
	count int
	blank int // of count: the model refused the text or returned a zero vector
}

// sketches are those of one kind, one after the other.
type sketches struct {
	ids   []int64
	bits  []uint64
	words int // of each
}

func (m *meanings) add(kind string, id int64, v vector.Vector) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count++
	if len(v) == 0 {
		m.blank++
		return
	}
	k := m.kinds[kind]
	if k == nil {
		k = &sketches{words: v.Words()}
		m.kinds[kind] = k
	}
	if v.Words() == k.words {
		k.ids, k.bits = append(k.ids, id), v.Sketch(k.bits)
	}
}

// state returns how many vectors there are, how many of them are blank, and whether
// the index is complete.
func (m *meanings) state() (count, blank int, ready bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.count, m.blank, m.ready
}

// candidates returns the n vectors whose sketches differ least, and up to 2n on a tie.
// hidden ones, in order, do not count.
func (m *meanings) candidates(kind string, v vector.Vector, n int, hidden []int64) (ids []int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k := m.kinds[kind]
	if k == nil || k.words != v.Words() {
		return nil
	}
	sketch := v.Sketch(nil)
	differ, having := make([]uint16, len(k.ids)), make([]int, 64*k.words+1)
	for i := range k.ids {
		if len(hidden) > 0 && holds(hidden, k.ids[i]) {
			differ[i] = math.MaxUint16
			continue
		}
		d := vector.Differ(sketch, k.bits[i*k.words:(i+1)*k.words])
		differ[i] = uint16(d)
		having[d]++
	}
	most := 0
	for sum := having[0]; sum < n && most < len(having)-1; sum += having[most] {
		most++
	}
	for i, d := range differ {
		if int(d) <= most && len(ids) < 2*n {
			ids = append(ids, k.ids[i])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids) // SQLite reuses the number of a deleted row
}

// has reports whether there are vectors to compare a question with.
func (m *meanings) has(kind string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.ready && m.kinds[kind] != nil
}

// forget empties the memory, for another index.
func (m *meanings) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready, m.kinds, m.count, m.blank = false, map[string]*sketches{}, 0, 0
}

// meaning returns the text of which a section's vector is made, and the vector's key.
func meaning(kind, title, heading, text string) (whole string, hash []byte) {
	whole = title + "\n" + heading + "\n" + text
	sum := sha256.Sum256([]byte(kind + "\n" + whole))
	return whole, sum[:16]
}

// Embed makes vectors for a batch of sections without one, and reports whether there are
// more. It continues where the last call ended. A section that only moved keeps its
// vector; another model makes all of them anew. Without Options.Embed, and while the
// index is not ready, it does nothing.
func (v *Vault) Embed(ctx context.Context) (more bool, err error) {
	m := &v.meanings
	m.working.Lock()
	defer m.working.Unlock()
	if v.o.Embed == nil || v.Status().State != StateReady {
		return false, nil
	}
	changes := v.changes.Load()
	if count, _, ready := m.state(); !ready || count > v.Status().Sections+maxOrphans {
		if err := v.loadVectors(ctx); err != nil {
			return false, fmt.Errorf("load vectors: %w", err)
		}
	}
	count, blank, _ := m.state()
	v.set(func(s *Status) { s.Vectors, s.Wordless = count-blank, blank })
	if m.done == changes || count >= maxVectors {
		return false, nil
	}
	due, err := v.unembedded(ctx, m.last)
	if err == nil && len(due) > 0 {
		err = v.embed(ctx, due)
	}
	if err != nil {
		return false, fmt.Errorf("embed notes: %w", err)
	}
	if len(due) == 0 {
		m.last, m.done = 0, changes
		return false, nil
	}
	m.last = due[len(due)-1].id
	return true, nil
}

// unmade is a section without a vector.
type unmade struct {
	id         int64
	kind, text string
	hash       []byte
}

// unembedded returns the next sections after last that have no vector.
func (v *Vault) unembedded(ctx context.Context, last int64) (due []unmade, err error) {
	return due, v.using(func(ix *index) error {
		return each(ctx, ix.db, func(rows *sql.Rows) error {
			var u unmade
			var title, heading string
			err := rows.Scan(&u.id, &u.kind, &title, &heading, &u.text)
			u.text, u.hash = meaning(u.kind, title, heading, u.text)
			due = append(due, u)
			return err
		}, `SELECT s.id, d.kind, d.title, s.heading, s.text FROM sections s CROSS JOIN docs d ON d.id = s.doc
			WHERE s.id > ? AND NOT EXISTS (SELECT 1 FROM vectors x WHERE x.hash = s.hash) ORDER BY s.id LIMIT ?`, last, vectorBatch)
	})
}

// embed gives sections their vectors. One that the model refuses, or whose vector is zero,
// gets an empty vector, so that it is not sent again.
func (v *Vault) embed(ctx context.Context, due []unmade) error {
	texts := make([]string, len(due))
	for i, u := range due {
		texts[i] = u.text
	}
	list, err := v.o.Embed(ctx, texts)
	if err != nil {
		return err
	}
	v.changing.Lock()
	defer v.changing.Unlock()
	return v.using(func(ix *index) error {
		ids := map[int64]int{}
		err := ix.write(ctx, func(p *put) {
			clear(ids)
			for i, u := range due {
				if slices.ContainsFunc(due[:i], func(o unmade) bool { return string(o.hash) == string(u.hash) }) {
					continue
				}
				ids[p.exec("INSERT INTO vectors (kind, hash, vector) VALUES (?, ?, ?)", u.kind, u.hash, append([]byte{}, vector.Of(list[i])...))] = i
			}
		})
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(ids)) { // as they are loaded: their order chooses among many that are as near
			i := ids[id]
			v.meanings.add(due[i].kind, id, vector.Of(list[i]))
		}
		return nil
	})
}

// loadVectors deletes vectors of another model or without a section, and reads the rest.
func (v *Vault) loadVectors(ctx context.Context) error {
	m := &v.meanings
	m.forget()
	m.last, m.done = 0, -1
	v.changing.Lock()
	defer v.changing.Unlock()
	err := v.using(func(ix *index) error {
		err := ix.write(ctx, func(p *put) {
			p.exec("DELETE FROM vectors WHERE (SELECT model FROM meta) <> ?", v.o.EmbedModel)
			p.exec("UPDATE meta SET model = ?", v.o.EmbedModel)
			p.exec("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM sections)")
		})
		if err != nil {
			return err
		}
		return each(ctx, ix.db, func(rows *sql.Rows) error {
			var id int64
			var kind string
			var vec vector.Vector
			if err := rows.Scan(&id, &kind, &vec); err != nil {
				return err
			}
			m.add(kind, id, vec)
			return nil
		}, "SELECT id, kind, vector FROM vectors")
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.ready = true
	m.mu.Unlock()
	return nil
}

// near ranks the sections closest in meaning to the question, best first.
func (s *search) near(ctx context.Context) ([]int64, error) {
	if s.asked == nil {
		return nil, nil
	}
	look, most := closeLook, maxNear
	where, args := s.only()
	if where != "" {
		look, most = wideLook, wideLook
	}
	hidden, err := s.hiddenVectors(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.compare(ctx, s.meanings.candidates(s.q.Kind, s.asked, look, hidden))
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(vector.Nearest(all, most))
	if err != nil {
		return nil, err
	}
	return column[int64](ctx, s.ix, `SELECT s.id FROM json_each(?) j CROSS JOIN vectors x ON x.id = j.value
		CROSS JOIN sections s ON s.hash = x.hash CROSS JOIN docs d ON d.id = s.doc 
		WHERE d.kind = ? AND d.id NOT IN (SELECT value FROM json_each(?))`+where+" ORDER BY j.key, s.id LIMIT ?",
		slices.Concat([]any{string(list), s.q.Kind, s.docs}, args, []any{maxNear})...)
}

// hiddenVectors lists the vectors of which every section is hidden.
func (s *search) hiddenVectors(ctx context.Context) ([]int64, error) {
	if len(s.sections) == 0 {
		return nil, nil
	}
	return column[int64](ctx, s.ix, `SELECT x.id FROM vectors x WHERE x.hash IN (SELECT hash FROM sections WHERE id IN (SELECT value FROM json_each(?)))
		AND NOT EXISTS (SELECT 1 FROM sections s WHERE s.hash = x.hash AND s.id NOT IN (SELECT value FROM json_each(?))) ORDER BY x.id`, s.list, s.list)
}

// compare computes how near whole vectors are.
func (s *search) compare(ctx context.Context, ids []int64) (all []vector.Near, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return all, each(ctx, s.ix.db, func(rows *sql.Rows) error {
		var id int64
		var v sql.RawBytes
		if err := rows.Scan(&id, &v); err != nil {
			return err
		}
		all = append(all, vector.Near{ID: id, Cos: s.asked.Cos(vector.Vector(v))})
		return nil
	}, "SELECT x.id, x.vector FROM json_each(?) j CROSS JOIN vectors x ON x.id = j.value", string(list))
}

// fuse ranks the hits by words and by meaning together, and sets their scores.
func fuse(hits []Hit, near []int64, linked map[int64]bool) {
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.id, b.id)) })
	var words []int64
	for _, h := range hits {
		if h.Score > 0 {
			words = append(words, h.id)
		}
	}
	scores := vector.Fuse(words, near)
	for i := range hits {
		h := &hits[i]
		h.Score = scores[h.id] * (1 - linkWorth)
		if linked[h.doc] {
			h.Score *= 1 + linkWorth
		}
	}
}
