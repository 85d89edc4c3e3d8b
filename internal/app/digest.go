package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/memory"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
)

// digestHour is the local hour at which the daily digest arrives.
const digestHour = 9

// digests tells people what was learned about them since the last digest: with a session,
// those who want one when it ends; without, those who want one each morning. A failed
// digest is tried again next time.
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

// morning returns when the daily digest of now's day is due.
func morning(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day(), digestHour, 0, 0, 0, now.Location())
}

// digestKind returns what somebody chose, else the setting for owners; other people are
// told only below their answers.
func (c *chores) digestKind(ctx context.Context, d facts.Digest) string {
	if d.When == "" && !c.people.owns(ctx, d.User) {
		return facts.DigestOff
	}
	return cmp.Or(d.When, c.cfg.Memory.Digest)
}

// digest sends somebody, in their direct chat, what was learned up to until. Without such
// a chat it waits; they are told below their answers.
func (c *chores) digest(ctx context.Context, d facts.Digest, until time.Time) error {
	k, err := c.store.People.DirectChat(ctx, d.User)
	if errors.Is(err, memory.ErrNotFound) || err == nil && chat.On(c.platforms.adapters, k.Platform) == nil {
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
	parts := c.platforms.parts(k, to, answer.Text)
	parts[len(parts)-1].Buttons = answer.Buttons
	err = c.store.Digest(ctx, fmt.Sprintf("digest %s %d", d.User, list[0].ID), parts, shown, until)
	if err == nil {
		c.platforms.hub.Flush(k)
	}
	return err
}
