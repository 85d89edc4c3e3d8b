package judge

import (
	"crypto/sha256"
	"sync"
)

// Cache holds the model's verdicts on items of the structured call, by the item's
// version and the messages it was judged on. The oldest entries are dropped first.
type Cache struct {
	mu    sync.Mutex // guards the rest
	items map[cacheKey]Verdict
	order []cacheKey // oldest first
}

type cacheKey [sha256.Size]byte

// maxCached bounds the cache to a few megabytes.
const maxCached = 8192

// NewCache returns an empty one.
func NewCache() *Cache { return &Cache{items: map[cacheKey]Verdict{}} }

// keyOf hashes an item with the messages it is judged on.
func keyOf(talk, item, version string) cacheKey {
	return sha256.Sum256([]byte(talk + "\x00" + item + "\x00" + version))
}

func (c *Cache) get(k cacheKey) (Verdict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.items[k]
	return v, ok
}

func (c *Cache) put(k cacheKey, v Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.items[k]; !known {
		c.order = append(c.order, k)
	}
	c.items[k] = v
	if len(c.order) > maxCached {
		delete(c.items, c.order[0])
		c.order = c.order[1:]
	}
}
