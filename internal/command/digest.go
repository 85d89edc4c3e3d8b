package command

import (
	"context"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/memory/facts"
	"parley/internal/memory/provenance"
	"parley/internal/text/catalog"
	"parley/internal/tools"
)

// LearnedPage is how many facts a digest shows, with a row of buttons each:
// Discord takes five rows.
const LearnedPage = 4

// Learned is a digest of changes, with buttons to keep, to change and to forget each
// fact; more says that there are others.
func Learned(ctx context.Context, head string, list []facts.Change, page int, more bool) chat.Answer {
	lines := []string{head}
	var rows [][]chat.Button
	for _, c := range list {
		n, key := c.Fact.Number, tools.Key(c.Fact.RowKey())
		lines = append(lines, "- "+c.Short(catalog.Of(ctx)))
		rows = append(rows, []chat.Button{
			{Label: catalog.Say(ctx, "Keep #%d", n), Data: "/facts keep " + key},
			{Label: catalog.Say(ctx, "Change #%d", n), Data: "/facts change " + key},
			{Label: catalog.Say(ctx, "Forget #%d", n), Data: "/facts forget " + key},
		})
	}
	return chat.Answer{Text: strings.Join(lines, "\n"), Buttons: append(rows, paged(ctx, "/facts learned", page, more)...)}
}

// LearnedSince is the head of a digest of changes, the newest first, that was due
// at a time, in its zone.
func LearnedSince(ctx context.Context, list []facts.Change, due time.Time) string {
	first, yesterday := list[len(list)-1].At.In(due.Location()), due.AddDate(0, 0, -1)
	switch first.Format(time.DateOnly) {
	case due.Format(time.DateOnly):
		return catalog.Text(ctx, "Learned today. Is it right?")
	case yesterday.Format(time.DateOnly):
		return catalog.Text(ctx, "Learned since yesterday. Is it right?")
	}
	return catalog.Say(ctx, "Learned since %s. Is it right?", catalog.Time(ctx, first, "2 January"))
}

func (f Facts) learned(ctx context.Context, r gate.Request) (chat.Answer, error) {
	page := max(r.Number("page", 1), 1)
	list, err := f.Rows.Learned(ctx, provenance.ViewerOf(r.Message), facts.Query{Limit: LearnedPage + 1, Offset: (page - 1) * LearnedPage})
	if err != nil {
		return chat.Answer{}, err
	}
	if len(list) == 0 {
		return say(ctx, "I learned nothing that you have not seen and kept.")
	}
	return Learned(ctx, catalog.Text(ctx, "Learned without being asked. Is it right?"),
		list[:min(len(list), LearnedPage)], page, len(list) > LearnedPage), nil
}

func (f Facts) digest(ctx context.Context, r gate.Request) (chat.Answer, error) {
	if err := f.Rows.SetDigest(ctx, r.Message.From.ID, r.Args["when"]); err != nil {
		return chat.Answer{}, err
	}
	words := map[string]string{facts.DigestOff: catalog.Text(ctx, "I send you no digest. What I pick up is told below my answers."), facts.DigestDaily: catalog.Text(ctx,
		"Each morning I tell you here what I learned the day before, if anything."), facts.DigestSession: catalog.Text(ctx, "When a conversation ends I tell you what I learned in it, if anything.")}
	return chat.Answer{Text: words[r.Args["when"]]}, nil
}
