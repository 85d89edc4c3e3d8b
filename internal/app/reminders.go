package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/internal/app/platform"
	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
	"parley/internal/tools"
)

// late is the delay after which a reminder says that it is late.
const late = 2 * time.Minute

// remind sends due reminders. One that came due while the bot was down is sent once and
// says how late it is; a recurring one then continues from now.
func (c *chores) remind(ctx context.Context) error {
	if err := errors.Join(c.asker.Look(ctx), c.store.Agenda.Regain(ctx), c.tellLost(ctx)); err != nil {
		return err
	}
	platforms := make([]string, len(c.platforms.adapters))
	for i, p := range c.platforms.adapters {
		platforms[i] = p.Platform()
	}
	due, err := c.store.Agenda.DueReminders(ctx, platforms, jobLimit)
	if err != nil {
		return err
	}
	for _, r := range due {
		if !chat.Reaches(chat.On(c.platforms.adapters, r.Key.Platform), r.Key) {
			continue // somebody else sits at the terminal
		}
		if wanted, err := c.stillWanted(ctx, r); err != nil {
			return err
		} else if !wanted {
			continue
		}
		r.Ask = r.Ask && !c.asker.Elsewhere(r) // otherwise it is a plain reminder
		if r.Ask {
			if later, err := c.asker.Ask(ctx, r); err != nil || later {
				if err != nil {
					c.log.Warn("a question that asks itself", "reminder", r.ID, "err", err)
				}
				continue
			}
		}
		var next time.Time
		if r.Schedule != "" {
			r.Schedule = times.Anchored(r.Schedule, r.Zone, r.Due)
			if next, err = times.Next(r.Schedule, r.Zone, c.now()); err != nil {
				c.log.Warn("a reminder ends: its schedule has no next time", "reminder", r.ID, "err", err)
				next = time.Time{}
			}
		}
		var parts []chat.Part
		if !r.Ask {
			parts = c.reminderParts(c.people.speaker.With(ctx, r.User), r)
		}
		ok, err := c.store.Agenda.FireReminder(ctx, r, next, parts)
		if err != nil {
			return err
		}
		if ok {
			c.platforms.hub.Flush(r.Key)
		}
	}
	return nil
}

// reminderParts returns the message, with buttons for snooze and done.
func (c *chores) reminderParts(ctx context.Context, r agenda.Reminder) []chat.Part {
	said := catalog.Say(ctx, "⏰ %s", r.Text)
	named := r.User.Name != "" && !c.platforms.alone(r.Key)
	if named {
		said = catalog.Say(ctx, "⏰ %s: %s", r.User.Name, r.Text)
	}
	if behind := c.now().Sub(r.Due); behind > late {
		why := catalog.Say(ctx, "(I am %s late: I was not running.)", catalog.HowLong(ctx, behind))
		if r.Away == agenda.Back {
			why = catalog.Say(ctx, "(I am %s late: I could not write here.)", catalog.HowLong(ctx, behind))
		}
		said += " " + why
	}
	buttons := [][]chat.Button{{
		{Label: catalog.Text(ctx, "In 10 min"), Data: "/remind snooze " + tools.Key(r.RowKey()) + " 10m"},
		{Label: catalog.Text(ctx, "In 1 h"), Data: "/remind snooze " + tools.Key(r.RowKey()) + " 1h"},
		{Label: catalog.Text(ctx, "Done"), Data: "/remind done " + tools.Key(r.RowKey())},
	}}
	parts := c.platforms.parts(r.Key, r.User, said)
	if len(parts) > 0 {
		parts[0].Ping = named
		parts[len(parts)-1].Buttons = buttons
	}
	return parts
}

// stillWanted reports whether to send a due reminder. It waits while its person has left
// the place or blocked the bot, and ends if they may no longer write.
func (c *chores) stillWanted(ctx context.Context, r agenda.Reminder) (bool, error) {
	why, err := c.unwanted(ctx, r.User, r.Key)
	switch {
	case err != nil || why == "":
		return err == nil, err
	case why == absent:
		return false, c.store.Agenda.LoseReminder(ctx, r.ID)
	}
	return false, c.store.Agenda.EndReminder(ctx, r.ID, why)
}

// How long a place must be lost before people hear of it, and how long the same reminder
// is then not mentioned again.
const (
	lostFor     = time.Minute
	lostSilence = 7 * 24 * time.Hour
)

// tellLost tells people in their direct chats, once per place, which reminders wait
// because the bot can no longer write there.
func (c *chores) tellLost(ctx context.Context) error {
	list, err := c.store.Agenda.Lost(ctx, c.now().Add(-lostFor), c.now().Add(-lostSilence), jobLimit)
	for err == nil && len(list) > 0 {
		n := 1
		for n < len(list) && list[n].User.ID == list[0].User.ID && list[n].Key == list[0].Key {
			n++
		}
		err = c.tellOfPlace(ctx, list[:n])
		list = list[n:]
	}
	return err
}

// tellOfPlace is tellLost for one person and place. Without a direct chat, the person is
// not told.
func (c *chores) tellOfPlace(ctx context.Context, list []agenda.Reminder) error {
	who, place := list[0].User, list[0].Key
	direct, err := c.store.People.DirectChat(ctx, who.ID)
	if errors.Is(err, memory.ErrNotFound) || err == nil && direct == place {
		return c.store.Agenda.TellLost(ctx, list, nil)
	}
	if err != nil {
		return err
	}
	if why, err := c.unwanted(ctx, who, direct); err != nil || why != "" {
		if err != nil {
			return err
		}
		return c.store.Agenda.TellLost(ctx, list, nil)
	}
	called, err := c.store.Browse.Person(ctx, chat.PlaceID(place))
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Away = agenda.AtHand // the sentence above covers it
	}
	ctx = c.people.speaker.With(ctx, who)
	lines := c.people.planner().Lines(ctx, tools.Call{Who: who, Direct: true}, list)
	said := catalog.Say(ctx, "I can no longer write to you in %s. These reminders wait until I can, and are said late then; "+
		"“/remind cancel” and the number ends one:", called) + "\n" + strings.Join(lines, "\n")
	if err := c.store.Agenda.TellLost(ctx, list, c.platforms.parts(direct, who, said)); err != nil {
		return err
	}
	c.platforms.hub.Flush(direct)
	return nil
}

// absent: somebody left the place or blocked the bot.
const absent = "absent"

// unwanted returns why nothing may be sent to somebody unasked: they left the place,
// blocked the bot, or may no longer write. "" means it may be sent.
func (c *chores) unwanted(ctx context.Context, who chat.User, k chat.Key) (string, error) {
	out, err := c.store.Access.Absent(ctx, who.ID, k)
	if err != nil {
		return "", err
	}
	if out {
		return absent, nil
	}
	granted, err := c.store.Access.Granted(ctx, who.ID)
	if err != nil || granted == "denied" {
		return granted, err
	}
	if p, _ := platform.Named(k.Platform); p.Servers && !c.platforms.alone(k) {
		return "", nil // the whole server may be allowed, and its id is unknown here
	}
	// As in a direct chat, so that no platform is asked about administrators.
	role, err := c.people.gate.Role(ctx, chat.Message{Key: k, From: who, Direct: true})
	if err == nil && role < gate.Member {
		return "revoked", nil
	}
	return "", err
}
