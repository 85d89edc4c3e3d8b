package memory

import (
	"context"
	"time"

	"parley/internal/db/engine"
)

// keepQuirks is how long a quirk is believed: servers are updated, and templates fixed.
const keepQuirks = 30 * 24 * time.Hour

// Quirks returns what was learned of a model at an endpoint, sorted.
func (s *Store) Quirks(_ context.Context, endpoint, model string) (names []string, err error) {
	return engine.Select(s.db, engine.Value[string], "SELECT quirk FROM quirks WHERE endpoint = ? AND model = ? AND at > ? ORDER BY quirk",
		endpoint, model, Stamp(s.now().Add(-keepQuirks)))
}

// LearnQuirk notes one for a month, and forgets whatever is older.
func (s *Store) LearnQuirk(ctx context.Context, endpoint, model, name string) error {
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		if _, err := tx.Exec("DELETE FROM quirks WHERE at <= ?", Stamp(s.now().Add(-keepQuirks))); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO quirks VALUES (?, ?, ?, ?) ON CONFLICT (endpoint, model, quirk) DO UPDATE SET at = excluded.at",
			endpoint, model, name, Stamp(s.now()))
		return err
	})
}
