package postings

import (
	"maps"
	"slices"
	"sync"
)

// Index is what lists are kept of.
type Index interface {
	// Since says what came behind a message, whose id it is given with the generation that it was asked
	// for. All of it is as of one moment.
	Since(generation string, id int64) (News, error)
	// Words returns the words of some entries.
	Words(rows []int64) (map[int64][]string, error)
	// Read returns the entries with each of some words, rising.
	Read(words []string) ([][]int64, error)
}

// News are what an index is at.
type News struct {
	// Generation is another one whenever an entry was taken out, or came that Rows lacks.
	Generation string
	Last       int64 // id of the last message
	// After is the id that Rows are for: what was asked for, or a later one if the generation is
	// another one, or if too many came.
	After int64
	// Open is the oldest transaction that may still bring entries, Next the one that begins next.
	Open, Next int64
	Rows       []int64 // entries of messages behind After, and some before it that may have come later, rising
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
	until      int64          // id of a message behind which, or shortly before which, is all that is not in seen
	mark, next int64          // the id of a later one, once all transactions before next have ended
	begun      int64          // the transaction before which all have to end until lists are kept
	seen       map[int64]bool // entries that Since returned
	version    int            // rises whenever lists may have become other ones
	dropped    int            // rises whenever all lists go
	clock      int            // of uses
}

type list struct {
	packed
	used int
}

// Get returns the entries with each of some words, rising.
func (c *Cache) Get(ix Index, words []string) ([][]int64, error) {
	kept, version, err := c.update(ix, words)
	if err != nil {
		return nil, err
	}
	found, missing, ask := make([][]int64, len(words)), []int(nil), []string(nil)
	for i, w := range words {
		if found[i] = kept[i].rows(); kept[i].n == 0 {
			missing, ask = append(missing, i), append(ask, w)
		}
	}
	if len(missing) == 0 {
		return found, nil
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

// unkept is no version.
const unkept = -1

// update brings the lists up to date, and returns those of some words, empty where there is none,
// with their version. Nobody waits for what somebody else asks the index meanwhile. Where it
// cannot be told which of two answers is the later one, no list is used and none is kept.
func (c *Cache) update(ix Index, words []string) (kept []packed, version int, err error) {
	c.mu.Lock()
	dropped, generation, until := c.dropped, c.generation, c.until
	c.mu.Unlock()
	news, err := ix.Since(generation, until)
	if err != nil {
		return nil, 0, err
	}
	kept, version = make([]packed, len(words)), unkept
	c.mu.Lock()
	defer c.mu.Unlock()
	lack, ok := c.take(news, nil, dropped)
	if ok && len(lack) > 0 {
		c.mu.Unlock()
		texts, err := ix.Words(lack)
		c.mu.Lock()
		if err != nil {
			return nil, 0, err
		}
		lack, ok = c.take(news, texts, dropped)
	}
	if !ok || len(lack) > 0 {
		return kept, unkept, nil
	}
	c.clock++
	for i, w := range words {
		if l := c.lists[w]; l != nil {
			kept[i], l.used = l.packed, c.clock
		}
	}
	if news.Open < c.begun {
		return kept, unkept, nil
	}
	return kept, c.version, nil
}

// take takes over what the index was at, if that is not too old, which was asked when the lists had been
// dropped that often. It lacks entries whose words are not among texts, and nothing changes then.
func (c *Cache) take(news News, texts map[int64][]string, dropped int) (lack []int64, ok bool) {
	if news.Generation != c.generation || news.After > c.until {
		if c.dropped != dropped {
			return nil, false
		}
		c.drop() // what is known is from before this was asked
		c.generation, c.until = news.Generation, news.Last
		c.mark, c.next, c.begun = news.Last, news.Next, news.Next
	}
	more := slices.DeleteFunc(slices.Clone(news.Rows), func(row int64) bool { return c.seen[row] })
	if len(more) > fresh {
		c.drop()
	}
	if len(c.lists) > 0 { // else they are in what is read now
		lack = slices.DeleteFunc(slices.Clone(more), func(row int64) bool { return texts[row] != nil })
	}
	if len(lack) > 0 {
		return lack, true
	}
	if len(more) > 0 {
		c.version++ // whoever reads a list now may not see them
	}
	for _, row := range more {
		for _, w := range texts[row] {
			c.add(w, row)
		}
	}
	if news.Open >= c.next || c.seen == nil { // what was open at the mark is among these rows
		c.seen = make(map[int64]bool, len(news.Rows))
	}
	if news.Open >= c.next {
		c.until, c.mark, c.next = max(c.until, c.mark), news.Last, news.Next
	}
	for _, row := range news.Rows {
		c.seen[row] = true
	}
	return nil, true
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
	c.dropped++
}

// Forget lets go of what is kept.
func (c *Cache) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}
