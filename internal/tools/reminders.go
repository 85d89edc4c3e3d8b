package tools

import (
	"context"
	_ "embed" // descriptions
	"fmt"
	"strings"
	"time"
	"unicode"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/memory/agenda"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

//go:embed set_reminder.md
var setReminderText string

//go:embed list_reminders.md
var listRemindersText string

//go:embed cancel_reminder.md
var cancelReminderText string

//go:embed set_time_zone.md
var setTimeZoneText string

// Planner handles people's time: reminders and journals. The tools and the slash
// commands share it.
type Planner struct {
	Store *memory.Store
	Now   func() time.Time
	// Zone is a person's IANA time zone, "" when unknown.
	Zone func(context.Context, chat.User) string
	// Next returns when a schedule is next due after a moment. Its error can be
	// shown to people: never due, due too often, or unreadable.
	Next func(schedule, zone string, after time.Time) (time.Time, error)
	// Logged is told of each line of a journal; nil of none.
	Logged   func(context.Context, Call, agenda.LogEntry)
	Currency string // of what questions cost
}

// place returns a person's time zone and whether it is known.
func (k Planner) place(ctx context.Context, who chat.User) (*time.Location, bool) {
	zone := k.Zone(ctx, who)
	loc, err := loadZone(zone)
	if zone == "" || err != nil {
		return time.UTC, false
	}
	return loc, true
}

// Plan stores a reminder for the caller, at a time in their own words, and says what it
// was set for; one for each of several times, all or none. r holds its text, and whether it
// asks.
func (k Planner) Plan(ctx context.Context, c Call, r agenda.Reminder, at string) (Result, error) {
	loc, known := k.place(ctx, c.Who)
	named, err := k.times(ctx, at, loc)
	if err != nil {
		return Result{}, err
	}
	r.User, r.Key, r.Guild, r.Origin, r.Agent = c.Who, c.Where, c.Guild, c.Origin, c.Memory.ID
	var all []agenda.Reminder
	for _, w := range named {
		r.Due, r.Schedule, r.Zone = w.At, w.Schedule, loc.String()
		all = append(all, r)
	}
	if all, err = k.Store.Agenda.AddReminders(ctx, all, c.Key); err != nil {
		return Result{}, err
	}
	words := "I will remind you (#%d) of “%s” on %s."
	switch {
	case r.OnlyChanged:
		words = "Question #%d is set: “%s”, for %s. I answer it once, and then only when something has changed."
	case r.Ask:
		words = "Question #%d is set: “%s”, for %s. I ask it then and answer here."
	}
	var said []string
	for i, r := range all {
		said = append(said, catalog.Say(ctx, words, r.Number, r.Text, dueText(ctx, r, shown(loc, c, r.Due))))
		for _, n := range named[i].Notes {
			said = append(said, n.In(catalog.Of(ctx)))
		}
	}
	if !known {
		said = append(said, catalog.Text(ctx, "(I don't know your time zone and used UTC: tell me, or use /remind zone Europe/Zurich.)"))
	}
	return Result{Content: strings.Join(said, " "), Origin: all[0].Origin, Private: true}, nil
}

// times reads the times that somebody named. At of a rhythm is when it is next due.
func (k Planner) times(ctx context.Context, at string, loc *time.Location) ([]times.Time, error) {
	all, err := times.All(at, k.Now(), loc, catalog.Of(ctx).Tag())
	for i, w := range all {
		if w.Schedule == "" {
			continue
		}
		if all[i].At, err = k.Next(w.Schedule, loc.String(), k.Now()); err != nil {
			return nil, err
		}
	}
	return all, err
}

// dueText returns a reminder's next time and its rhythm, both on one clock: that of the rhythm
// where somebody's own shows another time, since they moved or said where they are.
func dueText(ctx context.Context, r agenda.Reminder, loc *time.Location) string {
	if own, err := loadZone(r.Zone); r.Schedule != "" && r.Zone != "" && err == nil {
		name, offset := r.Due.In(own).Zone()
		if _, shows := r.Due.In(loc).Zone(); shows != offset {
			if own != time.UTC {
				name = r.Due.In(own).Format("UTC-07:00") // others may read along
			}
			loc = time.FixedZone(name, offset)
		}
	}
	text := catalog.Time(ctx, r.Due.In(loc), "Monday, 2 January 2006 at 15:04 MST")
	if r.Schedule != "" {
		text += catalog.Say(ctx, ", and then %s", times.Rhythm(r.Schedule, catalog.Of(ctx)))
	}
	return text
}

// ReminderOperations are what can be done with a person's reminders. What to remind of
// and when are typed in one line, which /remind reads: these have no command here.
func ReminderOperations(k Planner) []Operation {
	return []Operation{setReminder(k), scheduleQuestion(k), listReminders(k), moveReminder(k), moveReminders(k),
		cancelReminder(k.Store), cancelReminders(k), setTimeZone(k)}
}

// NoReminder tells people where to find the reminders there are.
func NoReminder(err error) error {
	return text.Instead(err, agenda.ErrNoReminder, "There is no such reminder. /remind list shows yours.")
}

func setReminder(k Planner) Operation {
	type args struct {
		Text string `json:"text" jsonschema:"what to remind of"`
		When string `json:"when" jsonschema:"the time, in the person's own words, or a cron expression"`
	}
	meta := core("set_reminder", setReminderText, Task).writes().keyed().rows().says("reminds you at a time")
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		loc, _ := k.place(ctx, c.Who)
		all, err := k.times(ctx, a.When, loc)
		var due []string
		for _, w := range all {
			due = append(due, dueText(ctx, agenda.Reminder{Due: w.At, Schedule: w.Schedule}, shown(loc, c, w.At)))
		}
		return sentence(ctx, "Remind you of \"%s\" on %s?", a.Text, times.Listed(due, catalog.Of(ctx))), err
	})
	meta.Own = owning(func(a args) string { return a.Text })
	return Declare(meta, Face{Private: true, Text: "text"}, func(ctx context.Context, c Call, a args) (Result, error) {
		return k.Plan(ctx, c, agenda.Reminder{Text: a.Text}, a.When)
	})
}

func listReminders(k Planner) Operation {
	type args struct{}
	meta := core("list_reminders", listRemindersText, Task).reads().onDemand().says("lists your reminders")
	face := Face{Command: "remind list", Help: "What is waiting", Private: true}
	return Declare(meta, face, func(ctx context.Context, c Call, _ args) (Result, error) {
		list, err := k.Store.Agenda.Reminders(ctx, viewer(c))
		if err != nil {
			return Result{}, err
		}
		r := Result{Content: catalog.Text(ctx, "You have no reminders waiting here."), Data: Rows{
			Head: catalog.Text(ctx, "Your reminders:"), Lines: k.Lines(ctx, c, list),
			None: catalog.Text(ctx, "You have no reminders waiting here. Try /remind in 10 minutes to stretch.")}}
		for _, m := range list {
			r.found(c.Who.ID, m.Origin)
		}
		return r, nil
	})
}

// Lines are reminders as their owner reads them.
func (k Planner) Lines(ctx context.Context, c Call, list []agenda.Reminder) []string {
	loc, _ := k.place(ctx, c.Who)
	lines := make([]string, len(list))
	for i, r := range list {
		lines[i] = fmt.Sprintf("- #%d %s: %s", r.Number, dueText(ctx, r, shown(loc, c, r.Due)), k.asks(ctx, r)+r.Text)
		if r.Away == agenda.Lost {
			lines[i] += catalog.Text(ctx, " (waits until I can write there again)")
		}
	}
	return lines
}

// asks says of a question that asks itself what it is, and what it took so far; ""
// for a reminder that is only said.
func (k Planner) asks(ctx context.Context, r agenda.Reminder) string {
	if !r.Ask {
		return ""
	}
	words := "(a question, asked %s) "
	if r.OnlyChanged {
		words = "(a question, only if something changed, asked %s) "
	}
	spent, err := k.Store.Agenda.Spent(ctx, r)
	if err != nil {
		return catalog.Say(ctx, words, catalog.Words("an unknown number of times"))
	}
	cost := catalog.Many(ctx, spent.Times, "time") + ", " + catalog.Many(ctx, spent.Tokens, "token")
	if spent.Cost > 0 {
		cost += fmt.Sprintf(", %.4f %s", spent.Cost, k.Currency)
	}
	return catalog.Say(ctx, words, cost)
}

//go:embed ask_later.md
var scheduleText string

func scheduleQuestion(k Planner) Operation {
	type args struct {
		Question    string `json:"question" jsonschema:"what to ask then, as the person would ask you"`
		When        string `json:"when" jsonschema:"the time, in the person's own words, or a cron expression"`
		OnlyChanged bool   `json:"only_if_changed,omitempty" jsonschema:"stay silent while nothing has changed"`
	}
	meta := core("ask_later", scheduleText, Task).writes().keyed().rows().onDemand().says(
		"asks itself a question for you at a time, and tells you the answer")
	meta.Ask = asking(func(ctx context.Context, c Call, a args) (string, error) {
		return withRest(sentence(ctx, "Ask %s by myself, %s, and answer here?", a.Question, a.When), c, a.OnlyChanged), nil
	})
	meta.Own = owning(func(a args) string { return a.Question })
	return Declare(meta, Face{Private: true, Text: "question"}, func(ctx context.Context, c Call, a args) (Result, error) {
		return k.Plan(ctx, c, agenda.Reminder{Text: a.Question, Asking: agenda.Asking{Ask: true, OnlyChanged: a.OnlyChanged}}, a.When)
	})
}

func cancelReminder(store *memory.Store) Operation {
	meta := core("cancel_reminder", cancelReminderText, Task).writes().rows().onDemand().says("cancels a reminder")
	meta.Ask = asking(func(ctx context.Context, c Call, a named) (string, error) {
		r, err := reminderOf(ctx, store, c, a)
		return sentence(ctx, "Cancel the reminder \"%s\"?", r.Text), err
	})
	which := Arg{Name: "number", Of: "id", Help: "number of the reminder", Required: true, Offer: Offered(
		func(ctx context.Context, v provenance.Viewer) ([]agenda.Reminder, error) {
			return store.Agenda.Reminders(ctx, v)
		},
		func(row agenda.Reminder) (int64, int64, string) { return row.RowKey(), row.Number, row.Text })}
	face := Face{Command: "remind cancel", Help: "Cancel a reminder", Args: []Arg{which}, Private: true, Absent: NoReminder}
	return Declare(meta, face, func(ctx context.Context, c Call, a named) (Result, error) {
		r, err := reminderOf(ctx, store, c, a)
		if err == nil {
			r, err = store.Agenda.CancelReminder(ctx, viewer(c), r.ID)
		}
		return worded(ctx, deed{r.Origin, err}, "Cancelled: #%d %s", r.Number, r.Text)
	})
}

func setTimeZone(k Planner) Operation {
	type args struct {
		Zone string `json:"zone" jsonschema:"IANA name such as Europe/Zurich"`
	}
	meta := core("set_time_zone", setTimeZoneText, About).writes().rows().onDemand().says("remembers your time zone")
	meta.Ask = about("Set your time zone to %s?", func(a args) []string { return []string{a.Zone} })
	meta.Own = owning(func(a args) string { return a.Zone })
	face := Face{Command: "remind zone", Help: "Your time zone", Private: true,
		Args: []Arg{{Name: "name", Of: "zone", Help: "such as Europe/Zurich", Suggest: suggestZone}}}
	return Declare(meta, face, func(ctx context.Context, c Call, a args) (Result, error) {
		name, err := k.SetZone(ctx, c.Who, a.Zone)
		return worded(ctx, deed{err: err}, "Your time zone is %s now.", name)
	})
}

// SetZone stores a person's time zone and returns its name. Case does not matter;
// an unknown zone is an error that can be shown to people.
func (k Planner) SetZone(ctx context.Context, who chat.User, zone string) (name string, err error) {
	for _, name := range []string{zone, titled(zone), strings.ToUpper(zone)} {
		if _, err := loadZone(name); err == nil && name != "" {
			return name, k.Store.People.SetTimeZone(ctx, who.ID, name)
		}
	}
	return "", text.Tell("I don't know that time zone. Use a name such as Europe/Zurich, America/New_York or UTC.")
}

// titled capitalizes the words of a zone's name: america/new_york is
// America/New_York.
func titled(zone string) string {
	start := true
	return strings.Map(func(r rune) rune {
		if start {
			r = unicode.ToUpper(r)
		} else {
			r = unicode.ToLower(r)
		}
		start = r == '/' || r == '_' || r == '-'
		return r
	}, strings.ReplaceAll(strings.TrimSpace(zone), " ", "_"))
}
