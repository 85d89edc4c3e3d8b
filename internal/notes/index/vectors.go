package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"parley/internal/llm/vector"
)

// Bounds of what vectors do.
const (
	vectorBatch = 32      // sections that get one at a time
	maxVectors  = 200_000 // 200 bytes of memory each, with 1536 dimensions
	closeLook   = 400     // sections whose whole vectors are compared
	wideLook    = 4000    // the same where only a folder or a tag is asked for
	maxNear     = 30      // sections that are taken for near
	maxOrphans  = 1000    // vectors of what stands nowhere any more, before they are cleared away
)

// meanings holds sketches of the vectors of the index in memory, for the first step
// of a search. A vector whose section is gone does no harm: the second step reads
// the index.
type meanings struct {
	working sync.Mutex // held by the one Embed that is under way
	last    int64      // section that the pass under way has come to
	done    int64      // value of Vault.changes that is done with

	mu    sync.RWMutex // guards the rest
	ready bool
	kinds map[string]*sketches
	count int
	blank int // of count: the model refused the text, or it has no direction
}

// sketches are those of one kind, one behind the other.
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

// candidates returns the n vectors whose sketches differ the least, or a few more.
func (m *meanings) candidates(kind string, v vector.Vector, n int) (ids []int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k := m.kinds[kind]
	if k == nil || k.words != v.Words() {
		return nil
	}
	sketch := v.Sketch(nil)
	differ, having := make([]uint16, len(k.ids)), make([]int, 64*k.words+1)
	for i := range k.ids {
		d := vector.Differ(sketch, k.bits[i*k.words:(i+1)*k.words])
		differ[i] = uint16(d)
		having[d]++
	}
	most := 0
	for sum := having[0]; sum < n && most < len(having)-1; sum += having[most] {
		most++
	}
	for i, d := range differ {
		if int(d) <= most && len(ids) < 2*n { // many alike are no reason to look at all
			ids = append(ids, k.ids[i])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids) // SQLite gives the number of a deleted row once more
}

// has reports whether there is anything to compare a question with.
func (m *meanings) has(kind string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.ready && m.kinds[kind] != nil
}

// forget starts over with another index.
func (m *meanings) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready, m.kinds, m.count, m.blank = false, map[string]*sketches{}, 0, 0
}

// meaning returns the text of a section that its vector is made from, and its key.
func meaning(kind, title, heading, text string) (whole string, hash []byte) {
	whole = title + "\n" + heading + "\n" + text
	sum := sha256.Sum256([]byte(kind + "\n" + whole))
	return whole, sum[:16]
}

// Embed makes vectors for a batch of sections that have none, and reports whether
// there are more. It continues where the last run ended. A section that only moved
// keeps its vector; with another model all vectors are made again. Without
// Options.Embed, and while the index is not ready, it does nothing.
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

// unembedded returns the next sections behind one that have no vector.
func (v *Vault) unembedded(ctx context.Context, last int64) (due []unmade, err error) {
	return due, v.using(func(ix *index) error {
		rows, err := ix.db.QueryContext(ctx, `SELECT s.id, d.kind, d.title, s.heading, s.text FROM sections s CROSS JOIN docs d ON d.id = s.doc
			WHERE s.id > ? AND NOT EXISTS (SELECT 1 FROM vectors x WHERE x.hash = s.hash) ORDER BY s.id LIMIT ?`, last, vectorBatch)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var u unmade
			var title, heading string
			if err := rows.Scan(&u.id, &u.kind, &title, &heading, &u.text); err != nil {
				return err
			}
			u.text, u.hash = meaning(u.kind, title, heading, u.text)
			due = append(due, u)
		}
		return rows.Err()
	})
}

// embed gives sections their vectors. One whose text has no direction, or is
// refused by the model, gets an empty one, so that it is not asked for again.
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
		for id, i := range ids {
			v.meanings.add(due[i].kind, id, vector.Of(list[i]))
		}
		return nil
	})
}

// loadVectors deletes vectors of another model and those without a section, and
// reads the others.
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
		rows, err := ix.db.QueryContext(ctx, "SELECT id, kind, vector FROM vectors")
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id int64
			var kind string
			var vec vector.Vector
			if err := rows.Scan(&id, &kind, &vec); err != nil {
				return err
			}
			m.add(kind, id, vec)
		}
		return rows.Err()
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
	all, err := s.compare(ctx, s.meanings.candidates(s.q.Kind, s.asked, look))
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(vector.Nearest(all, most))
	if err != nil {
		return nil, err
	}
	rows, err := s.ix.db.QueryContext(ctx, `SELECT s.id FROM json_each(?) j CROSS JOIN vectors x ON x.id = j.value
		CROSS JOIN sections s ON s.hash = x.hash CROSS JOIN docs d ON d.id = s.doc WHERE d.kind = ?`+where+" ORDER BY j.key, s.id LIMIT ?",
		slices.Concat([]any{string(list), s.q.Kind}, args, []any{maxNear})...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var ranked []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ranked = append(ranked, id)
	}
	return ranked, rows.Err()
}

// compare computes how near whole vectors are.
func (s *search) compare(ctx context.Context, ids []int64) (all []vector.Near, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.ix.db.QueryContext(ctx, "SELECT x.id, x.vector FROM json_each(?) j CROSS JOIN vectors x ON x.id = j.value", string(list))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		var v sql.RawBytes
		if err := rows.Scan(&id, &v); err != nil {
			return nil, err
		}
		all = append(all, vector.Near{ID: id, Cos: s.asked.Cos(vector.Vector(v))})
	}
	return all, rows.Err()
}

// fuse makes the scores of hits that words found and of those that are near
// comparable.
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
