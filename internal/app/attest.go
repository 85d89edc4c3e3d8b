package app

import (
	"context"
	"sync"
	"time"

	"parley/internal/chat"
)

// Bounds of asking platforms where somebody still is. What is not found out in
// time stays unknown: then what is seen ends with that person's last word.
const (
	attestPlaces = 20
	attestLimit  = 3 * time.Second
	attestAtOnce = 4
)

// attest asks the platforms whether a person may still read in the places they
// spoke in, where that is not known lately.
func (a *app) attest(ctx context.Context, user string) {
	places, err := a.store.Unattested(ctx, user, attestPlaces)
	if err != nil {
		a.log.Warn("where somebody still is", "err", err)
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
			a.attestIn(ctx, user, k)
		})
	}
	all.Wait()
}

func (a *app) attestIn(ctx context.Context, user string, k chat.Key) {
	p, ok := chat.On(a.adapters, k.Platform).(chat.MemberChecker)
	if !ok || ctx.Err() != nil {
		return
	}
	reads, err := p.Reads(ctx, k, user)
	if err != nil {
		a.log.Debug("where somebody still is", "place", k.String(), "err", err)
		return
	}
	state := chat.Absent
	if reads {
		state = chat.Present
	}
	if err := a.store.Attend(ctx, chat.Presence{Key: k, User: chat.User{ID: user}, State: state}); err != nil {
		a.log.Warn("where somebody still is", "err", err)
	}
}
