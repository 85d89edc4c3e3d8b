package app

import (
	"context"
	"fmt"
	"time"

	"parley/internal/agenda"
	"parley/internal/chat"
	"parley/internal/tongue"
	"parley/internal/when"
)

// late is how long after its time a reminder mentions that it is late.
const late = 2 * time.Minute

// remind sends due reminders. One that came due while the bot was not running is sent
// once, with how late it is; a recurring one then continues from now.
func (c *chores) remind(ctx context.Context) error {
	if err := c.asker.Look(ctx); err != nil {
		return err
	}
	platforms := make([]string, len(c.platforms.adapters))
	for i, p := range c.platforms.adapters {
		platforms[i] = p.Platform()
	}
	due, err := c.store.DueReminders(ctx, platforms, jobLimit)
	if err != nil {
		return err
	}
	for _, r := range due {
		if why, err := c.unwanted(ctx, r.User, r.Key); err != nil || why != "" {
			if err == nil {
				err = c.store.EndReminder(ctx, r.ID, why)
			}
			if err != nil {
				return err
			}
			continue
		}
		r.Ask = r.Ask && !c.asker.Elsewhere(r) // else it is said like any other
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
			r.Schedule = when.Anchored(r.Schedule, r.Zone, r.Due)
			if next, err = when.Next(r.Schedule, r.Zone, c.now()); err != nil {
				c.log.Warn("a reminder ends: its schedule has no next time", "reminder", r.ID, "err", err)
				next = time.Time{}
			}
		}
		var parts []chat.Part
		if !r.Ask {
			parts = c.reminderParts(c.people.speaker.With(ctx, r.User), r)
		}
		ok, err := c.store.FireReminder(ctx, r, next, parts)
		if err != nil {
			return err
		}
		if ok {
			c.platforms.hub.Flush(r.Key)
		}
	}
	return nil
}

// reminderParts returns the words, with buttons to snooze and to be done.
func (c *chores) reminderParts(ctx context.Context, r agenda.Reminder) []chat.Part {
	said := tongue.Say(ctx, wordsReminder, r.Text)
	named := r.User.Name != "" && !c.platforms.alone(r.Key)
	if named {
		said = tongue.Say(ctx, wordsReminderFor, r.User.Name, r.Text)
	}
	if behind := c.now().Sub(r.Due); behind > late {
		said += " " + tongue.Say(ctx, wordsReminderLate, tongue.HowLong(ctx, behind))
	}
	buttons := [][]chat.Button{{
		{Label: tongue.Text(ctx, wordsSnooze10), Data: fmt.Sprintf("/remind snooze %d 10m", r.ID)},
		{Label: tongue.Text(ctx, wordsSnooze60), Data: fmt.Sprintf("/remind snooze %d 1h", r.ID)},
		{Label: tongue.Text(ctx, wordsReminderDone), Data: fmt.Sprintf("/remind done %d", r.ID)},
	}}
	var parts []chat.Part
	for i, piece := range chat.On(c.platforms.adapters, r.Key.Platform).Split(chat.Seen(said)) {
		parts = append(parts, chat.Part{Key: r.Key, Index: i, Text: piece, To: r.User, Ping: i == 0 && named})
	}
	if len(parts) > 0 {
		parts[len(parts)-1].Buttons = buttons
	}
	return parts
}
