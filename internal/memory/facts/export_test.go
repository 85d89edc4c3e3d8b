package facts

import (
	"context"

	"parley/internal/db/engine"
)

// What tests of this package look at from outside: they drive the store of the
// whole bot, which imports this package.
const (
	MaxCandidates = maxCandidates
	RecentFacts   = recentFacts
	RelevantFacts = relevantFacts
	ShortTag      = shortTag
	SyncedSetting = syncedSetting
)

var OwnerWord = ownerWord

// DB returns the database.
func (s *Store) DB() *engine.DB { return s.db }

// FindNear returns all that is found by what it means, in no scope but near's own.
func (s *Store) FindNear(ctx context.Context, v Viewer, text string) ([]Fact, error) {
	near, err := s.near(ctx, v, text)
	if err != nil {
		return nil, err
	}
	return s.fuse(Viewer{Operator: true}, nil, near)
}

// DropRetired deletes for good what the facts file deleted until then.
func (s *Store) DropRetired(ctx context.Context, until string) error {
	return s.dropRetired(ctx, until)
}

// UseModel has vectors made by another model.
func (s *Store) UseModel(name string) { s.o.EmbedModel = name }

// Embeds reports whether vectors are made.
func (s *Store) Embeds() bool { return s.o.Embed != nil }
