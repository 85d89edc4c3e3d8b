package judge

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// Cache holds the model's verdicts on items of the structured call, by the item's
// version and the messages it was judged on. The oldest entries are dropped first.
type Cache struct {
	mu    sync.Mutex // guards what is below
	items map[cacheKey]*list.Element
	order *list.List // of cached, newest first
}

type cacheKey [sha256.Size]byte

type cached struct {
	key cacheKey
	v   Verdict
}

// maxCached bounds the cache to a few megabytes.
const maxCached = 8192

// NewCache returns an empty one.
func NewCache() *Cache {
	return &Cache{items: map[cacheKey]*list.Element{}, order: list.New()}
}

// keyOf hashes an item with the messages it is judged on.
func keyOf(talk, item, version string) cacheKey {
	return sha256.Sum256([]byte(talk + "\x00" + item + "\x00" + version))
}

func (c *Cache) get(k cacheKey) (Verdict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		return e.Value.(cached).v, true
	}
	return Verdict{}, false
}

func (c *Cache) put(k cacheKey, v Verdict) {
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
