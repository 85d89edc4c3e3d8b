package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/internal/chat"
)

// Bounds of asking platforms where somebody still is a member. What is not known in
// time stays unknown: people then see messages up to their own last one.
const (
	attestPlaces = 20
	attestLimit  = 3 * time.Second
	attestAtOnce = 4
)

// Attester asks, and stores the answers. All fields are required.
type Attester struct {
	Rows     Rows
	Adapters func() []chat.Adapter
	Log      *slog.Logger
}

// Rows is what is known of who is where; access.Register.
type Rows interface {
	Unattested(ctx context.Context, user string, limit int) ([]chat.Key, error)
	Attend(ctx context.Context, p chat.Presence) error
}

// Look asks the platforms whether a person may still read in the places where they
// spoke, if that was not checked recently.
func (a Attester) Look(ctx context.Context, user string) {
	places, err := a.Rows.Unattested(ctx, user, attestPlaces)
	if err != nil {
		a.Log.Warn("where somebody still is", "err", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, attestLimit)
	defer cancel()
	var all sync.WaitGroup
	free := make(chan struct{}, attestAtOnce)
	for _, k := range places {
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			a.in(ctx, user, k)
		})
	}
	all.Wait()
}

func (a Attester) in(ctx context.Context, user string, k chat.Key) {
	p, ok := chat.On(a.Adapters(), k.Platform).(chat.MemberChecker)
	if !ok || ctx.Err() != nil {
		return
	}
	reads, err := p.Reads(ctx, k, user)
	if err != nil {
		a.Log.Debug("where somebody still is", "place", k.String(), "err", err)
		return
	}
	state := chat.Absent
	if reads {
		state = chat.Present
	}
	if err := a.Rows.Attend(ctx, chat.Presence{Key: k, User: chat.User{ID: user}, State: state}); err != nil {
		a.Log.Warn("where somebody still is", "err", err)
	}
}
