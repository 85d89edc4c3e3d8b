// Package shards divides Discord's events over several connections: which of them receives
// those of a server, when each may begin a session, and which of several processes runs it.
// It connects to nothing.
package shards

import (
	"context"
	"fmt"
	"strconv"
	"sync"
)

// Most bounds how many there are; very large bots have some thousands.
const Most = 16384

// Peers are other processes with the same bot. Their methods block.
type Peers interface {
	// Share divides count pieces of work, numbered from 0, among the processes that ask
	// for them under the same name, and runs those that are this one's until ctx ends.
	// Each piece is one process's at a time. work must return soon after its context ends;
	// an error that it returns before that ends the share and is returned.
	Share(ctx context.Context, name string, count int, work func(ctx context.Context, i int) error) error
	// Role runs work while no other process has the role, until work returns or ctx ends.
	// Each role may be wanted once at a time. When this process loses it meanwhile, work's
	// context ends, and work is run again later.
	Role(ctx context.Context, name string, work func(ctx context.Context) error) error
}

// Of returns which of n shards receives the events of a server, by its id; those of no
// server go to the first.
func Of(guild string, n int) int {
	id, err := strconv.ParseUint(guild, 10, 64)
	if err != nil {
		return 0
	}
	return int((id >> 22) % uint64(n))
}

// Number reads how many there are from a note; one where that is none.
func Number(note string) int {
	n, err := strconv.Atoi(note)
	if err != nil || n < 1 || n > Most {
		return 1
	}
	return n
}

// ShareName names n shards of a platform among several processes. A single one keeps the
// name it had before there were several.
func ShareName(platform string, n int) string {
	if n == 1 {
		return "receive " + platform
	}
	return fmt.Sprintf("receive %s of %d", platform, n)
}

// Advice is what Discord says to a bot that would connect, as it says it.
type Advice struct {
	Shards int `json:"shards"`
	Limit  struct {
		Remaining  *int  `json:"remaining"`
		ResetAfter int64 `json:"reset_after"` // ms
		Side       int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// Sane returns it with numbers that can be.
func (a Advice) Sane() Advice {
	a.Shards = min(max(a.Shards, 1), Most)
	a.Limit.Side = max(a.Limit.Side, 1)
	return a
}

// Suits reports whether n shards will do although Discord recommends another number. It
// recommends one for a thousand servers, and allows 2,500 on one. Changing the number ends
// all sessions, so that is done only if none can be resumed anyway, or Discord insists.
func Suits(n, recommended int, begun bool) bool {
	if begun {
		return recommended <= 2*n
	}
	return n == recommended
}

// All runs n pieces of work in this process until ctx ends or one of them fails.
func All(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var under sync.WaitGroup
	errs := make(chan error, n)
	for i := range n {
		under.Go(func() {
			if err := work(ctx, i); err != nil {
				errs <- err
				stop(err)
			}
		})
	}
	under.Wait()
	close(errs)
	return <-errs
}
