package fleet

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/cluster/lanes"
)

// strayEvery is how often this process looks for its own unfinished work outside of lanes.
const strayEvery = 2 * time.Second

// stray is unfinished work in this process's conversations that is in no lane. Nobody else
// takes it, because its owner lives. There should be none.
type stray struct {
	next  time.Time          // next look
	seen  map[lanes.Open]int // number of looks that saw it, up to the last
	count atomic.Int64       // conversations where taking up did not help
}

// Stray counts conversations in which something waits although this process tried to take
// it up.
func (f *Fleet) Stray() int {
	if f == nil {
		return 0
	}
	return int(f.stray.count.Load())
}

// gather takes up stray work. What was just stored or is just being finished is gone by
// the next look.
func (f *Fleet) gather(ctx context.Context) error {
	if time.Now().Before(f.stray.next) {
		return nil
	}
	f.stray.next = time.Now().Add(strayEvery)
	open, err := f.store.Lanes.Opened(f.hub.Platforms())
	if err != nil {
		return err
	}
	var keys []chat.Key
	f.store.Lanes.Bringing(func() {
		seen, still := map[lanes.Open]int{}, int64(0)
		for _, o := range open {
			if !f.hub.Rests(o.Key) {
				continue
			}
			if seen[o] = f.stray.seen[o] + 1; seen[o] > 1 {
				keys = append(keys, o.Key)
			}
			if seen[o] > 2 {
				still++
			}
		}
		f.stray.seen = seen
		if f.stray.count.Store(still); len(keys) > 0 {
			err = f.hub.TakeUp(ctx, keys)
		}
	})
	if err == nil && len(keys) > 0 {
		f.log.Warn("conversations of this process were not worked on, and are taken up", "conversations", len(keys))
	}
	return err
}
