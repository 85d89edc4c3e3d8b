package memory

import (
	"encoding/json"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/internal/chat"
	"parley/internal/db/engine"
)

// order numbers the messages of some places from 1, in the order of their ids. Between two
// ids lies what was said elsewhere meanwhile; between two numbers of one place does not. It never
// changes.
type order struct {
	said   []uint64 // a bit for each id
	before []int    // messages in the words before each of said
	total  int
	until  int64                // id up to which messages were looked for
	places map[chat.Key][]int64 // the numbers of each; nil if there is one, which has all
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

// beside are the ids of up to maxReach messages before and after each of some, in the same
// place, besides these.
func (o *order) beside(said []Passage) (ids []int64) {
	near := map[int64]bool{}
	for _, p := range said {
		at := o.number(p.ID)
		if at == 0 {
			continue // said since
		}
		if o.places == nil {
			for n := max(1, at-maxReach); n <= min(at+maxReach, int64(o.total)); n++ {
				near[n] = true
			}
			continue
		}
		here := o.places[p.Key]
		i, _ := slices.BinarySearch(here, at)
		for _, n := range here[max(0, i-maxReach):min(i+maxReach+1, len(here))] {
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

// with returns the order with more messages of places, and up to which id these were looked for.
func (o *order) with(more map[chat.Key][]int64, until int64) *order {
	n := *o
	n.until = until
	if len(more) == 0 {
		return &n
	}
	first, last := int64(math.MaxInt64), int64(0)
	for _, ids := range more {
		first, last = min(first, slices.Min(ids)), max(last, slices.Max(ids))
	}
	n.said = make([]uint64, max(len(o.said), int(last>>6)+1))
	copy(n.said, o.said)
	for _, ids := range more {
		for _, id := range ids {
			n.said[id>>6] |= 1 << (id & 63)
		}
	}
	n.before, n.total = make([]int, len(n.said)), 0
	for i, word := range n.said {
		n.before[i] = n.total
		n.total += bits.OnesCount64(word)
	}
	if o.places == nil {
		return &n
	}
	n.places = maps.Clone(o.places)
	if n.number(first) <= int64(o.total) { // later ones have other numbers now
		for k, numbers := range o.places {
			n.places[k] = nil
			more[k] = append(more[k], o.ids(numbers)...)
		}
	}
	for k, ids := range more {
		slices.Sort(ids)
		n.places[k] = append(slices.Clip(n.places[k]), n.numbers(ids)...)
	}
	return &n
}

// orders keeps the orders of the places that were asked about last. It is safe for many
// goroutines.
type orders struct {
	mu    sync.Mutex // guards the rest
	kept  map[string]*order
	names []string // of kept, the oldest first
}

const (
	maxOrders  = 16
	maxOrdered = 4 << 20 // messages in them
	late       = 1_000   // ids before the last that may still come: a server commits in any order
)

const (
	untilQuery = `SELECT coalesce(max(id), 0) FROM messages`
	orderQuery = `SELECT p.platform, p.channel, p.thread, coalesce((SELECT string_agg(CAST(m.id AS TEXT), ',') FROM messages m
		WHERE m.platform = p.platform AND m.channel = p.channel AND m.thread = p.thread AND m.id > :after), '')
	FROM places p WHERE p.n IN (SELECT CAST(value AS BIGINT) FROM json_each(:places))`
)

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
	file := db.Path() != ""
	until, err := engine.Value[int64](db.QueryRow(untilQuery))
	if err != nil || file && was != nil && was.until == until {
		return was, err
	}
	if was == nil {
		was = &order{}
		if len(places) > 1 {
			was.places = map[chat.Key][]int64{}
		}
	}
	after := was.until
	if !file {
		after -= late
	}
	more := map[chat.Key][]int64{}
	_, err = engine.Select(db, func(r engine.Scanner) (none bool, err error) {
		var k chat.Key
		var list string
		if err := r.Scan(&k.Platform, &k.Channel, &k.Thread, &list); err != nil {
			return none, err
		}
		ids, err := numbers(list)
		if ids = slices.DeleteFunc(ids, func(id int64) bool { return was.number(id) > 0 }); len(ids) > 0 {
			more[k] = ids
		}
		return none, err
	}, orderQuery, engine.Named{"places": name, "after": after})
	if err != nil {
		return nil, err
	}
	now := was.with(more, until)
	o.keep(name, now)
	return now, nil
}

// keep notes the order of the places with a name.
func (o *orders) keep(name string, now *order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kept == nil {
		o.kept = map[string]*order{}
	}
	if o.kept[name] == nil {
		o.names = append(o.names, name)
	}
	o.kept[name] = now
	for n := o.messages(); len(o.names) > 1 && (len(o.names) > maxOrders || n > maxOrdered); n = o.messages() {
		delete(o.kept, o.names[0])
		o.names = o.names[1:]
	}
}

// messages counts those of all orders that are kept.
func (o *orders) messages() (n int) {
	for _, one := range o.kept {
		n += one.total
	}
	return n
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
