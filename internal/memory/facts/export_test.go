package facts

import (
	"context"

	"parley/internal/db/engine"
)

// The tests of this package use the store of the whole bot, which imports this package. So
// they are outside it, and need these.
const (
	MaxCandidates = maxCandidates
	RecentFacts   = recentFacts
	RelevantFacts = relevantFacts
	ShortTag      = shortTag
	SyncedSetting = syncedSetting
	MaxAtOnce     = maxAtOnce
	MaxLines      = maxLines
)

var OwnerWord = ownerWord

// DB returns the database.
func (s *Store) DB() *engine.DB { return s.db }

// FindNear returns the facts near in meaning, without fuse's check of the scope.
func (s *Store) FindNear(ctx context.Context, v Viewer, text string) ([]Fact, error) {
	near, err := s.near(ctx, v, text)
	if err != nil {
		return nil, err
	}
	return s.fuse(Viewer{Operator: true}, nil, near)
}

// DropRetired calls dropRetired.
func (s *Store) DropRetired(ctx context.Context, until string) error {
	return s.dropRetired(ctx, until)
}

// UseModel sets the model of new vectors.
func (s *Store) UseModel(name string) { s.o.EmbedModel = name }

// Embeds reports whether vectors are made.
func (s *Store) Embeds() bool { return s.o.Embed != nil }
