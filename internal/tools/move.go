package tools

import (
	"context"
	_ "embed"
	"strings"

	"parley/internal/memory/agenda"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

//go:embed move_reminder.md
var moveReminderText string

// moveReminder gives a reminder another time.
func moveReminder(k Planner) Operation {
	type args struct {
		named
		When string `json:"when" jsonschema:"the new time, in the person's own words"`
	}
	meta := core("move_reminder", moveReminderText, Task).writes().rows().onDemand().says("moves a reminder to another time")
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		r, _, err := k.moved(ctx, c, a.named, a.When)
		return sentence(ctx, "Remind you of \"%s\" on %s?", r.Text, k.due(ctx, c, r)), err
	})
	meta.Own = asking(func(ctx context.Context, c Call, a args) (string, error) {
		r, err := reminderOf(ctx, k.Store, c, a.named)
		return r.Text, err
	})
	list := cancelReminder(k.Store).Face.Args[0]
	face := Face{Command: "remind move", Help: "Give a reminder another time", Private: true, Absent: NoReminder,
		Args: []Arg{list, {Name: "time", Of: "when", Help: "such as “tomorrow at 9”; “17:00” is on its day", Required: true, Long: true}}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		r, notes, err := k.moved(ctx, c, a.named, a.When)
		if err == nil {
			r, err = k.Store.Agenda.MoveReminder(ctx, viewer(c), r)
		}
		if err != nil {
			return Result{}, err
		}
		said := []string{catalog.Say(ctx, "I will remind you (#%d) of “%s” on %s.", r.Number, r.Text, k.due(ctx, c, r))}
		for _, n := range notes {
			said = append(said, n.In(catalog.Of(ctx)))
		}
		return Result{Content: strings.Join(said, " "), Origin: r.Origin, Private: true}, nil
	})
}

// due says when a reminder is due, on its person's clock.
func (k Planner) due(ctx context.Context, c Call, r agenda.Reminder) string {
	loc, _ := k.place(ctx, c.Who)
	return dueText(ctx, r, shown(loc, c, r.Due))
}

// moved returns the reminder that is meant as it is to be at another time.
func (k Planner) moved(ctx context.Context, c Call, n named, when string) (r agenda.Reminder, notes []times.Note, err error) {
	if r, err = reminderOf(ctx, k.Store, c, n); err != nil {
		return r, nil, err
	}
	loc, _ := k.place(ctx, c.Who)
	w, err := times.Moved(when, r.Due.In(loc), k.Now(), catalog.Of(ctx).Tag())
	switch {
	case err != nil:
		return r, nil, err
	case r.Schedule != "" && w.Schedule == "":
		return r, nil, text.Tell("“%s” comes again and again, %s. Say how it is to come from now on, such as “every Monday at 17:00”.",
			r.Text, times.Rhythm(r.Schedule, catalog.Of(ctx)))
	case w.Schedule != "":
		if w.At, err = k.Next(w.Schedule, loc.String(), k.Now()); err != nil {
			return r, nil, err
		}
		r.Zone = loc.String()
	}
	r.Due, r.Schedule = w.At, w.Schedule
	return r, w.Notes, nil
}
