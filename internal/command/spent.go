package command

import (
	"context"
	"fmt"
	"strings"

	"parley/internal/memory"
	"parley/internal/text"
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
	fmt.Fprintf(b, "\n\n"+wordsSpent+"\n")
	var all memory.Used
	for _, u := range list {
		failed := ""
		if u.Failed > 0 {
			failed = fmt.Sprintf(wordsSpentFailed, u.Failed)
		}
		fmt.Fprintf(b, wordsSpentOn+"\n", u.Purpose, u.Model, text.Many(u.Calls, "call")+failed, text.Many(u.Usage.Prompt, "token"), u.Usage.Cached, u.Usage.Completion, i.cost(u.Usage.Cost))
		all.Calls, all.Usage = all.Calls+u.Calls, all.Usage.Add(u.Usage)
	}
	fmt.Fprintf(b, "\n"+wordsTogether, text.Many(all.Calls, "call")+", "+text.Many(all.Usage.Total, "token")+i.cost(all.Usage.Cost))
	return nil
}
