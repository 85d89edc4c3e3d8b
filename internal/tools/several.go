package tools

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"parley/internal/memory/agenda"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

//go:embed cancel_reminders.md
var cancelRemindersText string

//go:embed move_reminders.md
var moveRemindersText string

// cancelReminders ends all of a person's reminders, or those of a day.
func cancelReminders(k Planner) Operation {
	type args struct {
		Day string `json:"day,omitempty" jsonschema:"only those due on this day, in the person's own words"`
	}
	meta := core("cancel_reminders", cancelRemindersText, Task).writes().rows().onDemand().says("cancels all of your reminders")
	meta.Confirm = true
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		all, err := k.dueOn(ctx, c, a.Day, true)
		return catalog.Say(ctx, "Cancel all of these reminders: %s?", listed(ctx, all, exactly)), err
	})
	face := Face{Command: "remind clear", Help: "Cancel all reminders, or those of a day", Private: true,
		Args: []Arg{{Name: "day", Help: "only those of this day", Long: true}}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		all, err := k.dueOn(ctx, c, a.Day, true)
		if err == nil {
			all, err = k.Store.Agenda.CancelReminders(ctx, viewer(c), all)
		}
		if err != nil {
			return Result{}, err
		}
		r := Result{Content: catalog.Say(ctx, "Cancelled: %s.", listed(ctx, all, quoted(ctx))), Private: true}
		for _, one := range all {
			r.found(c.Who.ID, one.Origin)
		}
		return r, nil
	})
}

// moveReminders moves what is due on a day to another.
func moveReminders(k Planner) Operation {
	type args struct {
		Day  string `json:"day" jsonschema:"the day whose reminders are meant, in the person's own words"`
		When string `json:"when" jsonschema:"the day to move them to, in the person's own words"`
	}
	meta := core("move_reminders", moveRemindersText, Task).writes().rows().onDemand().says("moves all of a day's reminders to another day")
	meta.Confirm = true
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		all, err := k.shifted(ctx, c, a.Day, a.When)
		if err != nil {
			return "", err
		}
		return catalog.Say(ctx, "Move these reminders to %[2]s: %[1]s?", listed(ctx, all, exactly), k.dayOf(ctx, c, all[0])), nil
	})
	face := Face{Command: "remind shift", Help: "Move all reminders of a day to another", Private: true,
		Args: []Arg{{Name: "day", Help: "the day whose reminders are meant", Required: true},
			{Name: "to", Of: "when", Help: "the day to move them to", Required: true, Long: true}}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		all, err := k.shifted(ctx, c, a.Day, a.When)
		if err == nil {
			all, err = k.Store.Agenda.MoveReminders(ctx, viewer(c), all)
		}
		if err != nil {
			return Result{}, err
		}
		r := Result{Content: catalog.Say(ctx, "Moved to %[2]s: %[1]s.", listed(ctx, all, quoted(ctx)), k.dayOf(ctx, c, all[0])), Private: true}
		for _, one := range all {
			r.found(c.Who.ID, one.Origin)
		}
		return r, nil
	})
}

// dueOn returns a person's waiting reminders that are due on a day, "" is any; again has those
// that come again and again, too. It is an error that can be shown if there are none.
func (k Planner) dueOn(ctx context.Context, c Call, day string, again bool) (found []agenda.Reminder, err error) {
	all, err := k.Store.Agenda.Reminders(ctx, viewer(c))
	if err != nil {
		return nil, err
	}
	loc, _ := k.place(ctx, c.Who)
	on, ok := times.Day(day, k.Now().In(loc), catalog.Of(ctx).Tag())
	if day != "" && !ok {
		return nil, text.Tell("“%s” is no day that I understand.", day)
	}
	for _, r := range all {
		if (day == "" || sameDay(on, r.Due.In(loc))) && (again || r.Schedule == "") {
			found = append(found, r)
		}
	}
	switch {
	case len(all) == 0:
		return nil, text.Tell("You have no reminders waiting here.")
	case len(found) == 0:
		return nil, text.Tell("You have no such reminder on “%s”.", day)
	}
	return found, nil
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// shifted returns the reminders of a day as they are to be on another.
func (k Planner) shifted(ctx context.Context, c Call, day, to string) ([]agenda.Reminder, error) {
	all, err := k.dueOn(ctx, c, day, false)
	if err != nil {
		return nil, err
	}
	loc, _ := k.place(ctx, c.Who)
	on, ok := times.Day(to, k.Now().In(loc), catalog.Of(ctx).Tag())
	if !ok {
		return nil, text.Tell("“%s” is no day that I understand.", to)
	}
	for i, r := range all {
		at := r.Due.In(loc)
		all[i].Due = time.Date(on.Year(), on.Month(), on.Day(), at.Hour(), at.Minute(), at.Second(), 0, loc)
		if !all[i].Due.After(k.Now()) {
			return nil, text.Tell("That time (%s) is past.", all[i].Due.Format("2006-01-02 15:04 MST"))
		}
	}
	return all, nil
}

func exactly(said string) string { return `"` + text.Exact(said) + `"` }

func quoted(ctx context.Context) func(string) string {
	return func(said string) string { return catalog.Say(ctx, "“%s”", strings.TrimSpace(said)) }
}

// listed names reminders in a sentence, their words as a function shows them.
func listed(ctx context.Context, all []agenda.Reminder, show func(string) string) string {
	named := make([]string, len(all))
	for i, r := range all {
		named[i] = show(r.Text)
	}
	return times.Listed(named, catalog.Of(ctx))
}

// dayOf says on which day a reminder is due, on its person's clock.
func (k Planner) dayOf(ctx context.Context, c Call, r agenda.Reminder) string {
	loc, _ := k.place(ctx, c.Who)
	return catalog.Time(ctx, r.Due.In(loc), "Monday, 2 January 2006")
}
