package command

import (
	"context"
	"strings"

	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

// cost is money behind other figures, "" for none.
func (i Insight) cost(money float64) string {
	if money == 0 {
		return ""
	}
	return ", " + text.Money(money, i.Currency)
}

// spent tells what model calls took, by what they were for and by model.
func (i Insight) spent(ctx context.Context, b *strings.Builder, days int) error {
	if i.Spent == nil {
		return nil
	}
	list, err := i.Spent.UsageSince(ctx, i.Now().AddDate(0, 0, -days+1))
	if err != nil || len(list) == 0 {
		return err
	}
	b.WriteString("\n\n" + catalog.Text(ctx, "**What model calls took**, those for summaries, notes and vectors included (by days of UTC)") + "\n")
	var all memory.Used
	for _, u := range list {
		failed := ""
		if u.Failed > 0 {
			failed = catalog.Say(ctx, ", %d failed", u.Failed)
		}
		b.WriteString(catalog.Say(ctx, "- %s, %s: %s, %s sent (%d cached), %d answered%s", u.Purpose, u.Model, catalog.Many(ctx, u.Calls, "call")+failed,
			catalog.Many(ctx, u.Usage.Prompt, "token"), u.Usage.Cached, u.Usage.Completion, i.cost(u.Usage.Cost)) + "\n")
		all.Calls, all.Usage = all.Calls+u.Calls, all.Usage.Add(u.Usage)
	}
	b.WriteString("\n" + catalog.Say(ctx, wordsTogether, catalog.Many(ctx, all.Calls, "call")+", "+catalog.Many(ctx,
		all.Usage.Total, "token")+i.cost(all.Usage.Cost)))
	return nil
}
