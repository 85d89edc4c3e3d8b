package command

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory"
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
	list, err := f.Rows.FindFacts(ctx, provenance.ViewerOf(r.Message), q)
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, "I remember nothing here that fits.")
	}
	var lines []string
	for _, fact := range list[:min(len(list), listPage)] {
		lines = append(lines, f.Rows.Line(catalog.Of(ctx), fact))
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

func (f Facts) keep(ctx context.Context, r gate.Request) (chat.Answer, error) {
	id, err := f.meant(ctx, r, "number")
	not := int64(0)
	if err == nil && r.Args["not"] != "" {
		not, err = f.meant(ctx, r, "not")
	}
	if err != nil {
		return chat.Answer{}, err
	}
	service, who := f.asker(r)
	kept, gone, err := service.Keep(ctx, who, id, not)
	if gone.ID != 0 {
		words := catalog.Say(ctx, wordsFactKeptNot, kept.Number, kept.Content, gone.Fact.Content)
		return under(words, gone.Buttons(catalog.Of(ctx))), tools.NoFact(err)
	}
	return chat.Answer{Text: catalog.Say(ctx, wordsFactKept, kept.Number, kept.Content)}, tools.NoFact(err)
}

func (f Facts) undo(ctx context.Context, r gate.Request) (chat.Answer, error) {
	service, who := f.asker(r)
	number, begun, err := f.undoes(ctx, r)
	if err != nil {
		return chat.Answer{}, err
	}
	undone, err := service.Undo(ctx, who, number)
	if begun && errors.Is(err, facts.ErrNoChange) {
		return say(ctx, "That is undone.")
	}
	return chat.Answer{Text: facts.Undid(catalog.Of(ctx), undone)}, err
}

// undoes returns the number of the change that a message wants undone. It is noted first, so
// that after a kill the last is not the one before it; begun says that it was.
func (f Facts) undoes(ctx context.Context, r gate.Request) (number int64, begun bool, err error) {
	const key = "undo "
	if r.Message.Attempt > 0 {
		steps, err := f.Steps.Steps(ctx, r.Message.Row)
		for _, s := range steps {
			if n, noted := strings.CutPrefix(s.Key, key); noted {
				number, err := strconv.ParseInt(n, 10, 64)
				return number, true, err
			}
		}
		if err != nil {
			return 0, false, err
		}
	}
	is, _, err := f.Rows.Undoable(ctx, provenance.ViewerOf(r.Message), int64(r.Number("number", 0)))
	if number = is.Number; err == nil && r.Message.Row != 0 {
		err = f.Steps.SaveSteps(ctx, r.Message.Row, []memory.Step{{N: 1, Kind: "tool", Key: key + strconv.FormatInt(number, 10)}})()
	}
	return number, false, err
}

// atOnce reports whether nothing must be kept for Undo.
func atOnce(r gate.Request) bool { return r.Args["when"] == "now" }

func askClear(ctx context.Context, r gate.Request) (string, error) {
	if atOnce(r) {
		return catalog.Text(ctx, "Shall I erase everything I remember about you here, at once and without Undo? Conversations "+
			"stay; /forget-me deletes them too."), nil
	}
	return catalog.Text(ctx, "Shall I forget everything I remember about you here? For a day you can take that back. "+
		"Conversations stay; /forget-me deletes them too."), nil
}

func (f Facts) clear(ctx context.Context, r gate.Request) (chat.Answer, error) {
	words := "Forgotten. Facts deleted: %d. They are kept a day for Undo, then erased."
	if atOnce(r) {
		words = "Erased. Facts deleted: %d."
	}
	n, gone, err := f.Rows.ClearFacts(ctx, provenance.ViewerOf(r.Message), atOnce(r))
	return under(catalog.Say(ctx, words, n), gone.Buttons(catalog.Of(ctx))), err
}

// undoable is the number of a change that can be taken back.
func (f Facts) undoable() gate.Option {
	o := gate.Option{Name: "number", Help: "number of the change, as its button has it; the latest when left out", Kind: gate.Number}
	o.Offer = func(ctx context.Context, m chat.Message) (choices []chat.Choice) {
		list, _ := f.Rows.Undoables(ctx, provenance.ViewerOf(m), mostChoices) // none can be offered if they cannot be read
		for _, c := range list {
			choices = append(choices, chat.Choice{Value: strconv.FormatInt(c.Number, 10), Label: strings.Join(strings.Fields(outlined(c)), " ")})
		}
		return choices
	}
	return o
}

// outlined is a change as a difference shows it.
func outlined(c facts.Change) string {
	return map[facts.Kind]string{facts.Added: "+ ", facts.Forgotten: "− ", facts.Replaced: c.Was + " → "}[c.Kind] + c.Fact.Content
}
