package postings

import (
	"maps"
	"slices"
	"sync"
)

// Index is what lists are kept of.
type Index interface {
	// State says what the index is at: which generation, another one whenever an entry was taken out
	// or came that Since does not return; and the id of the last message.
	State() (generation string, last int64, err error)
	// Since returns the entries of messages behind an id, and some before it that may have come
	// later, rising.
	Since(id int64) ([]int64, error)
	// Words returns the words of some entries.
	Words(rows []int64) (map[int64][]string, error)
	// Read returns the entries with each of some words, rising.
	Read(words []string) ([][]int64, error)
}

const (
	fewest  = 200      // entries of a word that is kept
	most    = 16 << 20 // bytes of all lists
	longest = 100      // bytes of a word that is kept
	beside  = 100      // bytes counted for each list besides its own
	fresh   = 2_000    // entries that are added; beyond that lists are read anew
)

// Cache keeps lists. It is safe for many goroutines; the zero value is empty.
type Cache struct {
	mu         sync.Mutex // guards the rest
	lists      map[string]*list
	size       int
	generation string
	until      int64          // id of the last message that lists were looked through for
	seen       map[int64]bool // entries that Since returned
	version    int            // rises whenever lists may have become other ones
	clock      int            // of uses
}

type list struct {
	packed
	used int
}

// Get returns the entries with each of some words, rising.
func (c *Cache) Get(ix Index, words []string) ([][]int64, error) {
	version, err := c.update(ix)
	if err != nil {
		return nil, err
	}
	found, missing, kept := make([][]int64, len(words)), []int(nil), make([]packed, len(words))
	c.mu.Lock()
	c.clock++
	for i, w := range words {
		if l := c.lists[w]; l != nil { // of this version or a later one
			kept[i], l.used = l.packed, c.clock
		} else {
			missing = append(missing, i)
		}
	}
	c.mu.Unlock()
	for i, k := range kept {
		found[i] = k.rows()
	}
	if len(missing) == 0 {
		return found, nil
	}
	ask := make([]string, len(missing))
	for i, at := range missing {
		ask[i] = words[at]
	}
	read, err := ix.Read(ask)
	if err != nil {
		return nil, err
	}
	for i, at := range missing {
		found[at] = read[i]
	}
	c.keep(version, ask, read)
	return found, nil
}

// update brings the lists up to date, and returns their version.
func (c *Cache) update(ix Index) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	generation, last, err := ix.State()
	if err != nil {
		return 0, err
	}
	if generation != c.generation || len(c.lists) == 0 {
		c.drop()
		c.generation, c.until = generation, last
	}
	came, err := ix.Since(c.until)
	if err != nil {
		return 0, err
	}
	more := slices.DeleteFunc(slices.Clone(came), func(row int64) bool { return c.seen[row] })
	if len(more) > fresh {
		c.drop()
	}
	if len(more) > 0 && len(c.lists) > 0 { // else they are in what is read now
		words, err := ix.Words(more)
		if err != nil {
			return 0, err
		}
		c.version++
		for _, row := range more {
			for _, w := range words[row] {
				c.add(w, row)
			}
		}
	}
	c.until, c.seen = max(c.until, last), make(map[int64]bool, len(came))
	for _, row := range came {
		c.seen[row] = true
	}
	return c.version, nil
}

// add notes that an entry has a word.
func (c *Cache) add(word string, row int64) {
	if l := c.lists[word]; l != nil {
		c.size -= len(l.bytes)
		l.packed = l.with(row)
		c.size += len(l.bytes)
	}
}

// keep keeps lists that were read when the cache had a version, if it still has it.
func (c *Cache) keep(version int, words []string, read [][]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		return
	}
	for i, w := range words {
		if len(read[i]) < fewest || len(w) > longest || c.lists[w] != nil {
			continue
		}
		if c.lists == nil {
			c.lists = map[string]*list{}
		}
		c.lists[w] = &list{pack(read[i]), c.clock}
		c.size += len(w) + len(c.lists[w].bytes) + beside
	}
	if c.size <= most {
		return
	}
	// a part at once, as all have to be sorted
	for _, w := range slices.SortedFunc(maps.Keys(c.lists), func(a, b string) int { return c.lists[a].used - c.lists[b].used }) {
		if c.size <= most-most/8 {
			break
		}
		c.size -= len(w) + len(c.lists[w].bytes) + beside
		delete(c.lists, w)
	}
}

// drop forgets all lists.
func (c *Cache) drop() {
	c.lists, c.seen, c.size = nil, nil, 0
	c.version++
}

// Forget lets go of what is kept.
func (c *Cache) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}
