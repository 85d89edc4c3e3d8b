package facts

import (
	"context"
	"time"

	"parley/internal/db/engine"
	"parley/internal/llm/vector"
	"parley/internal/memory/provenance"
)

// Viewer is who looks, and from where.
type Viewer = provenance.Viewer

// Store is the facts of a database. It is safe for many goroutines. The store of
// everything else holds one, with the same writer, so that a transaction may
// span both.
type Store struct {
	db     *engine.DB
	o      Options
	counts *engine.Kept[[3]string, int] // of facts about a person, a place and a server, as around counts
	untold *engine.Kept[struct{}, bool] // whether anybody was not told of a change
}

// Options of NewStore. Embed may be nil, the others not.
type Options struct {
	// Now is the clock.
	Now func() time.Time
	// Settings keep what the facts file and the rows last agreed upon.
	Settings Settings
	// Generation counts how often something in a session was forgotten, from 1;
	// 0 is a session that is not there.
	Generation func(tx *engine.Tx, session string) (int, error)
	// Embed makes vectors of facts and of what is asked, with the model named;
	// nil finds facts by words alone.
	Embed      vector.Embed
	EmbedModel string
}

// Settings are small values by name; "" is none.
type Settings interface {
	Setting(ctx context.Context, name string) (string, error)
	SetSetting(ctx context.Context, name, value string) error
}

// NewStore returns the facts of a database whose schema is up to date.
func NewStore(db *engine.DB, o Options) *Store {
	return &Store{db: db, o: o, counts: engine.Keep[[3]string, int](db, "key_facts"), untold: engine.Keep[struct{}, bool](db, "fact_changes")}
}
