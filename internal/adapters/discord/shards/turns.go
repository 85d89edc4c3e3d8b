package shards

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Turns lets sessions begin one after the other, as Discord asks: one in each bucket of
// shards every five seconds, in all processes that live. Make it with NewTurns.
type Turns struct {
	ctx   context.Context // of all turns
	every time.Duration
	peers Peers // nil for none

	mu      sync.Mutex            // guards buckets
	buckets map[int]chan struct{} // which hold a token while it is nobody's turn
}

// NewTurns makes sessions begin at this distance. No turn outlasts ctx.
func NewTurns(ctx context.Context, every time.Duration, peers Peers) *Turns {
	return &Turns{ctx: ctx, every: every, peers: peers, buckets: map[int]chan struct{}{}}
}

func (t *Turns) bucket(n int) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.buckets[n] == nil {
		t.buckets[n] = make(chan struct{}, 1)
		t.buckets[n] <- struct{}{}
	}
	return t.buckets[n]
}

// In begins a session once it is somebody's turn in a bucket, and returns what begin
// returns. The turn goes on in work, which the caller waits for, until the next may begin:
// also where ctx ends sooner, as when the shard is to be another process's. Discord counts
// what was begun.
func (t *Turns) In(ctx context.Context, bucket int, work *sync.WaitGroup, begin func() error) error {
	free := t.bucket(bucket)
	select {
	case <-free:
	case <-ctx.Done():
		return ctx.Err()
	}
	during, end := context.WithCancel(t.ctx)
	waiting := context.AfterFunc(ctx, end)
	began := make(chan error, 2)
	once := sync.OnceFunc(func() {
		if waiting() { // else ctx has ended
			began <- begin()
		}
	})
	turn := func(ctx context.Context) error {
		once()
		rest := time.NewTimer(t.every)
		defer rest.Stop()
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		return nil
	}
	work.Go(func() {
		defer func() { waiting(); end(); close(began); free <- struct{}{} }()
		if t.peers == nil {
			_ = turn(during) // never fails
		} else if err := t.peers.Role(during, fmt.Sprint("begin discord ", bucket), turn); err != nil {
			began <- err
		}
	})
	if err, ok := <-began; ok {
		return err
	}
	return context.Cause(ctx)
}
