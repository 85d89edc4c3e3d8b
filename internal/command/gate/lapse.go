package gate

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// why says why nothing is done about a question, and what to do.
func (c *Confirmations) why(ctx context.Context, l chat.Lapse) string {
	switch l {
	case chat.LapsedEdited:
		return catalog.Text(ctx, "You have changed the message that this was about, so I did nothing. Ask again if you still want it.")
	case chat.LapsedDeleted:
		return catalog.Text(ctx, "The message that this was about is gone, so I did nothing. Ask again if you still want it.")
	case chat.LapsedSession:
		return catalog.Text(ctx, "The conversation that this was part of is over, so I did nothing. Ask again if you still want it.")
	case chat.LapsedJourney:
		return catalog.Text(ctx, "What this was a step of was left or went on without it, so I did nothing. Ask again if you still want it.")
	case chat.LapsedAgent:
		return catalog.Text(ctx, "Another assistant asked that, and it no longer answers here: I changed nothing. Ask again if you still want it.")
	case chat.LapsedRights:
		return catalog.Text(ctx, "You may not have this done any more, so I did nothing. My owner decides who may.")
	case chat.LapsedTool:
		return catalog.Text(ctx, "What would do this is not available at the moment, so I did nothing. Ask again later.")
	case chat.LapsedQuota:
		return catalog.Text(ctx, "Today's allowance is used up, so I did nothing. It renews at midnight UTC; please ask again then.")
	case chat.LapsedFault:
		return catalog.Text(ctx, "Something went wrong on my side before you could see my question, so I did nothing. Ask again if you still want it.")
	}
	return catalog.Text(ctx, wordsExpired)
}

// weigh is the only function that decides whether a yes still counts: whether the question
// waits, whether what it hangs on is still there, and whether its people may still have it
// done. why, if not empty, says that it does not count.
func (c *Confirmations) weigh(ctx context.Context, m chat.Message, a answered) (why string, err error) {
	if why = c.over(ctx, a.Question); why != "" || !slices.Contains(a.agreed, true) {
		return why, nil
	}
	l, err := c.stands(ctx, m, a.Question, a.agreed, nil)
	if err != nil || l == "" {
		return "", err
	}
	why = c.why(ctx, l)
	c.show(ctx, a, "⌛ "+why)
	return why, c.rows.Lapse(ctx, a.ID, l)
}

func (c *Confirmations) stands(ctx context.Context, m chat.Message, q chat.Question, agreed []bool, after any) (chat.Lapse, error) {
	if c.Stands == nil {
		return "", nil
	}
	return c.Stands(ctx, m, q, agreed, after)
}

// lapsed looks at a question that waited when m came, now that m is handled and after is the
// record of its answer. why, if not empty, tells its person that it lapsed; that happens once.
func (c *Confirmations) lapsed(ctx context.Context, m chat.Message, was chat.Question, after any) (why string, err error) {
	q, ok, err := c.rows.Question(ctx, m, was.ID)
	if err != nil || !ok {
		return "", err
	}
	if q.State == chat.QuestionOpen && c.now().Before(q.Until) {
		all := make([]bool, bodyOf(q).count())
		for i := range all {
			all[i] = true
		}
		if q.Lapse, err = c.stands(ctx, m, q, all, after); err == nil && q.Lapse != "" {
			err = c.rows.Lapse(ctx, q.ID, q.Lapse)
		}
	}
	if err != nil || q.Lapse == "" || q.State != chat.QuestionOpen && q.State != chat.QuestionExpired {
		return "", err
	}
	c.Expired(ctx, q)
	return c.why(ctx, q.Lapse), c.rows.EndQuestion(ctx, q.ID, chat.QuestionSettled, "")
}

// declined settles a question with a no, without its Do.
func (c *Confirmations) declined(ctx context.Context, m chat.Message, a answered) (chat.Answer, error) {
	first, again, err := c.rows.TakeQuestion(ctx, a.ID, m)
	if err != nil {
		return chat.Answer{}, err
	}
	if !first && !again {
		return ended(catalog.Text(ctx, wordsExpired), chat.Refused, chat.Expired), nil
	}
	c.show(ctx, a, shownAs(ctx, a))
	return c.settled(ctx, a, ended(catalog.Text(ctx, "All right, nothing was changed."), chat.Declined, ""), false)
}

// Revised tells people whose open question lapses because its message was edited or deleted.
// It goes around the gate, which lets no deletion pass.
func (c *Confirmations) Revised(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Kind != chat.KindEdit && m.Kind != chat.KindDeleted {
			return pass(ctx, m, w)
		}
		return c.revised(ctx, m, w, pass)
	})
}

func (c *Confirmations) revised(ctx context.Context, m chat.Message, w chat.Reply, pass chat.HandlerFunc) (chat.Answer, error) {
	list, err := c.rows.LedTo(ctx, m)
	if err != nil {
		return chat.Answer{}, err
	}
	a, err := pass(ctx, m, w)
	if err != nil || len(list) == 0 {
		return a, err
	}
	q := list[0]
	if c.Speak != nil {
		ctx = c.Speak(ctx, q.Asked)
	}
	if q.Lapse = chat.LapsedEdited; m.Kind == chat.KindDeleted {
		q.Lapse = chat.LapsedDeleted
	}
	if a.Text == "" {
		a.Text = c.why(ctx, q.Lapse)
	}
	c.Expired(ctx, q)
	return a, nil
}

// besides adds to the answer to something else what became of the question q, or a reminder
// of it.
func (c *Confirmations) besides(ctx context.Context, m chat.Message, q chat.Question, a chat.Answer) (chat.Answer, error) {
	ctx = context.WithoutCancel(ctx) // the answer counts, also one that /stop cut short
	why, err := c.lapsed(ctx, m, q, a.Record)
	switch {
	case err != nil:
		return chat.Answer{}, fmt.Errorf("confirm: %w", err)
	case why != "":
		a.Text += "\n\n" + catalog.Say(ctx, "_What I had asked you is off. %s_", why)
		return a, nil
	case !c.reminds(q, m, a):
		return a, nil
	}
	return c.reminded(ctx, m, q, a)
}
