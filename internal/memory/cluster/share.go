package cluster

import (
	"context"
	"fmt"
	"sync"
)

// division is a number of roles that nodes divide among each other.
type division struct {
	name  string
	count int
}

func (s *division) role(i int) string {
	if s.count == 1 {
		return s.name
	}
	return fmt.Sprintf("%s: %d", s.name, i)
}

// Share divides count pieces of work, numbered from 0, among the nodes that ask for them
// under the same name, and runs those that are this node's until ctx ends. No node takes
// more than its fair part, and one that has more, as when another one begins, gives some
// up. Each piece is one node's at a time; work's context ends when it is another's. What
// work returns before that ends the share and is returned, nil too.
func (n *Node) Share(ctx context.Context, name string, count int, work func(ctx context.Context, i int) error) error {
	s := &division{name: name, count: count}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer n.leaveShare(s)
	var under sync.WaitGroup
	errs := make(chan error, count)
	for i := range count {
		under.Go(func() {
			err := n.role(ctx, s.role(i), s, func(ctx context.Context) error { return work(ctx, i) })
			if err != nil {
				errs <- err
			}
			stop(err)
		})
	}
	under.Wait()
	close(errs)
	return <-errs
}

// divide tells the others that this node takes part in a share, and how many of its roles
// this node may have. It gives those beyond that up.
func (k *keeper) divide(ctx context.Context, l *life, s *division) (free int, err error) {
	if s.count == 1 {
		return 1, nil
	}
	if k.took[s] != l {
		if _, err := k.conn.Exec(ctx, "INSERT INTO node_takers (share, node) VALUES ($1, $2) ON CONFLICT DO NOTHING", s.name, l.id); err != nil {
			return 0, err
		}
		k.took[s] = l
	}
	var takers, before int
	if err := k.conn.QueryRow(ctx,
		"SELECT count(*), count(*) FILTER (WHERE t.node < $2) FROM node_takers AS t JOIN node_leases AS n ON n.id = t.node WHERE t.share = $1",
		s.name, l.id).Scan(&takers, &before); err != nil {
		return 0, err
	}
	fair := fairPart(s.count, takers, before)
	k.n.mu.Lock()
	defer k.n.mu.Unlock()
	var held []*role
	ending := 0
	for _, r := range k.n.roles {
		switch {
		case r.share != s || r.had != l:
		case r.yielded:
			ending++
		default:
			held = append(held, r)
		}
	}
	for len(held) > fair {
		if r := held[0]; r.yield != nil {
			r.yielded = true
			r.yield(errYielded)
			ending++
		}
		held = held[1:]
	}
	return max(fair-len(held)-ending, 0), nil
}

// fairPart is how many of count roles belong to the taker that before others precede, of
// takers in all. The parts of all takers add up to count.
func fairPart(count, takers, before int) int {
	takers = max(takers, 1)
	fair := count / takers
	if before < count%takers {
		fair++
	}
	return fair
}

// leaveShare tells the others that this node takes part no longer.
func (n *Node) leaveShare(s *division) {
	if s.count > 1 {
		n.letGo("DELETE FROM node_takers WHERE share = $1 AND node = $2", s.name)
	}
}
