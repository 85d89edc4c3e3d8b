package memory

import (
	"context"

	"parley/internal/db/engine"
)

// maxGone bounds how many people a goneBefore remembers.
const maxGone = 1 << 16

// goneBefore tells when people were forgotten last: as this database knows, and the data
// folder, where an earlier database of it knew. Its maker uses it alone.
type goneBefore struct {
	own    forgottenBook // of this database
	others []forgottenBook
	state  string            // of the table, as own has it
	people map[string]string // asked for before
}

func (s *Store) goneBefore(ctx context.Context) (*goneBefore, error) {
	key, err := s.markKey(ctx)
	if err != nil {
		return nil, err
	}
	others, err := s.forgottenBooks()
	if err != nil {
		return nil, err
	}
	g := &goneBefore{own: forgottenBook{Key: key}, others: others}
	return g, g.look(s.db)
}

// looker is a database, or a transaction on one.
type looker interface {
	engine.Querier
	QueryRow(query string, args ...any) *engine.Row
}

// look reads again who was forgotten, if that was somebody since: another process may forget.
func (g *goneBefore) look(q looker) error {
	var state string
	err := q.QueryRow("SELECT CAST(count(*) AS TEXT) || ' ' || coalesce(max(at), '') FROM forgotten").Scan(&state)
	if err != nil || state == g.state {
		return during("look who was forgotten", err)
	}
	if g.own.Marks, err = engine.Pairs[string, string](q, "SELECT mark, at FROM forgotten"); err != nil {
		return during("look who was forgotten", err)
	}
	g.state, g.people = state, map[string]string{}
	return nil
}

// at returns when somebody was forgotten, as a Stamp; "" is never.
func (g *goneBefore) at(user string) (at string, err error) {
	if at, ok := g.people[user]; ok || user == "" {
		return at, nil
	}
	for i := -1; i < len(g.others); i++ {
		book := g.own
		if i >= 0 {
			book = g.others[i]
		}
		if len(book.Marks) == 0 {
			continue
		}
		mark, err := markOf(book.Key, user)
		if err != nil {
			return "", err
		}
		at = max(at, book.Marks[mark])
	}
	if len(g.people) >= maxGone {
		clear(g.people)
	}
	g.people[user] = at
	return at, nil
}
