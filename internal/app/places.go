package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/chat"
	"parley/internal/command/welcome"
	"parley/internal/memory/access"
	"parley/internal/text/catalog"
)

// shownFor is how long a place that nothing waits for counts as a fault: by then somebody
// meant it.
const shownFor = 7 * 24 * time.Hour

// closed counts the places where nothing can be written and what waits for them. That a
// person blocked the bot is no fault.
func (v *vitals) closed() (places, parts int) {
	ctx := context.Background()
	list, err := v.storage.store.Access.Closings(ctx)
	if err != nil || len(list) == 0 {
		return 0, 0
	}
	kept, err := v.storage.store.KeptFor(ctx)
	for _, c := range list {
		lately := c.State == chat.Shut && v.now().Sub(c.Since) < shownFor
		if c.Back || c.State == chat.Barred || err != nil || kept[c.Key] == 0 && !lately {
			continue
		}
		places++
		parts += kept[c.Key]
	}
	return places, parts
}

// tellClosed tells an owner once of each place where nothing can be written for a while,
// and when that is over. Who blocked the bot is nobody's business but the desk's.
func (c *chores) tellClosed(ctx context.Context) error {
	list, err := c.store.Access.Closings(ctx)
	for _, one := range list {
		if err != nil {
			break
		}
		err = c.tellOfClosing(ctx, one)
	}
	if errors.Is(err, welcome.ErrNobody) { // whoever comes to own the bot hears of it then
		return nil
	}
	return err
}

func (c *chores) tellOfClosing(ctx context.Context, one access.Closing) error {
	switch {
	case one.Back:
		if err := c.tellOwner(ctx, one, 0); err != nil {
			return err
		}
		return c.store.Access.Heard(ctx, one, c.now())
	case one.Told() || c.now().Sub(one.Since) < lostFor:
		return nil
	case one.State == chat.Barred:
		return c.store.Access.Heard(ctx, one, time.Time{})
	}
	kept, err := c.store.KeptFor(ctx)
	if err != nil {
		return err
	}
	matters, err := c.store.Matters(ctx, one.Key)
	if err != nil {
		return err
	}
	if one.State == chat.Left && kept[one.Key] == 0 && !matters { // somebody sent the bot away, and nothing is lost
		return c.store.Access.Heard(ctx, one, time.Time{})
	}
	if err := c.tellOwner(ctx, one, kept[one.Key]); err != nil {
		return err
	}
	return c.store.Access.Heard(ctx, one, c.now())
}

func (c *chores) tellOwner(ctx context.Context, one access.Closing, kept int) error {
	called, err := c.store.Browse.Person(ctx, chat.PlaceID(one.Key))
	if err != nil {
		return err
	}
	what, say := "closed", func(p catalog.Printer) string {
		said := p.Say("I can no longer write in %s: the platform refuses it.", called)
		if one.State == chat.Left {
			said = p.Say("I was removed from %s.", called)
		}
		if kept > 0 {
			said += " " + p.Say("Kept until I can write there again, for a week at most: %s.", catalog.Count{N: kept, Thing: "message"})
		}
		return said + " " + p.Text("What was set up for that place stays as it is, and goes on when I am back.")
	}
	if one.Back {
		what, say = "open", func(p catalog.Printer) string {
			return p.Say("I can write in %s again. What was kept for it goes out.", called)
		}
	}
	n := welcome.Told(fmt.Sprintf("%s %s %d", what, one.Key, one.Since.UnixMilli()), say)
	n.Platform = one.Key.Platform
	return c.front.manners().Tell(ctx, n)
}
