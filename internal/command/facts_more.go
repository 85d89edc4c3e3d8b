package command

import (
	"context"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// Said in more than one place.
const (
	wordsFactKept    = "I keep this (#%d): %s"
	wordsFactKeptNot = wordsFactKept + "\nForgotten: “%s”."
)

// maxButton is the most bytes that a button's command may have.
const maxButton = 64

func (f Facts) search(ctx context.Context, r gate.Request) (chat.Answer, error) {
	page := max(r.Number("page", 1), 1)
	q := facts.Query{Text: r.Args["text"], Tag: r.Args["tag"], Limit: listPage + 1, Offset: (page - 1) * listPage}
	loc, err := f.Location(ctx, r.Message.From), error(nil)
	for name, at := range map[string]*time.Time{"since": &q.Since, "before": &q.Before} {
		if *at, err = dayOf(catalog.Of(ctx), r.Args[name], r.Message.At.In(loc)); err != nil {
			return chat.Answer{}, err
		}
	}
	list, err := f.Find.FindFacts(ctx, provenance.ViewerOf(r.Message), q)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, "I remember nothing here that fits.")
	}
	var lines []string
	for _, fact := range list[:min(len(list), listPage)] {
		lines = append(lines, f.Find.Line(catalog.Of(ctx), fact))
	}
	again := "/facts search"
	for _, name := range []string{"text", "tag", "since", "before"} {
		if v := r.Args[name]; v != "" {
			again += " " + name + ":" + quotedArgument(v)
		}
	}
	return chat.Answer{Text: strings.Join(lines, "\n"), Buttons: paged(ctx, again, page, len(list) > listPage)}, nil
}

// quotedArgument is a value as a command takes it.
func quotedArgument(v string) string {
	if strings.ContainsAny(v, " \"") {
		return `"` + strings.ReplaceAll(v, `"`, "") + `"`
	}
	return v
}

// dayOf is the beginning of the day, month or year that was named, where somebody
// is; zero for "".
func dayOf(p catalog.Printer, said string, now time.Time) (time.Time, error) {
	if said == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if t, err := time.ParseInLocation(layout, said, now.Location()); err == nil {
			return t, nil
		}
	}
	if t, err := tools.ParseDay(p, said, now, now.Location()); err == nil {
		return t, nil
	}
	return time.Time{}, text.Tell("I can't read the date “%s”: write 2026-05-31, 2026-05, today or yesterday.", text.Shorten(said, 40))
}

func (f Facts) change(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if r.Args["text"] == "" { // the button cannot know it
		fact, err := f.Service.Find(ctx, asker(r), row(r))
		return chat.Answer{Text: catalog.Say(ctx, "Fact #%d says: “%s”. To change it, send /facts change %d and what is right.", fact.ID, fact.Content, fact.ID)}, noFact(err)
	}
	saved, err := f.Service.Correct(ctx, asker(r), row(r), facts.NewFact{Content: r.Args["text"], MessageID: r.Message.ID,
		Worth: facts.Worth{Explicit: true}})
	return changed(ctx, saved), noFact(err)
}

func (f Facts) keep(ctx context.Context, r gate.Request) (chat.Answer, error) {
	kept, gone, err := f.Service.Keep(ctx, asker(r), row(r), int64(r.Number("not", 0)))
	if gone.ID != 0 {
		return told(ctx, gone, catalog.Say(ctx, wordsFactKeptNot, kept.ID, kept.Content, gone.Fact.Content)), noFact(err)
	}
	return chat.Answer{Text: catalog.Say(ctx, wordsFactKept, kept.ID, kept.Content)}, noFact(err)
}

func (f Facts) undo(ctx context.Context, r gate.Request) (chat.Answer, error) {
	undone, err := f.Service.Undo(ctx, asker(r), row(r))
	return chat.Answer{Text: facts.Undid(catalog.Of(ctx), undone)}, err
}
