package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
)

// digestHour is the hour of the day, where a person is, at which the daily digest
// comes.
const digestHour = 9

// digests tells people what was learned about them since they last heard: those
// who hear each morning, or those who hear at the end of a session. One that
// fails is tried again with the next.
func (c *chores) digests(ctx context.Context, session string) error {
	due, err := c.store.Facts.DueDigests(ctx, session)
	if err != nil {
		return err
	}
	kind := facts.DigestSession
	if session == "" {
		kind = facts.DigestDaily
	}
	var failed error
	for _, d := range due {
		if c.digestKind(ctx, d) != kind {
			continue
		}
		until := c.now()
		if kind == facts.DigestDaily {
			until = morning(until.In(c.people.location(ctx, chat.User{ID: d.User})))
		}
		if !until.After(c.now()) && until.After(d.Sent) {
			failed = errors.Join(failed, c.digest(ctx, d, until))
		}
	}
	return failed
}

// morning is when the daily digest of a day comes.
func morning(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), digestHour, 0, 0, 0, now.Location())
}

// digestKind is what somebody chose, or else what the settings say for owners;
// others are told below their answers alone.
func (c *chores) digestKind(ctx context.Context, d facts.Digest) string {
	if d.When == "" && !c.people.owns(ctx, d.User) {
		return facts.DigestOff
	}
	return cmp.Or(d.When, c.cfg.Memory.Digest)
}

// digest sends one to its person's direct chat, of what was learned until then.
// Where there is no such chat, it waits: they are told below their answers.
func (c *chores) digest(ctx context.Context, d facts.Digest, until time.Time) error {
	k, err := c.store.People.DirectChat(ctx, d.User)
	if errors.Is(err, memory.ErrNotFound) || err == nil && !slices.ContainsFunc(c.platforms.adapters,
		func(p chat.Adapter) bool { return p.Platform() == k.Platform }) {
		return nil
	}
	if err != nil {
		return err
	}
	to := chat.User{ID: d.User}
	ctx = c.people.speaker.With(ctx, to)
	if why, err := c.unwanted(ctx, to, k); err != nil || why != "" {
		return err
	}
	list, err := c.store.Facts.Learned(ctx, provenance.Viewer{User: d.User, Key: k, Direct: true}, facts.Query{Since: d.Sent,
		Before: until, Limit: command.LearnedPage + 1})
	if err != nil || len(list) == 0 {
		return err
	}
	shown := list[:min(len(list), command.LearnedPage)]
	answer := command.Learned(ctx, command.LearnedSince(ctx, shown, until), shown, 1, len(list) > len(shown))
	var parts []chat.Part
	for i, piece := range chat.On(c.platforms.adapters, k.Platform).Split(chat.Seen(answer.Text)) {
		parts = append(parts, chat.Part{Key: k, Index: i, Text: piece, To: to})
	}
	parts[len(parts)-1].Buttons = answer.Buttons
	if err := c.store.Notify(ctx, fmt.Sprintf("digest %s %d", d.User, list[0].ID), parts); err != nil {
		return err
	}
	c.platforms.hub.Flush(k)
	return c.store.Facts.DigestSent(ctx, d.User, shown, until)
}
