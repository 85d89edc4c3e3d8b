package facts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/db/engine"
)

// maxAtOnce is how many facts a file may change at once. They are stored in one
// transaction, and messages wait for it.
const maxAtOnce = 10_000

// merge3 makes a file's changes in the database, by a three-way merge.
type merge3 struct {
	s    *Store
	v    Viewer
	base map[int64]string // sums of the facts when both sides last agreed
	file File

	// The plan: all that will be done.
	gone      []Record // removed from the file
	took      []Record // with other words or tags in the file
	fresh     []Record // new in the file
	conflicts []string
	total     int // facts there are
	changed   int // of took, those with other words
}

// plan finds what the file changes in the facts as they are now.
func (m *merge3) plan(query engine.Querier) error {
	rows, err := records(query, m.v)
	if err != nil {
		return err
	}
	known, err := knownOf(query, m.v)
	if err != nil {
		return err
	}
	m.gone, m.took, m.fresh, m.conflicts, m.total, m.changed = nil, nil, nil, nil, len(rows), 0
	inFile, byID := make(map[int64]bool, len(m.file.Facts)), make(map[int64]Record, len(rows))
	for _, f := range m.file.Facts {
		inFile[f.ID] = true
	}
	for _, r := range rows {
		byID[r.ID] = r
		if b, was := m.base[r.ID]; was && !inFile[r.ID] && b == r.sum() {
			m.gone = append(m.gone, r)
			delete(known, said(m.v, r))
		}
	}
	for _, f := range m.file.Facts {
		if row, there := byID[f.ID]; there {
			m.take(f, row)
		} else if err := m.add(f, known, byID, inFile); err != nil {
			return err
		}
	}
	for _, f := range slices.Concat(m.took, m.fresh) {
		if err := MayLearn(f.Content); err != nil && f.Content != byID[f.ID].Content {
			return &Unfit{fmt.Errorf("line %d: %w", f.line, err)}
		}
	}
	if n := len(m.gone) + len(m.took) + len(m.fresh); n > maxAtOnce {
		return &Unfit{fmt.Errorf("it changes %d facts, and at most %d may change at once: change some, wait until they are taken over, "+
			"then change others", n, maxAtOnce)}
	}
	return nil
}

// take plans what becomes of a line of the file whose fact is there.
func (m *merge3) take(f, row Record) {
	base := m.base[f.ID]
	switch {
	case f.same(row) || f.sum() == base: // equal, or changed in the chat only
	case base != row.sum():
		m.conflict(f, "in the chat it became: "+row.Content)
	default:
		m.took = append(m.took, f)
		if f.Content != row.Content {
			m.changed++
		}
	}
}

// add plans what becomes of any other line: one that was written by hand, or comes from
// another folder's file, is added, or adds its tags to the fact that says the same.
func (m *merge3) add(f Record, known knownFacts, rows map[int64]Record, inFile map[int64]bool) error {
	if base, was := m.base[f.ID]; was {
		if f.sum() != base {
			m.conflict(f, "it was forgotten in the chat")
		}
		return nil
	}
	old, there := known[said(m.v, f)]
	if !there {
		known[said(m.v, f)] = knownFact{0, f.Tags}
		m.fresh = append(m.fresh, f)
		return nil
	}
	tags, err := normalTags(slices.Concat(old.tags, f.Tags))
	if row, mine := rows[old.id]; err == nil && mine && !inFile[old.id] && !slices.Equal(tags, old.tags) {
		row.Tags, row.line = tags, f.line
		m.took = append(m.took, row)
		inFile[old.id] = true // one line decides
	}
	return err
}

func (m *merge3) conflict(f Record, what string) {
	line := fmt.Sprintf("[%s] the file said: %s %s (%s)", m.s.o.Now().UTC().Format(time.DateOnly), f.Content, strings.Join(f.Tags, " "), what)
	if !slices.Contains(m.file.Conflicts, line) && !slices.Contains(m.conflicts, line) {
		m.conflicts = append(m.conflicts, line)
	}
}

// check refuses what looks like an accident, unless somebody accepted this very file.
func (m *merge3) check(ctx context.Context, text string) (accepted bool, err error) {
	n := len(m.gone)
	mass := &MassError{Gone: n, Changed: m.changed, Total: m.total, Cut: !strings.HasSuffix(text, "\n"), Sum: sumOf(text)}
	vanish := n > massDelete || n > 1 && 5*n > m.total || n > 0 && mass.Cut
	if !vanish && (m.changed <= massDelete || 2*m.changed <= m.total) {
		return false, m.s.clearSetting(ctx, refusedSetting)
	}
	err = m.s.refuse(ctx, mass)
	return err == nil, err
}

// settle ends the refusal of a file, and its acceptance.
func settle(tx *engine.Tx) error {
	_, err := tx.Exec("DELETE FROM settings WHERE name IN (?, ?)", acceptedSetting, refusedSetting)
	return err
}

// run stores all that the file changes, or nothing. The plan is made again where it is
// carried out: somebody may have changed a fact since.
func (m *merge3) run(ctx context.Context, accepted bool) error {
	if !accepted && len(m.gone)+len(m.took)+len(m.fresh) == 0 {
		return nil
	}
	return m.s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := m.plan(tx); err != nil {
			return err
		}
		if accepted {
			if err := settle(tx); err != nil {
				return err
			}
		}
		return m.store(tx)
	})
}

// store carries out the plan, and notes it as one change that its person made.
func (m *merge3) store(tx *engine.Tx) error {
	now, batch := m.s.o.Now(), int64(0)
	stamp := engine.Stamp(now)
	note := func(c Change) error {
		c.Batch, c.Source = batch, FromFile
		done, err := m.s.note(tx, m.v, c, true)
		if batch == 0 {
			batch = done.ID
		}
		return err
	}
	for _, r := range m.gone {
		f := Fact{ID: r.ID, Scope: ScopePerson, Subject: m.v.User, Updated: r.Updated}
		if err := hide(tx, f, stamp); err != nil {
			return err
		}
		if err := note(Change{Kind: Forgotten, Fact: f}); err != nil {
			return err
		}
	}
	for _, r := range m.took {
		history, err := m.rewrite(tx, r, now)
		if err != nil {
			return fmt.Errorf("line %d: %w", r.line, err)
		}
		if err := note(Change{Kind: Replaced, Fact: Fact{ID: r.ID, Updated: now}, History: history}); err != nil {
			return err
		}
	}
	for _, r := range m.fresh {
		f, err := m.s.addRecord(tx, m.v, r)
		if err != nil {
			return fmt.Errorf("line %d: %w", r.line, err)
		}
		if err := note(Change{Kind: Added, Fact: f}); err != nil {
			return err
		}
	}
	return nil
}

// rewrite gives a fact the words and tags of the file, and returns the row of its history.
func (m *merge3) rewrite(tx *engine.Tx, r Record, now time.Time) (history int64, err error) {
	stamp := engine.Stamp(now)
	if history, err = keepHistory(tx, r.ID, stamp); err != nil {
		return 0, err
	}
	_, err = tx.Exec(`UPDATE key_facts SET content = :content, previous = content, author = 'user', session_id = 'facts file', message_id = '', quote = '', confidence = 1,
		valid_from = :now, call_key = '', rank = :rank, ends = :ends WHERE id = :id AND content <> :content`,
		engine.Named{"content": r.Content, "now": stamp, "rank": int(Kept), "ends": engine.Stamp(endOf(r.Content, now)), "id": r.ID})
	if err != nil {
		return 0, err
	}
	return history, retag(tx, r.ID, r.Tags, stamp)
}
