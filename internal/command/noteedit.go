package command

import (
	"context"
	"errors"
	"strings"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/notes/edit"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// orWhich has a command ask which note is meant where a name fits several; run is what a
// button runs with a path, "" for no buttons.
func orWhich(c gate.Command, run string) gate.Command {
	do := c.Run
	c.Run = func(ctx context.Context, r gate.Request) (chat.Answer, error) {
		a, err := do(ctx, r)
		if err != nil {
			return which(ctx, err, run)
		}
		return a, nil
	}
	return c
}

// which asks which note is meant where a name fits several; run is the command that
// a button runs with a path.
func which(ctx context.Context, err error, run string) (chat.Answer, error) {
	var several tools.AmbiguousError
	if !errors.As(err, &several) {
		return chat.Answer{}, tools.NoNote(err)
	}
	a := chat.Answer{Text: catalog.Say(ctx, "Several notes are called “%s”. Which one do you mean?", text.Literal(text.Shorten(several.Name, 100))) + "\n" +
		tools.EntryLines(several.List)}
	for _, e := range several.List {
		if b := (chat.Button{Label: e.Path, Data: run + e.Path}); run != "" && len(b.Data) <= maxData && len(a.Buttons) < maxChoices {
			a.Buttons = append(a.Buttons, []chat.Button{b})
		}
	}
	return a, nil
}

// Bounds of buttons: their data in bytes, and how many are offered.
const (
	maxData    = 64
	maxChoices = 8
)

func (n Notes) undo(ctx context.Context, r gate.Request) (chat.Answer, error) {
	d, err := n.View.Editable(ctx, tools.CallOf(r.Message))
	if err != nil {
		return chat.Answer{}, err
	}
	m, err := d.Undo(ctx)
	if err != nil {
		return chat.Answer{}, tools.NoNote(err)
	}
	return chat.Answer{Text: tools.Moved(ctx, m).Note}, nil
}

func (n Notes) restore(ctx context.Context, r gate.Request) (chat.Answer, error) {
	d, err := n.View.Editable(ctx, tools.CallOf(r.Message))
	if err != nil {
		return chat.Answer{}, err
	}
	wanted := edit.Nth(r.Number("version", 0))
	if mark := r.Args["mark"]; mark != "" {
		wanted = edit.Marked(mark)
	}
	missing := ""
	if r.Args["version"]+r.Args["mark"] != "" {
		w, err := d.Restore(ctx, r.Args["path"], wanted)
		switch {
		case err == nil:
			return chat.Answer{Text: tools.Wrote(ctx, w).Note}, nil
		case !errors.Is(err, edit.ErrNoVersion):
			return which(ctx, err, "/notes restore ")
		}
		missing = catalog.Say(ctx, "That version is not kept, so nothing was changed.") + "\n"
	}
	at, all, err := d.Versions(ctx, r.Args["path"])
	if err != nil {
		return which(ctx, err, "/notes restore ")
	}
	a := versions(ctx, r, at, all)
	a.Text = missing + a.Text
	return a, nil
}

// versions lists those of a note, each with a button that restores it, whatever was written
// since.
func versions(ctx context.Context, r gate.Request, at string, all []edit.Version) chat.Answer {
	if len(all) == 0 {
		return chat.Answer{Text: catalog.Say(ctx, "No earlier version of %s is kept.", text.Literal(at))}
	}
	list := []string{catalog.Say(ctx, "Earlier versions of %s:", text.Literal(at))}
	var a chat.Answer
	for i, v := range all {
		list = append(list, catalog.Say(ctx, "%d. %s, %s (%s)", i+1, v.By.At.Local().Format("2006-01-02 15:04"),
			author(ctx, v, r.Message.From.ID), catalog.Many(ctx, len([]rune(v.Text)), "character")))
		b := chat.Button{Label: catalog.Say(ctx, "Restore %d", i+1), Data: "/notes restore " + at + " mark:" + v.Mark()}
		if len(b.Data) > maxData || i >= maxChoices {
			continue
		}
		if i%2 == 0 {
			a.Buttons = append(a.Buttons, nil)
		}
		a.Buttons[len(a.Buttons)-1] = append(a.Buttons[len(a.Buttons)-1], b)
	}
	a.Text = strings.Join(list, "\n")
	return a
}

// author says who wrote a version.
func author(ctx context.Context, v edit.Version, asks string) string {
	switch {
	case v.Hand:
		return catalog.Text(ctx, "not written through me")
	case v.By.ID == "":
		return catalog.Text(ctx, "by me")
	case v.By.ID == asks:
		return catalog.Text(ctx, "by you")
	}
	return catalog.Say(ctx, "by %s", text.Literal(text.Shorten(v.By.Name, 60)))
}
