package command

import (
	"context"
	"fmt"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	wordsShort    = "A private assistant that remembers: tasks, reminders, notes and what you tell it."
	wordsGreeting = "I remember what you tell me, keep your tasks, remind you, look things up and say where it is " +
		"from.\n\nJust write, in your own words. /help lists what else there is, /forget-me deletes everything about you."
)

// Actions is what can be done with a message from its menu.
var Actions = []chat.MenuAction{
	{Name: "Remember this", Command: "facts add"},
	{Name: "Remind me", Command: "remind add", Ask: "When? “in 2 hours”, “tomorrow at 9”, …"},
	{Name: "Why?", Command: "why"},
}

// About and Greeting say what the bot is before anybody writes to it.
const (
	About    = wordsShort
	Greeting = wordsGreeting
)

// mostChoices is how many rows are offered to choose from; platforms show fewer.
const mostChoices = 200

// undoable is the number of a change that can be taken back.
func (f Facts) undoable() gate.Option {
	o := gate.Option{Name: "number", Help: "number of the change, as its button has it; the latest when left out", Kind: gate.Number}
	offer := tools.Offered(func(ctx context.Context, v provenance.Viewer) ([]facts.Change, error) {
		return f.Rows.Undoables(ctx, v, mostChoices)
	}, func(c facts.Change) (int64, string) { return c.ID, outlined(c) })
	o.Offer = func(ctx context.Context, m chat.Message) []chat.Choice { return offer(ctx, provenance.ViewerOf(m)) }
	return o
}

// outlined is a change as a difference shows it.
func outlined(c facts.Change) string {
	return map[facts.Kind]string{facts.Added: "+ ", facts.Forgotten: "− ", facts.Replaced: c.Was + " → "}[c.Kind] + c.Fact.Content
}

// offer lists the sessions that somebody may see.
func (s Session) offer(ctx context.Context, m chat.Message) (choices []chat.Choice) {
	list, err := s.Past.List(ctx, s.viewer(ctx, gate.Request{Message: m}), mostChoices, 0)
	if err != nil {
		return nil
	}
	for _, se := range list {
		choices = append(choices, chat.Choice{Value: se.ID[:8], Label: fmt.Sprintf("%s – %s", se.ID[:8], titleOf(ctx, se))})
	}
	return choices
}

// offer lists the models there are.
func (l Model) offer(ctx context.Context, _ chat.Message) (choices []chat.Choice) {
	if l.List == nil {
		return nil
	}
	names, err := l.List(ctx)
	if err != nil {
		return nil
	}
	for _, name := range names {
		choices = append(choices, chat.Choice{Value: name})
	}
	return choices
}
