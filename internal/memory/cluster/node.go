// Package cluster is this process among several that share one PostgreSQL: its lease, the
// roles that one node has at a time, which conversations are its own, and what others
// stored for them. PostgreSQL holds all of it and its clock decides; nodes do not talk
// with each other. It knows nothing of messages, and starts nothing by itself.
package cluster

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/db/postgres"
)

//go:embed schema.sql
var schema string

// ErrLost is why a life ended: the lease could not be renewed in time.
var ErrLost = errors.New("the lease of this node has ended")

// Options of Start. URL and Log are required.
type Options struct {
	URL     string // of the database
	Name    string // for people
	Version string
	Log     *slog.Logger
	// Lost is called when a life ended, before the next begins: nothing that it began
	// may be seen or change anything any more. It must not block; nil is nothing.
	Lost func()
}

// Node is this process. A life of it lasts as long as its lease; when that is lost, the
// next begins under another number, and owns nothing yet.
type Node struct {
	o     Options
	cfg   *pgx.ConnConfig
	lease lease
	life  atomic.Pointer[life] // nil before the first and after the last
	kick  chan struct{}        // asks for a look at the leases at once
	hints chan string          // to others
	news  chan struct{}        // there may be something to do; see News
	clock atomic.Pointer[reading]
	ill   atomic.Pointer[error] // why the lease could not be renewed last; nil for it could
	off   time.Duration         // how far the clocks differ, as was said last; the keeper's
	told  atomic.Pointer[func(version int64, asked time.Time)]
	stop  context.CancelFunc
	done  sync.WaitGroup

	mu    sync.Mutex // guards roles
	roles map[string]*role
}

// life is the time in which a node has one number.
type life struct {
	id  string
	ctx context.Context // ends with the lease, for the reason ErrLost
	end context.CancelCauseFunc
}

// Start makes the tables that nodes share, begins to keep a lease and returns once this
// node has it. The caller calls Close.
func Start(ctx context.Context, o Options) (*Node, error) {
	// A lease that is lost in a failover is only shorter.
	cfg, err := postgres.Config(o.URL, "SET synchronous_commit = off")
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["application_name"] = "parley node " + o.Name
	n := &Node{o: o, cfg: cfg, kick: make(chan struct{}, 1), news: make(chan struct{}, 1), hints: make(chan string, 256),
		roles: map[string]*role{}}
	if err := n.prepare(ctx); err != nil {
		return nil, fmt.Errorf("prepare for several nodes: %w", err)
	}
	cfg.ConnectTimeout = renewLimit // from now on a lease depends on it
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	first := make(chan struct{})
	n.done.Go(func() { n.run(running, sync.OnceFunc(func() { close(first) })) })
	n.done.Go(func() { n.listen(running) })
	n.done.Go(func() { n.tell(running) })
	select {
	case <-first:
		return n, nil
	case <-ctx.Done():
		n.Close()
		return nil, context.Cause(ctx)
	}
}

// prepare makes the tables. Nodes that start together do so one after the other.
func (n *Node) prepare(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, n.cfg)
	if err != nil {
		return postgres.Explain(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := postgres.Fit(ctx, n.cfg, conn); err != nil {
		return err
	}
	if err := share(ctx, conn); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('parley nodes'))"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

// Alive reports whether this node may act now: whatever is its own cannot be another's
// yet. Once it is false for a life, it stays so. It does not block.
func (n *Node) Alive() bool {
	l := n.life.Load()
	if l == nil || l.ctx.Err() != nil {
		return false
	}
	if !n.lease.alive() {
		l.end(ErrLost)
		return false
	}
	return true
}

// suffers notes what keeps this node from a lease.
func (n *Node) suffers(err error) {
	err = postgres.Explain(err)
	n.ill.Store(&err)
}

// Problem is why this node may not act just now, as far as it is known; nil while it may. It
// does not block.
func (n *Node) Problem() error {
	if err := n.ill.Load(); err != nil && !n.Alive() {
		return *err
	}
	return nil
}

// Hint tells another node, by its number, that something waits for it; "" tells all, and
// its own number itself. It does not block, and may come to nothing.
func (n *Node) Hint(node string) {
	if node != "" && node == n.ID() {
		poke(n.news)
		return
	}
	select {
	case n.hints <- node:
	default: // it looks by itself soon
	}
}

// Versions has each renewal of the lease also tell the database's version (see
// engine.DB.Told). It must not block.
func (n *Node) Versions(tell func(version int64, asked time.Time)) { n.told.Store(&tell) }

// ID returns the number of this life, "" between two.
func (n *Node) ID() string {
	if l := n.life.Load(); l != nil {
		return l.id
	}
	return ""
}

// News tells that something may be waiting for this node: another one stored something
// for it, or has ended. Nobody need tell it: whoever reads it also looks every half
// second.
func (n *Node) News() <-chan struct{} { return n.news }

// poke leaves one token in a channel.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run lives one life after the other until ctx ends.
func (n *Node) run(ctx context.Context, began func()) {
	k := keeper{n: n, took: map[*division]*life{}}
	defer k.close()
	for ctx.Err() == nil {
		l, err := n.begin(ctx, &k)
		if err != nil {
			n.suffers(err)
			n.o.Log.Warn("this node has no lease", "err", err)
			pause(ctx, renewEvery)
			continue
		}
		began()
		poke(n.news)
		k.keep(ctx, l)
		n.over(l)
		if ctx.Err() == nil {
			n.o.Log.Error("this node lost its lease; what it had under way is left to others", "node", l.id)
			if n.o.Lost != nil {
				n.o.Lost()
			}
		}
	}
}

// begin takes a lease under a new number.
func (n *Node) begin(ctx context.Context, k *keeper) (*life, error) {
	if err := k.connect(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	var there time.Time
	id, sent := rand.Text(), time.Now()
	err := k.conn.QueryRow(ctx,
		"INSERT INTO node_leases (id, name, version, until) VALUES ($1, $2, $3, clock_timestamp() + $4::interval) RETURNING clock_timestamp()",
		id, n.o.Name, n.o.Version, interval(Lease)).Scan(&there)
	if err != nil {
		k.close()
		return nil, err
	}
	n.lease.renewed(sent)
	n.ill.Store(nil)
	n.compare(sent, there)
	l := &life{id: id}
	l.ctx, l.end = context.WithCancelCause(context.Background())
	n.life.Store(l)
	return l, nil
}

// over ends a life.
func (n *Node) over(l *life) {
	n.lease.over()
	n.life.Store(nil)
	l.end(ErrLost)
}

// lanesLeft deletes a node's conversations, but those that another one just stores something
// for: whoever has many rows waits for none. What is left of an owner that ended is nobody's.
const lanesLeft = `DELETE FROM node_lanes WHERE (platform, channel, thread) IN
	(SELECT platform, channel, thread FROM node_lanes WHERE owner = $1 FOR UPDATE SKIP LOCKED)`

// Close gives up the lease, and with it all that is still this node's own. It may be
// called twice.
func (n *Node) Close() {
	l := n.life.Load()
	n.stop()
	n.done.Wait()
	if l == nil {
		return
	}
	ctx, cancel := n.briefly()
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, n.cfg)
	if err != nil {
		return // it ends by itself
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range []string{lanesLeft, "DELETE FROM node_roles WHERE owner = $1", "DELETE FROM node_takers WHERE node = $1",
		"DELETE FROM node_leases WHERE id = $1"} {
		_, _ = conn.Exec(ctx, statement, l.id)
	}
	_, _ = conn.Exec(ctx, "SELECT pg_notify($1, '')", channel)
}

// briefly bounds something that is said over a connection of its own. Each server that the
// address names may take its time to turn out to be gone.
func (n *Node) briefly() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), renewLimit*time.Duration(2+len(n.cfg.Fallbacks)))
}

// pause waits; it returns early when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func interval(d time.Duration) string { return fmt.Sprintf("%d milliseconds", d.Milliseconds()) }
