package mcp

import (
	"context"
	"strings"
	"time"
)

// startLimit is how long a server may take to start, to connect and to list its tools.
const startLimit = connectTimeout + listTimeout

// Await waits until the server of a tool is connected, while it starts: up to startLimit
// after the client began or the server was lost. It reports whether the server is there;
// it may be so at once, if it came after the caller had looked.
func (c *Client) Await(ctx context.Context, tool string) bool {
	server, _, _ := strings.Cut(tool, "__")
	r := c.find(server)
	return r != nil && r.await(ctx)
}

// await waits for the connection that is about to be made.
func (r *remote) await(ctx context.Context) bool {
	r.mu.Lock()
	left := time.Until(r.away.Add(startLimit))
	r.mu.Unlock()
	limit, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	again := time.NewTicker(minBackOff)
	defer again.Stop()
	for {
		r.mu.Lock()
		up, barred, changed := r.session != nil, r.barred, r.changed
		r.mu.Unlock()
		if up || barred {
			return up
		}
		select {
		case <-changed:
		case <-again.C:
			nudge(r.again)
		case <-limit.Done():
			return false
		}
	}
}

// moved wakes those who wait: the server has come, or a try has failed. mu must be held.
func (r *remote) moved() {
	close(r.changed)
	r.changed = make(chan struct{})
}
