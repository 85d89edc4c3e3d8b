package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/db/postgres"
)

// keeper renews a lease on a connection of its own, which no queue delays.
type keeper struct {
	n     *Node
	conn  *pgx.Conn // nil for none
	since time.Time // of the connection
	// seen are the leases of others, as this connection has shown them.
	seen map[string]sighting
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
	k.since, k.seen = time.Now(), map[string]sighting{}
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	if err := share(ctx, k.conn); err != nil {
		k.close()
		return err
	}
	return nil
}

// share keeps out, while a connection lasts, processes that need the database to themselves.
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

// errOver says that the lease has ended on the server.
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
			k.n.suffers(err)
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

const renewal = "UPDATE node_leases SET until = clock_timestamp() + $2::interval WHERE id = $1 AND until > clock_timestamp() " +
	"RETURNING clock_timestamp(), " + postgres.Version

// renew makes one attempt. It also ends the leases of others that are over, and takes
// roles which nobody has.
func (k *keeper) renew(ctx context.Context, l *life) error {
	if err := k.connect(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	var there time.Time
	var version int64
	sent := time.Now()
	err := k.conn.QueryRow(ctx, renewal, l.id, interval(Lease)).Scan(&there, &version)
	if errors.Is(err, pgx.ErrNoRows) {
		return errOver
	}
	if err != nil {
		return err
	}
	k.n.lease.renewed(sent)
	k.n.ill.Store(nil)
	k.n.compare(sent, there)
	if told := k.n.told.Load(); told != nil {
		(*told)(version, sent)
	}
	if err := k.bury(ctx); err != nil {
		return err
	}
	return k.roles(ctx, l)
}

// sighting is a lease of another node: until when it lasts, by the server's clock, and since
// when this node has seen it so, by its own.
type sighting struct{ until, since time.Time }

// bury ends the leases that are over. On a new connection it waits for as long as a
// lease lasts: after a failover the server has another clock and may not know the last
// renewals of nodes that live.
func (k *keeper) bury(ctx context.Context) error {
	if time.Since(k.since) < Lease {
		return k.sight(ctx, nil)
	}
	var ids []string
	var untils []time.Time
	err := k.sight(ctx, func(id string, until time.Time) { ids, untils = append(ids, id), append(untils, until) })
	if err != nil || len(ids) == 0 {
		return err
	}
	tag, err := k.conn.Exec(ctx,
		"DELETE FROM node_leases AS l USING unnest($1::text[], $2::timestamptz[]) AS s(id, until) WHERE l.id = s.id AND l.until = s.until",
		ids, untils)
	if err == nil && tag.RowsAffected() > 0 {
		_, err = k.conn.Exec(ctx, "DELETE FROM node_takers WHERE NOT EXISTS (SELECT 1 FROM node_leases WHERE id = node)")
		k.n.o.Log.Warn("nodes have ended without a word; what they had is taken over", "nodes", tag.RowsAffected())
		poke(k.n.news)
	}
	return err
}

// sight looks at the leases of others, and calls over with those that are. The server's
// clock may be set, forward while their nodes live, or back so that they would last for
// long. So a lease is over only once nobody has renewed it for as long as a node believes in
// its own, and then also if the clock says otherwise.
func (k *keeper) sight(ctx context.Context, over func(id string, until time.Time)) error {
	rows, err := k.conn.Query(ctx, "SELECT id, until, until < clock_timestamp() FROM node_leases WHERE id <> $1", k.n.ID())
	if err != nil {
		return err
	}
	before, now := k.seen, time.Now()
	k.seen = map[string]sighting{}
	var id string
	var until time.Time
	var passed bool
	_, err = pgx.ForEachRow(rows, []any{&id, &until, &passed}, func() error {
		s, known := before[id]
		if !known || !s.until.Equal(until) {
			s = sighting{until, now}
		}
		k.seen[id] = s
		if quiet := now.Sub(s.since); over != nil && quiet >= Lease-margin && (passed || quiet >= Lease) {
			over(id, until)
		}
		return nil
	})
	return err
}
