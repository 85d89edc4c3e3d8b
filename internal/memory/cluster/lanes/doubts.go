package lanes

import (
	"sync"

	"parley/internal/chat"
)

// Identity is what a platform calls a message.
type Identity struct {
	Key chat.Key
	ID  string
}

// Doubts are the messages of which a failed write may have stored something after all, by
// the name (Message.UID) that its row has then. They were handed to nobody. The zero value
// is ready for use; it is safe for many goroutines.
type Doubts struct {
	mu  sync.Mutex // guards all
	all map[Identity]string
}

// Of returns the name of a message's row, "" where there is no doubt.
func (d *Doubts) Of(i Identity) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all[i]
}

// Settle takes over how a write of some messages ended.
func (d *Doubts) Settle(tried map[Identity]string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, uid := range tried {
		if err == nil {
			delete(d.all, i)
			continue
		}
		if d.all == nil {
			d.all = map[Identity]string{}
		}
		d.all[i] = uid
	}
}
