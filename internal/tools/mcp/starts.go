package mcp

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

const (
	defaultStart = 90 * time.Second
	// turnLimit is how long one program keeps others from starting: it may hang.
	turnLimit = 30 * time.Second
)

// startTime returns how long the server may take to start, to connect and to list its
// tools.
func (s Server) startTime() time.Duration {
	if s.Start > 0 {
		return s.Start
	}
	return defaultStart
}

// starts bounds how many programs start at once: a start takes a processor for seconds, and
// of many at once none would be ready in its time. It holds a token for each; nil is no
// bound.
type starts chan struct{}

// newStarts allows n programs at once; 0 is one more than there are processors.
func newStarts(n int) starts {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0) + 1
	}
	return make(starts, n)
}

// turn waits until a program may start. done is called when it has, or has failed; another
// one then begins, at the latest after turnLimit. ok is false if ctx ended first.
func (s starts) turn(ctx context.Context) (done func(), ok bool) {
	if s == nil {
		return func() {}, ctx.Err() == nil
	}
	select {
	case s <- struct{}{}:
	case <-ctx.Done():
		return func() {}, false
	}
	leave := sync.OnceFunc(func() { <-s })
	late := time.AfterFunc(turnLimit, leave)
	return func() { late.Stop(); leave() }, true
}

// uneven lengthens a pause by up to a half, so that servers that failed together do not
// come back in step.
func uneven(pause time.Duration) time.Duration { return pause + rand.N(pause/2) }
