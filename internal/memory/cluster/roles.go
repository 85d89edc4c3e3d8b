package cluster

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// role is something that one node does at a time, and this one would do.
type role struct {
	share *division  // it is a part of; nil for none
	given chan *life // receives the life in which this node has it
	had   *life      // nil while it has not
	// yield ends the work that is under way, so that another node can have the role; nil
	// while nothing is. yielded is that it was called.
	yield   context.CancelCauseFunc
	yielded bool
}

// errYielded is why work ends although this node lives.
var errYielded = errors.New("the role is another node's")

// Role runs work whenever this node has a role, which no other node has then, until ctx
// ends. work's context ends with ctx, or when the lease is lost; work must return soon
// then. What work returns while its context lasts is returned: the role is given up for
// good. Each role may be wanted once at a time.
func (n *Node) Role(ctx context.Context, name string, work func(ctx context.Context) error) error {
	return n.role(ctx, name, nil, work)
}

func (n *Node) role(ctx context.Context, name string, of *division, work func(ctx context.Context) error) error {
	r := &role{share: of, given: make(chan *life, 1)}
	n.mu.Lock()
	n.roles[name] = r
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		delete(n.roles, name)
		n.mu.Unlock()
		n.giveUp(name)
	}()
	poke(n.kick)
	for {
		select {
		case <-ctx.Done():
			return nil
		case l := <-r.given:
			if err, over := n.within(ctx, l, r, work); over {
				return err
			}
			if n.endYield(r) {
				n.giveUp(name)
				n.mu.Lock()
				r.had = nil
				n.mu.Unlock()
			}
		}
	}
}

// endYield reports whether work ended to leave the role to another node.
func (n *Node) endYield(r *role) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := r.yielded
	r.yield, r.yielded = nil, false
	return was
}

// within runs work in a life. over is false when only the life ended, or the role was
// yielded.
func (n *Node) within(ctx context.Context, l *life, r *role, work func(context.Context) error) (err error, over bool) {
	during, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n.mu.Lock()
	r.yield, r.yielded = cancel, false
	n.mu.Unlock()
	defer context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })()
	err = work(during)
	if during.Err() == nil || ctx.Err() != nil {
		return err, true
	}
	return nil, false
}

// giveUp lets another node have a role at once.
func (n *Node) giveUp(name string) {
	n.letGo("DELETE FROM node_roles WHERE name = $1 AND owner = $2", name)
}

// letGo deletes a row of this node's, which names something and whose it is, and tells the
// others.
func (n *Node) letGo(query, name string) {
	id := n.ID()
	if id == "" {
		return
	}
	ctx, cancel := n.briefly()
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, n.cfg)
	if err != nil {
		return // it ends with the lease
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, query, name, id); err == nil {
		_, _ = conn.Exec(ctx, "SELECT pg_notify($1, '')", channel)
	}
}

// roles takes those that are wanted and nobody living has, and lets go of what is this
// node's only by its row.
func (k *keeper) roles(ctx context.Context, l *life) error {
	n := k.n
	n.mu.Lock()
	var whole, had []string // wanted by itself; had
	parts, shares := map[string]*division{}, map[*division]int{}
	for name, r := range n.roles {
		switch {
		case r.had == l:
			had = append(had, name)
		case r.share == nil:
			whole = append(whole, name)
		default:
			parts[name] = r.share
		}
		if r.share != nil {
			shares[r.share] = 0
		}
	}
	n.mu.Unlock()
	if err := k.settle(ctx, l, whole, had, shares); err != nil {
		return err
	}
	for s := range shares {
		free, err := k.divide(ctx, l, s)
		if err != nil {
			return err
		}
		shares[s] = free
	}
	for name, s := range parts {
		if shares[s] == 0 {
			continue
		}
		got, err := k.take(ctx, l, []string{name}, take+" SELECT coalesce(array_agg(name), '{}'), false FROM taken")
		if err != nil {
			return err
		}
		shares[s] -= len(got)
	}
	return nil
}

// take begins a statement that takes those of some roles that nobody living has.
const take = `WITH taken AS (INSERT INTO node_roles (name, owner) SELECT w.name, $1 FROM unnest($2::text[]) AS w(name)
	WHERE EXISTS (SELECT 1 FROM node_leases WHERE id = $1 AND until > clock_timestamp())
	AND NOT EXISTS (SELECT 1 FROM node_roles AS r JOIN node_leases AS o ON o.id = r.owner WHERE r.name = w.name AND r.owner <> $1)
	ORDER BY w.name ON CONFLICT (name) DO UPDATE SET owner = excluded.owner
	WHERE node_roles.owner = excluded.owner OR NOT EXISTS (SELECT 1 FROM node_leases WHERE id = node_roles.owner) RETURNING name)`

// take runs a statement that takes roles, and gives those that it took. Where it let go of
// something, the others are told.
func (k *keeper) take(ctx context.Context, l *life, names []string, query string, args ...any) (taken []string, err error) {
	var changed bool
	err = k.conn.QueryRow(ctx, query, append([]any{l.id, names}, args...)...).Scan(&taken, &changed)
	if err == nil && changed {
		k.n.Hint("")
	}
	for _, name := range taken {
		k.n.give(name, l)
	}
	return taken, err
}

// settled lets go, where roles are taken, of those whose rows name this node and which it
// neither has nor wants, and of the shares in which it takes no part any more.
const settled = take + `, r AS (DELETE FROM node_roles WHERE owner = $1 AND name <> ALL($2) AND name <> ALL($3) RETURNING 1),
	t AS (DELETE FROM node_takers WHERE node = $1 AND share <> ALL($4) RETURNING 1)
	SELECT coalesce((SELECT array_agg(name) FROM taken), '{}'), EXISTS (SELECT 1 FROM r) OR EXISTS (SELECT 1 FROM t)`

// settle takes roles, and lets go of what is this node's only by its row. Such a row is
// left where a role was given up just as it was being taken, or where that could not be
// said to the server: nobody else could have it for as long as this node lives.
func (k *keeper) settle(ctx context.Context, l *life, wanted, had []string, shares map[*division]int) error {
	names := []string{}
	for s := range shares {
		names = append(names, s.name)
	}
	_, err := k.take(ctx, l, append([]string{}, wanted...), settled, append([]string{}, had...), names)
	for s := range k.took {
		if _, still := shares[s]; !still {
			delete(k.took, s)
		}
	}
	return err
}

// give hands a role that was taken to whoever waits for it. If nobody does any more the
// keeper looks again at once, and lets go of it.
func (n *Node) give(name string, l *life) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.roles[name]
	if r == nil {
		poke(n.kick)
		return
	}
	r.had = l
	select {
	case <-r.given: // of a life that is over
	default:
	}
	r.given <- l
	n.o.Log.Info("this node has a role", "role", name)
}

// Wants reports whether this node would have a role.
func (n *Node) Wants(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.roles[name] != nil
}

// Holds reports whether this node has a role now.
func (n *Node) Holds(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	r, l := n.roles[name], n.life.Load()
	return r != nil && l != nil && r.had == l && n.lease.alive()
}
