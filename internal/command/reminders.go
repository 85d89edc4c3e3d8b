package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/agenda"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
	"parley/internal/tools"
)

// Reminders is /remind.
type Reminders struct {
	// Planner understands people's times, as it does for the model's tools.
	Planner tools.Planner
	// Location is where a person's clock is.
	Location func(context.Context, chat.User) *time.Location
}

func (s Reminders) command() gate.Command {
	all := tools.ReminderOperations(s.Planner)
	what := gate.Option{Name: "what", Help: "what and when: “in 10 minutes to stretch”, “water the plants every Monday at 9”"}
	list, cancel := operated(all, "remind list"), operated(all, "remind cancel")
	run := func(ctx context.Context, r gate.Request) (chat.Answer, error) {
		if r.Args["what"] == "" {
			return list.Run(ctx, r)
		}
		return s.add(ctx, r)
	}
	return gate.Command{Name: "remind", Help: "Reminders", First: 3, Effect: gate.ReadsBare, Private: true, Alone: true,
		Options: []gate.Option{what}, Run: run, Verbs: []gate.Command{
			{Name: "add", Help: "Remind me", Alone: true, Options: []gate.Option{what}, Run: run},
			list, operated(all, "remind move"), operated(all, "remind shift"), cancel, operated(all, "remind clear"),
			{Name: "done", Help: "That is done", Alone: true, Options: cancel.Options, Run: s.done},
			{Name: "snooze", Help: "Say it again later", Alone: true, Run: s.snooze,
				Options: append(slices.Clip(cancel.Options), gate.Option{Name: "time", Help: "10m, 1h, or words such as “tomorrow at 9”; 10m if you leave it out"})},
			operated(all, "remind zone"),
		}}
}

// meant returns the key of the reminder that was named.
func (s Reminders) meant(ctx context.Context, r gate.Request) (int64, error) {
	id, err := row(r, "number", func(number int64) (int64, error) {
		return s.Planner.Store.Agenda.ReminderID(ctx, provenance.ViewerOf(r.Message), number)
	})
	return id, tools.NoReminder(err)
}

func (s Reminders) done(ctx context.Context, r gate.Request) (chat.Answer, error) {
	id, err := s.meant(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	m, err := s.Planner.Store.Agenda.FinishReminder(ctx, provenance.ViewerOf(r.Message), id)
	return chat.Answer{Text: catalog.Say(ctx, "Well done: #%d %s", m.Number, m.Text)}, tools.NoReminder(err)
}

func (s Reminders) add(ctx context.Context, r gate.Request) (chat.Answer, error) {
	at, what, err := times.Split(r.Args["what"], s.Planner.Now(), catalog.Of(ctx).Tag())
	switch {
	case err != nil:
		return chat.Answer{}, err
	case at == "":
		return say(ctx, "I can't find a time in that. Try /remind in 10 minutes to stretch, or /remind water the plants every Monday at 9.")
	case what == "" && strings.TrimSpace(r.Message.Quote) != "": // of the message that it replies to
		what, r.Quoted = text.ShortenWords(strings.Join(strings.Fields(r.Message.Quote), " "), longestQuote), true
	case what == "":
		return say(ctx, "What shall I remind you of? Say it with the time: /remind %s to stretch.", at)
	}
	call, due := tools.CallOf(r.Message), agenda.Reminder{Text: what}
	if call.Origin = passedOn(r); !r.Quoted {
		due = question(what)
	}
	planned, err := s.Planner.Plan(ctx, call, due, at)
	return chat.Answer{Text: planned.Content}, err
}

var (
	asksSelf    = text.Pattern(`(?is)^(?:ask|frag|fragen|frage|demande|pregunta):\s*(.+)$`)
	onlyChanged = text.Pattern(
		`(?i)[\s,;.:–—-]*\b(?:but )?only (?:if|when) (?:it|that|something|anything|they)(?:'s| has| have)? changed\b[\s.,:;]*|[\s,;.:–—-]*\bnur wenn sich (?:etwas|was) (?:ge)?ändert(?: hat)?\b[\s.,:;]*`)
)

// question reads what somebody wants to be told: "ask: …" is a question that asks
// itself, with "only if it changed" in silence while nothing does.
func question(what string) agenda.Reminder {
	found := asksSelf().FindStringSubmatch(what)
	if found == nil {
		return agenda.Reminder{Text: what}
	}
	r := agenda.Reminder{Text: found[1], Asking: agenda.Asking{Ask: true}}
	if rest := strings.TrimSpace(onlyChanged().ReplaceAllString(r.Text, " ")); rest != r.Text && rest != "" {
		r.Text, r.OnlyChanged = rest, true
	}
	return r
}

// longestQuote is how much of a message is said again, in characters.
const longestQuote = 300

// How long a reminder is put off: unless something else is said, and at least
// and at most as a bare duration.
const (
	snoozeUsual = 10 * time.Minute
	snoozeLeast = time.Minute
	snoozeMost  = 30 * 24 * time.Hour
)

func (s Reminders) snooze(ctx context.Context, r gate.Request) (chat.Answer, error) {
	due := s.Planner.Now().Add(snoozeUsual)
	if words := r.Args["time"]; words != "" {
		if d, err := time.ParseDuration(words); err == nil && d >= snoozeLeast && d <= snoozeMost {
			due = s.Planner.Now().Add(d)
		} else {
			w, err := times.Parse(words, s.Planner.Now(), s.Location(ctx, r.Message.From), catalog.Of(ctx).Tag())
			if errors.As(err, new(*times.Partial)) {
				return chat.Answer{}, err
			}
			if err != nil || w.Schedule != "" {
				return say(ctx, "I don't understand that time. Try 10m, 1h or “tomorrow at 9”.")
			}
			due = w.At
		}
	}
	id, err := s.meant(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	m, err := s.Planner.Store.Agenda.SnoozeReminder(ctx, provenance.ViewerOf(r.Message), id, due)
	if err != nil {
		return chat.Answer{}, tools.NoReminder(err)
	}
	return say(ctx, "I will say it again in %[2]s: %[1]s", m.Text, catalog.HowLong(ctx, due.Sub(s.Planner.Now())+time.Second))
}
