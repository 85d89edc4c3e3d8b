package fleet

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/chat"
	"parley/internal/memory/cluster/lanes"
)

// strayEvery is how often it is looked whether something unfinished of this process's own
// stands in no lane.
const strayEvery = 2 * time.Second

// stray is what is unfinished in this process's conversations and stands in no lane: nobody
// else takes it, for its owner lives. There should be none.
type stray struct {
	next  time.Time          // when to look; the look's
	seen  map[lanes.Open]int // in how many looks, up to the last; the look's
	count atomic.Int64       // conversations with some that taking up did not help
}

// Stray counts the conversations in which something waits that this process is not at
// work on, though nobody else may be, and that it tried to take up.
func (f *Fleet) Stray() int {
	if f == nil {
		return 0
	}
	return int(f.stray.count.Load())
}

// gather takes up what strays. What was only just stored, or is just being finished, does not:
// it is not there with the next look.
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
