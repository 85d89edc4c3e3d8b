package memory

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/internal/db/engine"
)

// order numbers the messages of some places from 1, in the order of their ids. Between two
// ids lies what was said elsewhere meanwhile; between two numbers does not. It never changes.
type order struct {
	said   []uint64 // a bit for each id
	before []int    // messages in the words before each of said
	total  int
	last   int64 // id
	alone  bool  // there is one place
}

// number returns the number of a message, 0 if it is in none of the places.
func (o *order) number(id int64) int64 {
	word, bit := int(id>>6), uint64(1)<<(id&63)
	if word >= len(o.said) || o.said[word]&bit == 0 {
		return 0
	}
	return int64(o.before[word] + bits.OnesCount64(o.said[word]&(bit-1)) + 1)
}

// id returns the id of the message with a number.
func (o *order) id(number int64) int64 {
	word, _ := slices.BinarySearch(o.before, int(number))
	word--
	left := o.said[word]
	for range int(number) - o.before[word] - 1 {
		left &= left - 1
	}
	return int64(word<<6 + bits.TrailingZeros64(left))
}

// ids are those of the messages with some numbers.
func (o *order) ids(numbers []int64) []int64 {
	ids := make([]int64, len(numbers))
	for i, n := range numbers {
		ids[i] = o.id(n)
	}
	return ids
}

// numbers are those of some messages, as far as they are in the places.
func (o *order) numbers(ids []int64) (numbers []int64) {
	for _, id := range ids {
		if n := o.number(id); n > 0 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// beside are the ids of up to maxReach messages before and after each of some, besides these.
func (o *order) beside(said []Passage) (ids []int64) {
	near := map[int64]bool{}
	for _, p := range said {
		at := o.number(p.ID)
		if at == 0 {
			continue // said since
		}
		for n := max(1, at-maxReach); n <= min(at+maxReach, int64(o.total)); n++ {
			near[n] = true
		}
	}
	for _, p := range said {
		delete(near, o.number(p.ID))
	}
	for n := range near {
		ids = append(ids, o.id(n))
	}
	slices.Sort(ids)
	return ids
}

// with returns the order with more messages.
func (o *order) with(ids []int64) *order {
	n := &order{last: max(o.last, slices.Max(ids)), alone: o.alone}
	n.said = make([]uint64, n.last>>6+1)
	copy(n.said, o.said)
	for _, id := range ids {
		n.said[id>>6] |= 1 << (id & 63)
	}
	n.before = make([]int, len(n.said))
	for i, word := range n.said {
		n.before[i] = n.total
		n.total += bits.OnesCount64(word)
	}
	return n
}

// orders keeps the orders of the places that were asked about last. It is safe for many
// goroutines.
type orders struct {
	mu    sync.Mutex // guards the rest
	kept  map[string]*order
	names []string // of kept, the oldest first
}

const (
	maxOrders = 16
	late      = 1_000 // ids before the last that may still come: a server commits in any order
)

const orderQuery = `SELECT coalesce(string_agg(CAST(id AS TEXT), ','), '') FROM (
	SELECT m.id FROM places p JOIN messages m ON m.platform = p.platform AND m.channel = p.channel AND m.thread = p.thread
	WHERE p.n IN (SELECT CAST(value AS BIGINT) FROM json_each(:places)) AND m.id > :after) said`

// of returns the order of what was said in some places until now.
func (o *orders) of(db *engine.DB, places []int64) (*order, error) {
	list, err := json.Marshal(slices.Sorted(slices.Values(places)))
	if err != nil {
		return nil, err
	}
	name := string(list)
	o.mu.Lock()
	was := o.kept[name]
	o.mu.Unlock()
	if was == nil {
		was = &order{alone: len(places) == 1}
	}
	var found string
	if err := db.QueryRow(orderQuery, engine.Named{"places": name, "after": was.last - late}).Scan(&found); err != nil {
		return nil, err
	}
	ids, err := numbers(found)
	ids = slices.DeleteFunc(ids, func(id int64) bool { return was.number(id) > 0 })
	if err != nil || len(ids) == 0 {
		return was, err
	}
	now := was.with(ids)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept == nil {
		o.kept = map[string]*order{}
	}
	if o.kept[name] == nil {
		o.names = append(o.names, name)
	}
	o.kept[name] = now
	if len(o.names) > maxOrders {
		delete(o.kept, o.names[0])
		o.names = o.names[1:]
	}
	return now, nil
}

// forget lets go of what is kept: messages were deleted.
func (o *orders) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept, o.names = nil, nil
}

// numbers reads numbers with commas between.
func numbers(list string) ([]int64, error) {
	if list == "" {
		return nil, nil
	}
	all := make([]int64, 0, 1+strings.Count(list, ","))
	for one := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseInt(one, 10, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}
