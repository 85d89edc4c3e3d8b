package facts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"parley/internal/db/engine"
)

// Proposal is something that another assistant had noted of a person. It is no fact, and
// nothing reads it, before that person says that it is right.
type Proposal struct {
	ID           int64
	Text, Source string
}

// Propose keeps proposals for a person and returns how many wait for them then. What was
// proposed before is not again, and neither is what no fact may say.
func (s *Store) Propose(ctx context.Context, user string, list []Proposal) (waiting int, err error) {
	if user == "" {
		return 0, nil
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		for _, p := range list {
			sum := sha256.Sum256([]byte(strings.ToLower(p.Text)))
			if MayLearn(p.Text) != nil {
				continue
			}
			if _, err := tx.Exec("INSERT INTO proposed (user_id, digest, content, source, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				user, hex.EncodeToString(sum[:16]), p.Text, p.Source, engine.Stamp(s.o.Now())); err != nil {
				return err
			}
		}
		return tx.QueryRow("SELECT count(*) FROM proposed WHERE user_id = ? AND content <> ''", user).Scan(&waiting)
	})
	return waiting, engine.During("propose facts", err)
}

// Proposals returns what waits for a person's word, the first limit of it, and how many there
// are.
func (s *Store) Proposals(_ context.Context, user string, limit int) (list []Proposal, all int, err error) {
	list, err = engine.Select(s.db, func(r engine.Scanner) (p Proposal, err error) {
		err = r.Scan(&p.ID, &p.Text, &p.Source)
		return p, err
	}, "SELECT id, content, source FROM proposed WHERE user_id = ? AND content <> '' ORDER BY id LIMIT ?", user, limit)
	if err == nil {
		err = s.db.QueryRow("SELECT count(*) FROM proposed WHERE user_id = ? AND content <> ''", user).Scan(&all)
	}
	return list, all, engine.During("list proposed facts", err)
}

// Decide makes facts of the proposals to which their person v said yes, and drops those to
// which they said no, all at once. A proposal that was answered before stays so.
func (s *Store) Decide(ctx context.Context, v Viewer, yes map[int64]bool) (kept int, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		kept = 0
		for id, right := range yes {
			said, err := engine.Select(tx, engine.Value[string], "SELECT content FROM proposed WHERE id = ? AND user_id = ? AND content <> ''", id, v.User)
			if err != nil {
				return err
			}
			if len(said) == 0 {
				continue
			}
			if right {
				f := NewFact{Content: said[0]}
				if err := f.normalize(); err != nil {
					return err
				}
				if _, err := s.saveFact(tx, v, v.User, f); err != nil {
					return err
				}
				kept++
			}
			if _, err := tx.Exec("UPDATE proposed SET content = '', source = '' WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
	return kept, engine.During("decide about proposed facts", err)
}
