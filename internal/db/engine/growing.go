package engine

import "sync"

// maxGrown bounds what a Growing keeps, by weight.
const maxGrown = 1 << 20

// Growing keeps the newest rows of lists that grow at their end, such as the messages
// of conversations: what was read is not read again until a row of the table that was
// there already is changed or deleted. That is noticed as by Kept; what another process
// changed is seen with the next write of this one that waits for the disk, and not before,
// so nothing is kept of a database on a server, which others write to all the time. It
// is safe for many goroutines.
type Growing[V any] struct {
	db      *DB
	list    List[V]
	changes *counter

	mu      sync.Mutex // guards the rest
	version uint64     // of changes, for all
	all     map[string]grown[V]
	weight  int
}

// List describes rows to a Growing.
type List[V any] struct {
	Table  string
	ID     func(V) int64 // counts up as rows are added
	Weight func(V) int   // about how many bytes of memory it takes
	// Read reads at most limit of the newest rows of a list after an ID, oldest first.
	Read func(key string, after int64, limit int) ([]V, error)
}

// grown are all rows of a list that come after one.
type grown[V any] struct {
	after  int64
	rows   []V
	weight int
}

// KeepGrowing returns a Growing that reads from db.
func KeepGrowing[V any](db *DB, list List[V]) *Growing[V] {
	return &Growing[V]{db: db, list: list, changes: db.changes.of(rewritten(list.Table))}
}

// Newest returns what Read would. Callers share the rows and must not change them; they
// may append.
func (g *Growing[V]) Newest(key string, after int64, limit int) ([]V, error) {
	if g.db.p.Server != nil {
		return g.list.Read(key, after, limit)
	}
	version := g.db.changes.elsewhere.Load() + g.changes.Load()
	have, known := g.take(key, version)
	if !known || after < have.after && len(have.rows) < limit {
		have = grown[V]{after: after}
	}
	last := have.after
	if n := len(have.rows); n > 0 {
		last = g.list.ID(have.rows[n-1])
	}
	more, err := g.list.Read(key, last, limit)
	if err != nil {
		return nil, err
	}
	if len(more) == limit && limit > 0 { // there may be others before these
		have = grown[V]{after: g.list.ID(more[0]) - 1}
	}
	for _, v := range more {
		have.weight += g.list.Weight(v)
	}
	// Earlier callers hold the rows up to their length, which an append leaves as they are,
	// and nobody else appends to these: they were taken.
	have.rows = append(have.rows, more...)
	have = g.cut(have, after)
	g.put(key, version, have)
	rows := have.rows[max(0, len(have.rows)-limit):]
	return rows[:len(rows):len(rows)], nil
}

// cut leaves out the rows that nobody asks for any more.
func (g *Growing[V]) cut(have grown[V], after int64) grown[V] {
	n := 0
	for n < len(have.rows) && g.list.ID(have.rows[n]) <= after {
		have.weight -= g.list.Weight(have.rows[n])
		n++
	}
	if n > 0 {
		have.rows = append([]V(nil), have.rows[n:]...) // else the old ones stay in memory
	}
	have.after = max(have.after, after)
	return have
}

// take returns what is kept and keeps it no longer: who else asks meanwhile reads it all,
// for two must not append to the same rows.
func (g *Growing[V]) take(key string, version uint64) (have grown[V], known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if version != g.version { // what was forgotten does not stay in memory either
		g.version, g.all, g.weight = version, nil, 0
	}
	have, known = g.all[key]
	g.weight -= have.weight
	delete(g.all, key)
	return have, known
}

func (g *Growing[V]) put(key string, version uint64, have grown[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if version != g.version || have.weight > maxGrown/8 {
		return
	}
	if g.all == nil {
		g.all = map[string]grown[V]{}
	}
	g.weight += have.weight - g.all[key].weight
	g.all[key] = have
	for other, rows := range g.all { // in no order
		if g.weight <= maxGrown {
			break
		}
		if other != key {
			g.weight -= rows.weight
			delete(g.all, other)
		}
	}
}
