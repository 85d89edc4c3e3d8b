package node

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/postgres"
)

// keeper renews a lease on a connection of its own, which no queue delays.
type keeper struct {
	n     *Node
	conn  *pgx.Conn // nil for none
	since time.Time // of the connection
	// took is in which life the others were told that this node takes part in a share.
	took map[*division]*life
}

// connect makes a connection where there is none. Each server that the address names has
// renewLimit to answer.
func (k *keeper) connect(ctx context.Context) (err error) {
	if k.conn != nil && !k.conn.IsClosed() {
		return nil
	}
	if k.conn, err = pgx.ConnectConfig(ctx, k.n.cfg); err != nil {
		k.conn = nil
		return err
	}
	k.since = time.Now()
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	if err := share(ctx, k.conn); err != nil {
		k.close()
		return err
	}
	return nil
}

// share keeps away, for as long as a connection lasts, who needs the database to itself.
func share(ctx context.Context, conn *pgx.Conn) error {
	var got bool
	err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock_shared($1)", postgres.AloneKey).Scan(&got)
	if err == nil && !got {
		err = postgres.ErrInUse
	}
	return err
}

func (k *keeper) close() {
	if k.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), renewLimit)
		defer cancel()
		_ = k.conn.Close(ctx)
		k.conn = nil
	}
}

// errOver is that the server does not know the lease any more.
var errOver = errors.New("the lease has ended on the server")

// keep renews a life's lease until ctx ends or the lease is lost.
func (k *keeper) keep(ctx context.Context, l *life) {
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	go k.n.expire(watch, l) // a renewal that hangs must not keep anything alive
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		err := k.renew(l.ctx, l)
		if ctx.Err() != nil || errors.Is(err, errOver) || l.ctx.Err() != nil {
			return
		}
		if err != nil {
			k.n.o.Log.Warn("renew the lease of this node", "err", err)
			k.close()
		}
		select {
		case <-tick.C:
		case <-k.n.kick:
		case <-l.ctx.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// expire ends a life as soon as its lease is not certain any more.
func (n *Node) expire(ctx context.Context, l *life) {
	for {
		left := n.lease.left()
		if left <= 0 {
			l.end(ErrLost)
			return
		}
		pause(ctx, left)
		if ctx.Err() != nil {
			return
		}
	}
}

// renew makes one attempt. It also ends the leases of others that are over, and takes
// roles which nobody has.
func (k *keeper) renew(ctx context.Context, l *life) error {
	if err := k.connect(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	sent := time.Now()
	tag, err := k.conn.Exec(ctx, "UPDATE node_leases SET until = clock_timestamp() + $2::interval WHERE id = $1 AND until > clock_timestamp()", l.id, interval(Lease))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errOver
	}
	k.n.lease.renewed(sent)
	if err := k.bury(ctx); err != nil {
		return err
	}
	return k.roles(ctx, l)
}

// bury ends the leases that are over. On a new connection it waits for as long as a
// lease lasts: after a failover the server has another clock and may not know the last
// renewals of nodes that live.
func (k *keeper) bury(ctx context.Context) error {
	if time.Since(k.since) < Lease {
		return nil
	}
	tag, err := k.conn.Exec(ctx, "DELETE FROM node_leases WHERE until < clock_timestamp()")
	if err == nil && tag.RowsAffected() > 0 {
		_, err = k.conn.Exec(ctx, "DELETE FROM node_takers WHERE NOT EXISTS (SELECT 1 FROM node_leases WHERE id = node)")
		k.n.o.Log.Warn("nodes have ended without a word; what they had is taken over", "nodes", tag.RowsAffected())
		poke(k.n.news)
	}
	return err
}
