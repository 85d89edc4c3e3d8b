package facts

import (
	"context"
	"time"

	"parley/internal/db/engine"
	"parley/internal/llm/vector"
	"parley/internal/memory/provenance"
)

// Viewer is the person who looks, and where.
type Viewer = provenance.Viewer

// Store holds the facts of a database. It is safe for concurrent use. memory.Store has one
// with the same writer, so that a transaction can span both.
type Store struct {
	db     *engine.DB
	o      Options
	counts *engine.Kept[[3]string, int] // results of around, by person, place and server
	untold *engine.Kept[struct{}, bool] // whether there is a change that nobody was told
}

// Options of NewStore. Only Embed may be nil.
type Options struct {
	Now func() time.Time
	// Settings holds the state of the facts file.
	Settings Settings
	// Generation counts from 1 how often something in a session was forgotten; 0 means
	// that there is no such session.
	Generation func(tx *engine.Tx, session string) (int, error)
	// Embed makes vectors of facts and questions with EmbedModel; nil finds facts by words
	// alone.
	Embed      vector.Embed
	EmbedModel string
}

// Settings stores small values by name. A missing value is "".
type Settings interface {
	Setting(ctx context.Context, name string) (string, error)
	SetSetting(ctx context.Context, name, value string) error
}

// NewStore returns the facts of a database with the current schema.
func NewStore(db *engine.DB, o Options) *Store {
	return &Store{db: db, o: o, counts: engine.Keep[[3]string, int](db, "key_facts"), untold: engine.Keep[struct{}, bool](db, "fact_changes")}
}
