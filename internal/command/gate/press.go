package gate

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const wordsExpired = "That question has expired, so nothing was changed. Please ask again."

func (c *Confirmations) press(ctx context.Context, m chat.Message, w chat.Reply, p push, do map[string]Do) (chat.Answer, error) {
	q, why, err := c.pressable(ctx, m, p)
	if err != nil {
		return chat.Answer{}, fmt.Errorf("confirm: %w", err)
	}
	if why != "" {
		a := ended(why, chat.Refused, chat.Expired)
		if q.Asked.ID != m.From.ID || c.over(ctx, q) == "" {
			a = ended(why, chat.Refused, chat.NotYours)
		}
		if a.Private = !m.Direct && m.Origin != ""; m.Told {
			a.Text = ""
		}
		return a, nil
	}
	if bodyOf(q).Form != nil {
		return c.afford(ctx, m, w, answered{q, []bool{true}, m.From, p.said(), false}, do)
	}
	n := bodyOf(q).count()
	agreed := make([]bool, n)
	v := p.verdict
	at, _ := strconv.Atoi(v)
	for i := range agreed {
		agreed[i] = v == "yes" || v == "always" || v == "task" || i == at-1
	}
	if v == "always" {
		for _, item := range bodyOf(q).Items {
			if err := c.Allow(ctx, m, item.Standing); err != nil {
				return chat.Answer{}, fmt.Errorf("confirm: %w", err)
			}
		}
	}
	return c.afford(ctx, m, w, answered{q, agreed, m.From, chat.Said{}, v == "task"}, do)
}

// pressable finds the question whose button m presses; why, if not empty, explains why
// nothing is done.
func (c *Confirmations) pressable(ctx context.Context, m chat.Message, p push) (q chat.Question, why string, err error) {
	q, ok, err := c.rows.Question(ctx, m, p.id)
	if err != nil {
		return q, "", err
	}
	if !ok {
		q = chat.Question{ID: p.id, Asked: m.From, Key: m.Key, State: chat.QuestionExpired}
	}
	if !c.signed(m.Text, p.verdict, q) {
		return q, catalog.Text(ctx, "That button is not yours."), nil
	}
	if q.Asked.ID != m.From.ID {
		may, err := c.mayAlso(ctx, m, q)
		if err != nil || !may {
			return q, catalog.Say(ctx, "That button is not yours: I asked %s.", Escape(called(q.Asked))), err
		}
	}
	if p.verdict == "always" {
		if role, err := c.role(ctx, m); err != nil || role < Owner {
			return q, catalog.Text(ctx, "Only my owner can allow that for good."), err
		}
	}
	if q.State == chat.QuestionTaken && q.Taken == m.Row && m.Row != 0 {
		return q, "", nil
	}
	if why = c.over(ctx, q); why == "" {
		why, err = c.overruled(ctx, m, q, p.verdict != "no")
	}
	return q, why, err
}

// over explains what became of a question, "" while it still waits.
func (c *Confirmations) over(ctx context.Context, q chat.Question) string {
	switch {
	case q.Lapse != "":
		return c.why(ctx, q.Lapse)
	case q.Restored:
		return catalog.Text(ctx, "This question is from before my data were restored from a backup, so I do nothing because of it. It "+
			"may have been answered, and done, since that backup was made: look, and ask again if it was not.")
	case q.State == chat.QuestionReplaced:
		return catalog.Text(ctx, "I asked this again, further down.")
	case q.State == chat.QuestionExpired || q.State == chat.QuestionOpen && !c.now().Before(q.Until):
		return catalog.Text(ctx, wordsExpired)
	case q.State == chat.QuestionTaken:
		return catalog.Say(ctx, "%s has answered that already, and I am on it.", Escape(called(q.By)))
	case q.State == chat.QuestionSettled && q.By.ID == "":
		return catalog.Text(ctx, wordsExpired)
	case q.State == chat.QuestionSettled && q.Came == "":
		return catalog.Say(ctx, "%s has answered that already.", Escape(called(q.By)))
	case q.State == chat.QuestionSettled:
		return catalog.Say(ctx, "%s has answered that already: %s", Escape(called(q.By)), q.Came)
	}
	return ""
}

func called(u chat.User) string { return cmp.Or(u.Name, u.ID) }

func (c *Confirmations) role(ctx context.Context, m chat.Message) (Role, error) {
	if c.Role == nil {
		return Stranger, nil
	}
	return c.Role(ctx, m)
}

// mayAlso reports whether somebody who was not asked may answer: with the role
// that the policy of every tool in question names.
func (c *Confirmations) mayAlso(ctx context.Context, m chat.Message, q chat.Question) (bool, error) {
	b := bodyOf(q)
	if len(b.Items) == 0 || slices.ContainsFunc(b.Items, func(i Item) bool { return i.Also == 0 }) {
		return false, nil
	}
	role, err := c.role(ctx, m)
	for _, item := range b.Items {
		if role < item.Also {
			return false, err
		}
	}
	return err == nil, err
}

// Toast returns what the platform may show at once to whoever pressed a button: what is done
// now or, with refused, why nothing is. "" means that it is no button of a question.
func (c *Confirmations) Toast(ctx context.Context, m chat.Message) (text string, refused bool) {
	p, ok := pressed(m.Text)
	if !ok {
		return "", false
	}
	_, why, err := c.pressable(ctx, m, p)
	switch {
	case err != nil:
		return "", false
	case why != "":
		return why, true
	case p.verdict == "no":
		return catalog.Text(ctx, "All right, I won't do it."), false
	}
	return catalog.Text(ctx, "On it."), false
}

// push is the meaning of a question's button: yes, no, task, always, skip, or the number of the one
// thing agreed to or picked.
type push struct{ verdict, id string }

func pressed(data string) (p push, ok bool) {
	verdict, rest, _ := strings.Cut(data, ":")
	id, _, ok := strings.Cut(rest, ":")
	p = push{verdict, id}
	if n, err := strconv.Atoi(verdict); err == nil {
		return p, ok && n > 0 && n <= maxItems
	}
	return p, ok && (verdict == "yes" || verdict == "no" || verdict == "always" || verdict == "task" || verdict == "skip")
}

// buttons returns yes and no, one button for each thing that can be agreed to alone, and the
// owner's "always".
func (c *Confirmations) buttons(ctx context.Context, q chat.Question, b body) (rows [][]chat.Button) {
	button := func(label, verdict string) chat.Button {
		return chat.Button{Label: label, Data: c.token(verdict, q)}
	}
	n := b.count()
	if n == 1 {
		rows = [][]chat.Button{{button(catalog.Text(ctx, wordsYes), "yes"), button(catalog.Text(ctx, wordsNo), "no")}}
	} else {
		rows = [][]chat.Button{{button(catalog.Text(ctx, "All"), "yes"), button(catalog.Text(ctx, "None"), "no")}}
		var line []chat.Button
		for i := range min(n, maxPicks) {
			if line = append(line, button(catalog.Say(ctx, "Only %d", i+1), fmt.Sprint(i+1))); len(line) == 4 || i == min(n, maxPicks)-1 {
				rows, line = append(rows, line), nil
			}
		}
	}
	if len(b.servers()) > 0 {
		rows = append(rows, []chat.Button{button(catalog.Text(ctx, "Allow for this task"), "task")})
	}
	if c.Allow != nil && len(b.Items) > 0 && !slices.ContainsFunc(b.Items, func(i Item) bool { return i.Standing == "" }) {
		rows = append(rows, []chat.Button{button(catalog.Text(ctx, "Always allow here"), "always")})
	}
	return rows
}

// signed reports whether a button's Data was signed by us for this question, under any key
// its place has had.
func (c *Confirmations) signed(data, verdict string, q chat.Question) bool {
	place := c.Place
	if place == nil {
		place = chat.Unmoved
	}
	return slices.ContainsFunc(place(q.Key).Names(), func(k chat.Key) bool {
		q.Key = k
		return hmac.Equal([]byte(data), []byte(c.token(verdict, q)))
	})
}

// token returns a button's Data: the verdict, the question and a signature over
// both, the person and the place. 6+17+16 bytes at most.
func (c *Confirmations) token(verdict string, q chat.Question) string {
	mac := hmac.New(sha256.New, c.secret)
	fmt.Fprintf(mac, "%s\n%s\n%s\n%s", verdict, q.ID, q.Asked.ID, q.Key)
	return verdict + ":" + q.ID + ":" + short(mac.Sum(nil))
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return text.Clip(s, maxCame)
}

// maxCame bounds the stored result of a question, in runes: it must fit into the notice that
// a platform shows for a moment.
const maxCame = 120

// maxShown is the longest question that is repeated when it is over, in runes; one that took
// several messages is not.
const maxShown = 1900

// show changes the message of a question that is over.
func (c *Confirmations) show(ctx context.Context, a answered, outcome string) {
	if c.Shown == nil || a.Question.Text == "" {
		return
	}
	if shown := a.Question.Text + "\n\n" + outcome; utf8.RuneCountInString(shown) <= maxShown {
		outcome = shown
	}
	c.Shown(ctx, a.Question, outcome)
}

// shownAs returns what was answered, and by whom.
func shownAs(ctx context.Context, a answered) string {
	name := Escape(called(a.by))
	if bodyOf(a.Question).Form != nil {
		if a.said.No || a.said.Stop {
			return catalog.Say(ctx, "❌ %s gave no answer.", name)
		}
		return catalog.Say(ctx, "✅ %s has answered.", name)
	}
	var list []string
	for i, yes := range a.agreed {
		if yes {
			list = append(list, fmt.Sprint(i+1))
		}
	}
	switch {
	case len(a.allows(bodyOf(a.Question))) > 0:
		return catalog.Say(ctx, "✅ %s said yes, for this task.", name)
	}
	switch len(list) {
	case 0:
		return catalog.Say(ctx, "❌ %s said no, so nothing was changed.", name)
	case len(a.agreed):
		return catalog.Say(ctx, "✅ %s said yes.", name)
	}
	return catalog.Say(ctx, "✅ %s said yes to %s, and no to the rest.", name, strings.Join(list, ", "))
}

// Expired changes the message of a question that nobody answered in time, or that lapsed.
func (c *Confirmations) Expired(ctx context.Context, q chat.Question) {
	late := catalog.Text(ctx, "⌛ Nobody answered in time, so nothing was changed.")
	switch {
	case q.Lapse != "":
		late = "⌛ " + c.why(ctx, q.Lapse)
	case bodyOf(q).Form != nil:
		late = catalog.Text(ctx, "⌛ Nobody answered in time, and the tool server was told so.")
	}
	c.show(ctx, answered{Question: q}, late)
}
