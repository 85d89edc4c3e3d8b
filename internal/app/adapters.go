package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/app/webhooks"
	"parley/internal/chat"
	"parley/internal/memory"
)

// openFile fetches an attachment from the platform of its message.
func (ps *platforms) openFile(ctx context.Context, m chat.Message, f chat.File, limit int64) ([]byte, error) {
	if data, ours, err := ps.members.Fetch(ctx, m, f); ours {
		return data, err
	}
	p, ok := chat.As[chat.Fetcher](chat.On(ps.adapters, m.Key.Platform))
	if !ok {
		return nil, fmt.Errorf("%s: no files can be fetched", m.Key.Platform)
	}
	return p.Fetch(ctx, f, limit)
}

// Bounds of asking platforms whether somebody is still a member. Without an answer in
// time, people see messages up to their own last one.
const (
	attestPlaces = 20
	attestLimit  = 3 * time.Second
	attestAtOnce = 4
)

// attest asks the platforms whether a person may still read where they once spoke, unless
// that was checked recently, and stores the answers.
func (ps *platforms) attest(ctx context.Context, user string) {
	places, err := ps.store.Access.Unattested(ctx, user, attestPlaces)
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
	p, ok := chat.As[chat.MemberChecker](chat.On(ps.adapters, k.Platform))
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
	if err := ps.store.Access.Attend(ctx, chat.Presence{Key: k, User: chat.User{ID: user}, State: state}); err != nil {
		ps.log.Warn("where somebody still is", "err", err)
	}
}

// errNoReader: this platform cannot read stored events again.
var errNoReader = errors.New("this platform's events cannot be read again")

// reread hands dead letters marked for retry to their platforms again. One that can now be
// stored is answered like any message; the others stay aside with the reason.
func (ps *platforms) reread(ctx context.Context) error {
	list, err := ps.store.Letters.ToRetry(ctx, jobLimit)
	if err != nil {
		return err
	}
	for _, l := range list {
		if l.Platform == webhooks.Platform {
			if err := ps.hookAgain(ctx, l); err != nil {
				return err
			}
			continue
		}
		adapter := chat.On(ps.adapters, l.Platform)
		if adapter == nil {
			continue // wait until it runs
		}
		messages, err := renormalized(adapter, l.Raw)
		switch {
		case errors.Is(err, chat.ErrNotReady):
			continue
		case err != nil:
			err = ps.store.Letters.Fail(ctx, l.ID, err.Error())
		default:
			if err = ps.hub.Deliver(ctx, chat.Batch{Platform: l.Platform, Messages: messages}); err == nil {
				err = ps.store.Letters.Drop(ctx, l.ID)
			}
		}
		if err != nil && !errors.Is(err, memory.ErrNoLetter) { // dropped in the meantime
			return err
		}
	}
	return nil
}

// hookAgain takes what a webhook brought once more.
func (ps *platforms) hookAgain(ctx context.Context, l memory.DeadLetter) error {
	err := ps.again(ctx, l.Raw)
	if err == nil {
		err = ps.store.Letters.Drop(ctx, l.ID)
	} else {
		err = ps.store.Letters.Fail(ctx, l.ID, err.Error())
	}
	if errors.Is(err, memory.ErrNoLetter) { // dropped in the meantime
		return nil
	}
	return err
}

// renormalized reads an event again. A message that cannot be stored is an error.
func renormalized(adapter chat.Adapter, raw []byte) (messages []chat.Message, err error) {
	r, ok := chat.As[chat.Renormalizer](adapter)
	if !ok {
		return nil, errNoReader
	}
	messages, err = r.Renormalize(raw)
	for _, m := range messages {
		if _, serr := chat.Storable(m); serr != nil {
			err = errors.Join(err, serr)
		}
	}
	return messages, err
}

// parts splits a text for somebody as their platform requires; nil if that platform does
// not run.
func (ps *platforms) parts(k chat.Key, to chat.User, said string) (list []chat.Part) {
	adapter := chat.On(ps.adapters, k.Platform)
	if adapter == nil {
		return nil
	}
	for i, piece := range adapter.Split(chat.Seen(said)) {
		list = append(list, chat.Part{Key: k, Index: i, Text: piece, To: to})
	}
	return list
}
