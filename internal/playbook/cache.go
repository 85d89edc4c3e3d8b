package playbook

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"parley/internal/vector"
)

// cache holds the model's verdicts on items of the structured call, by the item's
// version and the messages it was judged on. The oldest entries are dropped first.
// It also holds the vectors of conditions.
type cache struct {
	mu      sync.Mutex // guards what is below
	items   map[cacheKey]*list.Element
	order   *list.List               // of cached, newest first
	vectors map[string]vector.Vector // by condition
}

type cacheKey [sha256.Size]byte

type cached struct {
	key cacheKey
	v   verdict
}

// maxCached bounds the cache to a few megabytes.
const maxCached = 8192

func newCache() *cache {
	return &cache{items: map[cacheKey]*list.Element{}, order: list.New(), vectors: map[string]vector.Vector{}}
}

// keyOf hashes an item with the messages it is judged on.
func keyOf(talk, item, version string) cacheKey {
	return sha256.Sum256([]byte(talk + "\x00" + item + "\x00" + version))
}

func (c *cache) get(k cacheKey) (verdict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		return e.Value.(cached).v, true
	}
	return verdict{}, false
}

func (c *cache) put(k cacheKey, v verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		c.order.Remove(e)
	}
	c.items[k] = c.order.PushFront(cached{k, v})
	if c.order.Len() > maxCached {
		delete(c.items, c.order.Remove(c.order.Back()).(cached).key)
	}
}
