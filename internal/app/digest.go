package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/internal/chat"
	"parley/internal/command"
	"parley/internal/facts"
	"parley/internal/provenance"
)

const (
	digestHour = 9 // of the day, where the person is, from which the daily digest comes
	digestMost = 4 // facts in one
)

// dailyDigests tells people what was learned about them since the last time,
// once a day.
func (c *chores) dailyDigests(ctx context.Context) error { return c.digests(ctx, facts.DigestDaily) }

// digests sends those that are due of one kind.
func (c *chores) digests(ctx context.Context, kind string) error {
	due, err := c.store.DueDigests(ctx)
	if err != nil {
		return err
	}
	for _, d := range due {
		if c.digestKind(ctx, d) != kind || kind == facts.DigestDaily && !c.digestDay(ctx, d) {
			continue
		}
		if err := c.digest(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// digestKind is what somebody chose, or else what the settings say for owners;
// others are told below their answers alone.
func (c *chores) digestKind(ctx context.Context, d facts.Digest) string {
	if d.When == "" && !c.people.owns(ctx, d.User) {
		return facts.DigestOff
	}
	return cmp.Or(d.When, c.cfg.Memory.Digest)
}

// digestDay says that it is another day than when somebody last heard, and not too
// early.
func (c *chores) digestDay(ctx context.Context, d facts.Digest) bool {
	loc := c.people.location(ctx, chat.User{ID: d.User})
	now, sent := c.now().In(loc), d.Sent.In(loc)
	return now.Hour() >= digestHour && (d.Sent.IsZero() || now.YearDay() != sent.YearDay() || now.Year() != sent.Year())
}

// digest sends one to its person's direct chat; where there is none, nothing is
// told but below their answers.
func (c *chores) digest(ctx context.Context, d facts.Digest) error {
	k, err := c.store.DirectChat(ctx, d.User)
	if err != nil || !slices.ContainsFunc(c.platforms.adapters, func(p chat.Adapter) bool { return p.Platform() == k.Platform }) {
		return nil // nobody wrote there yet, or that platform is off
	}
	list, err := c.store.Learned(ctx, provenance.Viewer{User: d.User, Key: k, Direct: true}, d.Sent, digestMost+1, 0)
	if err != nil || len(list) == 0 {
		return err
	}
	shown := list[:min(len(list), digestMost)]
	answer := command.Learned(shown, 1, len(list) > digestMost)
	var parts []chat.Part
	for i, piece := range chat.On(c.platforms.adapters, k.Platform).Split(chat.Seen(answer.Text)) {
		parts = append(parts, chat.Part{Key: k, Index: i, Text: piece, To: chat.User{ID: d.User}})
	}
	parts[len(parts)-1].Buttons = answer.Buttons
	if err := c.store.Notify(ctx, fmt.Sprintf("digest %s %d", d.User, list[0].ID), parts); err != nil {
		return err
	}
	c.platforms.hub.Flush(k)
	return c.store.DigestSent(ctx, d.User, shown)
}
