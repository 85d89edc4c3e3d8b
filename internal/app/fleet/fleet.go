// Package fleet joins this process with others on the same database: it tells the Hub who
// owns a conversation, brings what other processes stored or left behind, and decides
// which process receives from a platform. It keeps no lease and no row: those belong to
// node and lanes.
package fleet

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/cluster"
)

// Fleet is this process among others. A nil Fleet is a process that is alone.
type Fleet struct {
	*cluster.Node
	log *slog.Logger

	mu    sync.Mutex // guards the following, set by Join
	hub   *chat.Hub
	store *memory.Store

	stray stray
}

// Start joins the fleet under the names of machine and process, and returns once this
// process may act. The caller calls Close last.
func Start(ctx context.Context, o cluster.Options) (f *Fleet, err error) {
	f = &Fleet{log: o.Log}
	o.Lost = func() {
		if hub, store := f.joined(); hub != nil {
			hub.Abandon()
			store.Lanes.Cut()
		}
	}
	name, _ := os.Hostname()
	o.Name = fmt.Sprintf("%s:%d", cmp.Or(name, "unknown"), os.Getpid())
	if f.Node, err = cluster.Start(ctx, o); err != nil {
		return nil, err
	}
	return f, nil
}

// Problem returns why this process may not act now; nil if it may, or is alone.
func (f *Fleet) Problem() error {
	if f == nil {
		return nil
	}
	return f.Node.Problem()
}

// Join sets the hub and the store. Call it once, before Run.
func (f *Fleet) Join(hub *chat.Hub, store *memory.Store) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hub, f.store = hub, store
}

func (f *Fleet) joined() (*chat.Hub, *memory.Store) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hub, f.store
}

// Close ends the lease and gives up everything this process owns.
func (f *Fleet) Close() {
	if f != nil && f.Node != nil {
		f.Node.Close()
	}
}

// Own implements chat.Node.
func (f *Fleet) Own(ctx context.Context, k chat.Key) (bool, error) { return f.store.Lanes.Own(ctx, k) }

// leaving bounds giving up a conversation; otherwise the end of the lease frees it.
const leaving = time.Second

// Leave implements chat.Node.
func (f *Fleet) Leave(k chat.Key) {
	ctx, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	if err := f.store.Lanes.Leave(ctx, k); err != nil {
		f.log.Warn("a conversation is not left to others yet", "conversation", k.String(), "err", err)
	}
}

// Retire gives up idle conversations at shutdown.
func (f *Fleet) Retire() {
	if f == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	if err := f.store.Lanes.LeaveIdle(ctx, func(k chat.Key) bool { return !f.hub.Rests(k) }); err != nil {
		f.log.Warn("conversations are not left to others yet", "err", err)
	}
}

// lookEvery is how often each process looks for work.
const lookEvery = 500 * time.Millisecond

// Run brings what others stored for this process, and what dead processes owned, until ctx
// ends.
func (f *Fleet) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		f.look(ctx)
		select {
		case <-f.News():
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look looks once. A failure is retried with the next look.
func (f *Fleet) look(ctx context.Context) {
	for f.Alive() && ctx.Err() == nil {
		posted, left, err := f.store.Lanes.Waiting(f.hub.Platforms())
		adopted := 0
		if err == nil && (posted || left) {
			f.store.Lanes.Bringing(func() { adopted, err = f.bring(ctx, posted, left) })
		}
		if err != nil {
			f.warn(ctx, err)
			return
		}
		if err := f.gather(ctx); err != nil {
			f.warn(ctx, err)
			return
		}
		if adopted == 0 { // another process is taking the rest
			return
		}
	}
}

// bring puts what others posted or left behind into this process's lanes. It returns the
// number of conversations taken over.
func (f *Fleet) bring(ctx context.Context, posted, left bool) (adopted int, err error) {
	if left {
		keys, err := f.store.Lanes.Adopt(ctx, f.hub.Platforms())
		if err == nil && len(keys) > 0 {
			f.log.Info("conversations are taken over", "conversations", len(keys))
			err = f.takeUp(ctx, keys)
		}
		if err != nil {
			return 0, err
		}
		adopted = len(keys)
	}
	if !posted {
		return adopted, nil
	}
	messages, flush, err := f.store.Mail(ctx)
	if err != nil {
		return 0, err
	}
	f.hub.Hand(messages)
	for _, k := range flush {
		f.hub.Flush(k)
	}
	return adopted, nil
}

// takeUp continues conversations that were claimed. It retries until it succeeds or loses
// them: nobody else would.
func (f *Fleet) takeUp(ctx context.Context, keys []chat.Key) error {
	for {
		err := f.hub.TakeUp(ctx, keys)
		if err == nil || ctx.Err() != nil || !f.Alive() {
			return err
		}
		f.warn(ctx, err)
		chat.Sleep(ctx, lookEvery)
	}
}

func (f *Fleet) warn(ctx context.Context, err error) {
	if ctx.Err() == nil {
		f.log.Warn("look what other processes left", "err", err)
	}
}

// Skew returns the difference between the clock shared by all processes and this
// machine's; see node.Skew. It is 0 for a process that is alone.
func (f *Fleet) Skew() time.Duration {
	if f == nil {
		return 0
	}
	return f.Node.Skew()
}

// Clock returns now by the shared clock.
func (f *Fleet) Clock(now func() time.Time) time.Time {
	if skew := f.Skew(); skew != 0 {
		return now().Round(0).Add(skew) // drop the monotonic clock: it may be compared with a time from before an adjustment
	}
	return now()
}
