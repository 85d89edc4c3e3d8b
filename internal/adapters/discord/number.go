package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"parley/internal/adapters/discord/shards"
	"parley/internal/chat"
	"parley/internal/text"
)

// numberCursor names the note of how many shards there are if Discord decides that; without
// it there is one.
const numberCursor = "shards"

// errNotEnough: Discord rejected its own recommended shard count.
var errNotEnough = text.Tell("Discord refuses as many shards as it recommends itself: set discord.shards to a greater number")

// errNumber: the number of shards must change.
var errNumber = errors.New("discord: another number of shards is needed")

// Run implements chat.Adapter.
func (a *Adapter) Run(ctx context.Context, in chat.Intake) error {
	defer a.ending.Wait()
	defer a.acks.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !a.cred.Usable(ctx) {
		return &chat.RefusedError{Err: errToken}
	}
	a.ending.Go(func() { a.mind(ctx) })
	a.turns = shards.NewTurns(ctx, a.o.Timing.Identify, a.o.Peers)
	if a.o.Peers != nil {
		a.ending.Go(func() { a.introduced(ctx, in) })
	}
	for {
		n, err := a.number(ctx, in)
		if err != nil {
			return err
		}
		err = a.divide(ctx, in, n)
		if ctx.Err() != nil || !errors.Is(err, errNumber) {
			return err
		}
		if err := a.renumber(ctx, in, n); err != nil {
			return err
		}
	}
}

// mind checks now and then whether a refused token is accepted again: once a mistake is
// fixed, no restart is needed.
func (a *Adapter) mind(ctx context.Context) {
	for chat.Sleep(ctx, a.o.Timing.Token) {
		if a.cred.Refused() {
			a.cred.Doubt(ctx, a.now())
		}
	}
}

// introduced finds out who we are, even if this process runs no shard.
func (a *Adapter) introduced(ctx context.Context, in chat.Intake) {
	for a.Learn(ctx, in) != nil && chat.Sleep(ctx, 500*time.Millisecond) {
	}
}

// number returns how many shards there are, by the settings or the last note. Discord is
// asked before a session begins.
func (a *Adapter) number(ctx context.Context, in chat.Intake) (int, error) {
	if a.o.Shards > 0 {
		return a.o.Shards, nil
	}
	cursors, err := in.Cursors(ctx, Platform)
	if err != nil {
		return 0, fmt.Errorf("discord: read cursors: %w", err)
	}
	return shards.Number(cursors[numberCursor]), nil
}

// divide runs n shards, or this process's share of them, until one gives up, ctx ends or
// another process notes another number.
func (a *Adapter) divide(ctx context.Context, in chat.Intake, n int) error {
	list := make([]*shard, n)
	for i := range list {
		list[i] = newShard(a, i, n)
	}
	a.setShards(list)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	run := func(ctx context.Context, i int) error { return list[i].run(ctx, in) }
	if a.o.Peers == nil {
		return shards.All(ctx, n, run)
	}
	if a.o.Shards == 0 {
		a.ending.Go(func() { a.watchNumber(ctx, in, n, stop) })
	}
	err := a.o.Peers.Share(ctx, shards.ShareName(Platform, n), n, run)
	if cause := context.Cause(ctx); err == nil && errors.Is(cause, errNumber) {
		err = cause
	}
	return err
}

// renumberEvery is how often a process checks whether another one noted another number.
const renumberEvery = 10 * time.Second

func (a *Adapter) watchNumber(ctx context.Context, in chat.Intake, n int, stop context.CancelCauseFunc) {
	for chat.Sleep(ctx, renumberEvery) {
		if now, err := a.number(ctx, in); err == nil && now != n {
			stop(errNumber)
			return
		}
	}
}

// renumber notes how many shards Discord wants instead of n, unless another process has.
func (a *Adapter) renumber(ctx context.Context, in chat.Intake, n int) error {
	for try := 0; ctx.Err() == nil; try++ {
		if now, err := a.number(ctx, in); err != nil || now != n {
			return err
		}
		want, err := a.gatewayBot(ctx)
		switch {
		case a.cred.Refused():
			return &chat.RefusedError{Err: errToken}
		case err == nil && want.Shards == n:
			return &chat.RefusedError{Err: errNotEnough}
		case err == nil:
			a.o.Log.Info("discord: the number of shards changes", "from", n, "to", want.Shards)
			err = in.Deliver(ctx, chat.Batch{Platform: Platform, Cursors: map[string]string{numberCursor: strconv.Itoa(want.Shards)}})
		}
		if err == nil {
			return nil
		}
		a.o.Log.Warn("discord: find out the number of shards, will try again", "err", err)
		chat.Sleep(ctx, a.after(err, try))
	}
	return nil
}

// gatewayBot asks Discord how to connect.
func (a *Adapter) gatewayBot(ctx context.Context) (got shards.Advice, err error) {
	err = a.call(ctx, http.MethodGet, "/gateway/bot", "", nil, &got)
	return got.Sane(), err
}

// mayIdentify asks how many sessions may still begin: after too many, Discord resets the
// token. It returns how many may begin at once.
func (sh *shard) mayIdentify(ctx context.Context) (side int, err error) {
	got, err := sh.gatewayBot(ctx)
	if err != nil {
		return 0, err
	}
	if sh.o.Shards == 0 && !shards.Suits(sh.of, got.Shards, sh.begun) {
		return 0, errNumber
	}
	if r := got.Limit.Remaining; r != nil && *r < 2 {
		reset := time.Duration(got.Limit.ResetAfter) * time.Millisecond
		sh.setHealth(text.Tell("Discord allows no more connections today; trying again in %s", reset.Round(time.Second)))
		chat.Sleep(ctx, reset)
		return 0, errors.New("no session may be begun")
	}
	return got.Limit.Side, nil
}

// lastAlive returns until when shards of another number received everything; the history
// is read from there on. Zero is never.
func lastAlive(cursors map[string]string, of int) time.Time {
	first, last := map[int]time.Time{}, map[int]time.Time{}
	for name, note := range cursors {
		var r resumable
		n, ok := shardsOf(name)
		if !ok || n == of || json.Unmarshal([]byte(note), &r) != nil || r.At.IsZero() {
			continue
		}
		if was, ok := first[n]; !ok || r.At.Before(was) {
			first[n] = r.At
		}
		if r.At.After(last[n]) {
			last[n] = r.At
		}
	}
	newest := slices.MaxFunc(append(slices.Collect(maps.Keys(last)), 0), func(a, b int) int { return last[a].Compare(last[b]) })
	return first[newest]
}
