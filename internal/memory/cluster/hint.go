package cluster

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// channel is where nodes hear that something may wait for them. What is said there is
// the number of a node, or nothing for all. It only saves time: what waits is in rows.
const channel = "parley_nodes"

// listen hears what is said until ctx ends.
func (n *Node) listen(ctx context.Context) {
	for ctx.Err() == nil {
		n.hear(ctx)
		pause(ctx, renewEvery)
	}
}

// hear listens on one connection for as long as it lasts.
func (n *Node) hear(ctx context.Context) {
	conn, err := pgx.ConnectConfig(ctx, n.cfg)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return
	}
	for {
		heard, err := conn.WaitForNotification(ctx)
		if err != nil {
			return
		}
		if heard.Payload == "" {
			poke(n.kick)
		}
		if heard.Payload == "" || heard.Payload == n.ID() {
			poke(n.news)
		}
	}
}

// tell passes hints on until ctx ends, those that wait once per node.
func (n *Node) tell(ctx context.Context) {
	var conn *pgx.Conn
	defer func() {
		if conn != nil {
			_ = conn.Close(context.WithoutCancel(ctx))
		}
	}()
	for {
		said := map[string]bool{}
		select {
		case <-ctx.Done():
			return
		case node := <-n.hints:
			said[node] = true
		}
		for more := true; more; {
			select {
			case node := <-n.hints:
				said[node] = true
			default:
				more = false
			}
		}
		if conn == nil || conn.IsClosed() {
			var err error
			if conn, err = pgx.ConnectConfig(ctx, n.cfg); err != nil {
				conn = nil
				continue
			}
		}
		for node := range said {
			limited, cancel := context.WithTimeout(ctx, renewLimit)
			_, _ = conn.Exec(limited, "SELECT pg_notify($1, $2)", channel, node)
			cancel()
		}
	}
}
