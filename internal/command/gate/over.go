package gate

import (
	"context"
	"slices"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

const wordsOver = "An administrator of this place or my owner has to agree, with the button. You can say no."

// over reports whether a question waits for the yes of somebody over whoever is asked.
func (b body) over() bool { return slices.ContainsFunc(b.Items, func(i Item) bool { return i.Over }) }

// overruled explains, to somebody who says yes to a question that waits for somebody over
// them, whose yes it needs; "" lets the answer count. The question stays.
func (c *Confirmations) overruled(ctx context.Context, m chat.Message, q chat.Question, yes bool) (why string, err error) {
	b := bodyOf(q)
	if !yes || !b.over() || q.State != chat.QuestionOpen || c.over(ctx, q) != "" {
		return "", nil
	}
	role, err := c.role(ctx, m)
	for _, item := range b.Items {
		if item.Over && role < item.Also {
			return catalog.Text(ctx, "Your yes is not enough for this. "+wordsOver), err
		}
	}
	return "", err
}
