package embeddings

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"sync"
	"time"

	"parley/internal/db/engine"
	"parley/internal/llm/vector"
)

// maxDims limits the stored dimensions, so that a vector with its sketch takes less than 1
// KB. In the few models with more, the first dimensions say nearly everything.
const maxDims = 880

// Options of New.
type Options struct {
	Embed vector.Embed // nil if there is no embedding model
	Model string       // its name; vectors of another model are made again
	Now   func() time.Time
}

// Index holds the vectors of messages in one database. It is safe for concurrent use; one
// goroutine at a time makes vectors. The sketches are in memory: a million messages of a
// model with 384 dimensions take 60 MB.
type Index struct {
	db *engine.DB
	o  Options

	working sync.Mutex // guards making, and work
	work    work

	mu    sync.RWMutex // guards the rest
	ready bool         // all sketches are in memory
	all   map[int64]*sketches
	asked time.Time // time of the last question
}

// New returns the Index of a database.
func New(db *engine.DB, o Options) *Index {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Index{db: db, o: o, all: map[int64]*sketches{}}
}

// Asked returns the vector of a question. It is nil if there is no model, if the model does
// not answer in time, or if no message has a vector yet.
func (x *Index) Asked(ctx context.Context, question string) vector.Vector {
	if x.o.Embed == nil {
		return nil
	}
	x.mu.Lock()
	ready := x.ready && len(x.all) > 0
	x.asked = x.o.Now()
	x.mu.Unlock()
	if !ready {
		return nil
	}
	return kept(x.o.Embed.Query(ctx, question))
}

// Forget empties the memory, so that nothing deleted stays there. Stored vectors are read
// again.
func (x *Index) Forget() {
	x.working.Lock()
	defer x.working.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.work, x.ready, x.all = work{}, false, map[int64]*sketches{}
}

// kept returns the part of a vector that is stored.
func kept(v vector.Vector) vector.Vector { return v.First(maxDims) }

// sketches are those of one place, one after the other.
type sketches struct {
	ids  []int64
	bits []uint64 // the same number of words for each
}

// Near returns the messages of some places that are nearest to a question, at most n, with
// their cosines. Deleted messages are not among them.
func (x *Index) Near(question vector.Vector, places []int64, n int) (map[int64]float64, error) {
	if len(question) == 0 {
		return nil, nil
	}
	return x.Cosines(question, x.alike(question.Sketch(nil), places, n))
}

// alike returns the messages whose sketches differ least from one, at most n. Of those that
// differ most and equally, only as many as fit.
func (x *Index) alike(sketch []uint64, places []int64, n int) (ids []int64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	count := make([]int, 64*len(sketch)+1)
	var found []uint16
	for _, p := range places {
		x.all[p].each(len(sketch), func(_ int64, bits []uint64) {
			d := vector.Differ(sketch, bits)
			count[d]++
			found = append(found, uint16(d))
		})
	}
	most, sum := 0, 0
	for most < len(count) && sum+count[most] <= n {
		sum += count[most]
		most++
	}
	at := 0
	for _, p := range places {
		x.all[p].each(len(sketch), func(id int64, _ []uint64) {
			if d := int(found[at]); d < most || d == most && len(ids) < n && sum < n {
				ids = append(ids, id)
				if d == most {
					sum++
				}
			}
			at++
		})
	}
	return ids
}

// each calls see with every message of a place and its sketch. A nil place has none.
func (s *sketches) each(words int, see func(id int64, bits []uint64)) {
	if s == nil || len(s.bits) != words*len(s.ids) {
		return
	}
	for i, id := range s.ids {
		see(id, s.bits[i*words:(i+1)*words])
	}
}

// Cosines returns how near messages are to a question. It leaves out messages without a
// vector of the model.
func (x *Index) Cosines(question vector.Vector, ids []int64) (map[int64]float64, error) {
	if len(question) == 0 || len(ids) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := x.db.Query(
		`SELECT v.message_id, v.vector FROM json_each(:ids) j CROSS JOIN message_vectors v ON v.message_id = CAST(j.value AS BIGINT)
		WHERE v.embedder = (SELECT n FROM embedders WHERE name = :model)`, engine.Named{"ids": string(list), "model": x.o.Model})
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	near := make(map[int64]float64, len(ids))
	for rows.Next() {
		var id int64
		var raw sql.RawBytes
		if err := rows.Scan(&id, &raw); err != nil {
			return nil, err
		}
		if cos := question.Cos(vector.Vector(raw)); cos != 0 && !math.IsNaN(cos) {
			near[id] = cos
		}
	}
	return near, rows.Err()
}
