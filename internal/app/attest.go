package app

import (
	"context"
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

// attest asks the platforms whether a person may still read in the places where they
// spoke, if that was not checked recently, and stores the answers.
func (ps *platforms) attest(ctx context.Context, user string) {
	places, err := ps.store.Unattested(ctx, user, attestPlaces)
	if err != nil {
		ps.log.Warn("where somebody still is", "err", err)
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
			ps.attestIn(ctx, user, k)
		})
	}
	all.Wait()
}

func (ps *platforms) attestIn(ctx context.Context, user string, k chat.Key) {
	p, ok := chat.On(ps.adapters, k.Platform).(chat.MemberChecker)
	if !ok || ctx.Err() != nil {
		return
	}
	reads, err := p.Reads(ctx, k, user)
	if err != nil {
		ps.log.Debug("where somebody still is", "place", k.String(), "err", err)
		return
	}
	state := chat.Absent
	if reads {
		state = chat.Present
	}
	if err := ps.store.Attend(ctx, chat.Presence{Key: k, User: chat.User{ID: user}, State: state}); err != nil {
		ps.log.Warn("where somebody still is", "err", err)
	}
}
