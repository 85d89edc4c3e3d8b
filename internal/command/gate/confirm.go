package gate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/memory"
	"parley/internal/text/catalog"
)

const wordsAskHere = "Others write here, too: press a button, reply to this message, or mention me."

// QuestionLife is how long a question waits.
const QuestionLife = 5 * time.Minute

// maxItems is how many things one question asks about at most, and maxPicks how
// many of them get a button of their own.
const (
	maxItems = 16
	maxPicks = 8
)

// Questions stores what waits for a person. memory.Questions is the real one.
type Questions interface {
	// PutQuestion stores a question instead of the one with this id, "" for none.
	PutQuestion(ctx context.Context, q chat.Question, instead string) error
	// Question finds a question of m's place by its id; without an id the newest that waits
	// for m's author there, in time or not, or that m began to settle.
	Question(ctx context.Context, m chat.Message, id string) (q chat.Question, ok bool, err error)
	// TakeQuestion uses a question up with the answer m; first is true for exactly one caller.
	// again is true if m took it in an earlier process.
	TakeQuestion(ctx context.Context, id string, m chat.Message) (first, again bool, err error)
	EndQuestion(ctx context.Context, id string, to chat.QuestionState, came string) error
}

// Lapses ends questions that nobody will answer. memory.Questions is the real one.
type Lapses interface {
	// Lapse ends an open question because of why.
	Lapse(ctx context.Context, id string, why chat.Lapse) error
	// LedTo returns the open questions to which the message led that m, an edit or a
	// deletion, changes; they lapse in the transaction that finishes m.
	LedTo(ctx context.Context, m chat.Message) ([]chat.Question, error)
}

// Answers finds the question that a message answers. memory.Store is the real one.
type Answers interface {
	// MeantBy finds the question that m answers, by where m stands: the one whose message it
	// replies to; in a direct chat without a reply, the last thing that was said there;
	// elsewhere the newest to its author, if m calls the bot by its name or is a command. The
	// question is in time or not, or m began to settle it in an earlier process.
	MeantBy(ctx context.Context, m chat.Message) (q chat.Question, ok bool, err error)
	// AskedAgain notes that the answer to the message in this inbox row repeats a question.
	AskedAgain(ctx context.Context, id string, row int64) error
}

// Secrets stores the key that signs buttons.
type Secrets interface {
	// Secret returns the secret of this name, storing fresh when there is none.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
}

// Pending holds the questions that survive a restart. memory.Questions is the real one.
type Pending interface {
	Questions
	Answers
	Lapses
}

// Action is what happens after a yes. Args are the exact arguments that were shown.
type Action struct {
	Kind string          `json:"kind"`
	Args json.RawMessage `json:"args"`
	// Items are the things that can be agreed to one by one. With items, Do is
	// called for every answer, also for no; it ends the question with its record,
	// and is called again after a crash. nil means one thing, done at most once.
	Items []Item `json:"items,omitempty"`
	// Again says that doing it twice has the same effect: what a crash cut short is done again,
	// and nothing of the question is kept. Without it the outcome is unknown then.
	Again bool `json:"again,omitempty"`
	// Form says how to answer; nil is by yes or no.
	Form *chat.Form `json:"form,omitempty"`
	// Session is the conversation with which the question ends, "" for none; Wish lists the
	// inbox rows of messages that led to it, besides the one that it answers.
	Session string  `json:"-"`
	Wish    []int64 `json:"-"`
}

// Item is one thing a question asks about.
type Item struct {
	Say  string          `json:"say"` // the question, in Markdown
	Args json.RawMessage `json:"args"`
	// Standing names the tool that the owner may allow in this place for good;
	// "" is none.
	Standing string `json:"standing,omitempty"`
	// Task names the tool server that may be allowed until the task is done; "" is none.
	Task string `json:"task,omitempty"`
	// Also is the lowest role of others who may answer; 0 is nobody else.
	Also Role `json:"also,omitempty"`
	// Over is true if a yes takes the role Also of whoever is asked, too; a no does not.
	Over bool `json:"over,omitempty"`
}

// Settled is a question that was answered.
type Settled struct {
	Action
	ID     string
	Agreed []bool // by item; of a question without items one
	Asked  chat.User
	Said   chat.Said // with a Form
	// Task names the tool servers that need no further yes until the task is done.
	Task []string
	// Again is true if an earlier process began with it.
	Again bool
}

// Do carries out what was agreed to. m is the answer. Without items it is called at most once
// per question, and only after a yes: if the process dies meanwhile, the action is not
// repeated unless it says Again.
type Do func(ctx context.Context, m chat.Message, s Settled, w chat.Reply) (chat.Answer, error)

// Confirmations asks before something is done that cannot be undone. A question belongs to
// one person in one place, waits five minutes, survives a restart and is answered once, by
// its button or in plain words.
type Confirmations struct {
	rows   Pending
	secret []byte
	now    func() time.Time

	// Shown changes the message of a question that is over. It is best effort and may block
	// for a moment; nil leaves the message.
	Shown func(ctx context.Context, q chat.Question, text string)
	// Role says what m's author may do here; nil knows nobody.
	Role func(ctx context.Context, m chat.Message) (Role, error)
	// Place is the address book: a button may have been signed for any name of its place.
	// nil knows none but today's.
	Place func(k chat.Key) chat.Address
	// Stands reports why nothing may be done about a question any more, although somebody
	// says yes to what is agreed: it asks for everything that the database does not tell by
	// itself. after is the record of m's answer, which is not stored yet; nil where m has none.
	// "" is that it stands; nil asks nothing.
	Stands func(ctx context.Context, m chat.Message, q chat.Question, agreed []bool, after any) (chat.Lapse, error)
	// Speak returns a ctx in the language of somebody who may not be the one who is answered;
	// nil keeps it.
	Speak func(ctx context.Context, who chat.User) context.Context
	// Budget wraps handlers that may call the model; nil wraps nothing.
	Budget func(chat.Handler) chat.Handler
	// Passes reports whether what m's author writes goes to people (a handover), and so
	// answers no question with a form; nil is never.
	Passes func(ctx context.Context, m chat.Message) (bool, error)
	// Allow stores the owner's decision that a tool needs no more questions in
	// m's place; nil offers no such button.
	Allow func(ctx context.Context, m chat.Message, tool string) error
}

// NewConfirmations reads, or makes, the secret that signs buttons. A nil now is time.Now.
func NewConfirmations(ctx context.Context, rows Pending, secrets Secrets, now func() time.Time) (*Confirmations, error) {
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	secret, err := secrets.Secret(ctx, "buttons", fresh)
	if err != nil {
		return nil, fmt.Errorf("confirmations: %w", err)
	}
	if now == nil {
		now = time.Now
	}
	return &Confirmations{rows: rows, secret: secret, now: now}, nil
}

// body is the stored form of what waits. Nonce makes its hash, the id, unique.
type body struct {
	Action
	Nonce string `json:"nonce"`
	// Tongue is the tag of the language it was asked in; "" of one that an earlier version
	// asked.
	Tongue string `json:"tongue,omitempty"`
}

func (b body) count() int { return max(1, len(b.Items)) }

// Ask asks m's author a question in m's place and returns it as an answer, which must not be
// made Private: if private answers go elsewhere, the yes would too.
func (c *Confirmations) Ask(ctx context.Context, m chat.Message, text string, a Action) (chat.Answer, error) {
	answer, q, err := c.form(ctx, m, text, a)
	if err == nil {
		err = c.rows.PutQuestion(ctx, q, "")
	}
	if err != nil {
		return chat.Answer{}, fmt.Errorf("ask: %w", err)
	}
	return answer, nil
}

// Prepare makes a question about a's items and those of the same kind that still wait for
// m's author here; it replaces their question (instead). The caller stores it with its
// answer.
func (c *Confirmations) Prepare(ctx context.Context, m chat.Message, a Action) (answer chat.Answer, q chat.Question,
	instead string, err error) {
	old, waits, err := c.rows.Question(ctx, m, "")
	if err != nil {
		return answer, q, "", fmt.Errorf("ask: %w", err)
	}
	var was body
	alike := old.Session == a.Session && old.Agent == m.Agent.ID && bodyOf(old).over() == body{Action: a}.over()
	if waits && alike && old.Row != m.Row && old.State == chat.QuestionOpen && c.now().Before(old.Until) &&
		json.Unmarshal(old.Body, &was) == nil && was.Kind == a.Kind && len(was.Items) > 0 {
		merged := was.Items
		for _, item := range a.Items {
			if !slices.ContainsFunc(merged, func(i Item) bool { return i.Say == item.Say }) {
				merged = append(merged, item)
			}
		}
		if len(merged) <= maxItems && utf8.RuneCountInString(listed(ctx, merged)) <= maxShown {
			a.Items, instead = merged, old.ID
		}
	}
	answer, q, err = c.form(ctx, m, listed(ctx, a.Items), a)
	if instead != "" {
		q.Behind = append(slices.Concat(q.Behind, old.Behind), old.Row)
	}
	return answer, q, instead, err
}

// listed returns the question about several things, one per line.
func listed(ctx context.Context, items []Item) string {
	if len(items) == 1 {
		return items[0].Say
	}
	var b strings.Builder
	b.WriteString(catalog.Text(ctx, "I need your yes for these:"))
	for i, item := range items {
		fmt.Fprintf(&b, "\n%d. %s", i+1, strings.ReplaceAll(item.Say, "\n", "\n   "))
	}
	return b.String()
}

func (c *Confirmations) form(ctx context.Context, m chat.Message, asked string, a Action) (chat.Answer, chat.Question, error) {
	b := body{a, rand.Text(), catalog.Of(ctx).Tag()}
	raw, err := json.Marshal(b)
	if err != nil {
		return chat.Answer{}, chat.Question{}, fmt.Errorf("ask: %w", err)
	}
	sum := sha256.Sum256(raw)
	q := chat.Question{ID: short(sum[:]), Asked: m.From, Key: m.Key, Row: m.Row, Behind: slices.Concat(m.With, a.Wish), Text: asked,
		Body: raw, Until: c.now().Add(QuestionLife), State: chat.QuestionOpen, Session: a.Session, Agent: m.Agent.ID}
	if a.Form != nil {
		said := asked
		if a.Form.Consent && !m.Direct {
			said += "\n" + catalog.Text(ctx, wordsAskHere)
		}
		return chat.Answer{Text: said, Record: chat.End{Outcome: chat.Asked, Reason: chat.NeedsAnswer},
			Buttons: c.formButtons(ctx, q, *a.Form)}, q, nil
	}
	hint := catalog.Text(ctx, "Please answer yes or no.")
	if b.count() > 1 {
		hint = catalog.Text(ctx, "Answer yes for all of them, no for none, or with the numbers you agree to.")
	}
	switch {
	case b.over():
		hint = catalog.Text(ctx, wordsOver)
	case !m.Direct:
		hint += " " + catalog.Text(ctx, wordsAskHere)
	}
	if servers := b.servers(); len(servers) > 0 {
		hint += "\n" + catalog.Say(ctx, "With “yes, for this task” I do the rest of it without asking about %s again, but for what may delete "+
			"something or reach beyond it.", strings.Join(servers, ", "))
	}
	if strings.Contains(asked, "\n") { // below a list, and not of it
		hint = "\n" + hint
	}
	return chat.Answer{Text: asked + "\n" + hint, Record: chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes},
		Buttons: c.buttons(ctx, q, b)}, q, nil
}

// short is 80 bits of a hash.
func short(sum []byte) string { return base32.StdEncoding.EncodeToString(sum[:10]) }

// Waits reports whether m, in plain text, answers a question to its author here.
func (c *Confirmations) Waits(ctx context.Context, m chat.Message) (bool, error) {
	_, ok, err := c.answered(ctx, m)
	return ok, err
}

// answered returns the question that a typed m answers, with what it says. Words alone are
// never enough: m must stand where it answers the question (Answers.MeantBy). No other
// function takes words for an answer.
func (c *Confirmations) answered(ctx context.Context, m chat.Message) (a answered, ok bool, err error) {
	if m.Kind != chat.KindText && m.Kind != chat.KindCommand {
		return a, false, nil
	}
	q, ok, err := c.rows.MeantBy(ctx, m)
	if err != nil || !ok {
		return a, false, err
	}
	form := bodyOf(q).Form
	if form == nil {
		agreed, ok := verdict(m, bodyOf(q).count())
		return answered{q, agreed, m.From, chat.Said{}, ok && forTask(m)}, ok, nil
	}
	said, ok := saidTo(m, *form)
	if !ok || !c.now().Before(q.Until) && q.State != chat.QuestionTaken {
		return a, false, nil
	}
	if c.Passes != nil {
		if passes, err := c.Passes(ctx, m); passes || err != nil {
			return a, false, err
		}
	}
	return answered{q, []bool{true}, m.From, said, false}, true, nil
}

// bodyOf returns what a question would do; nothing if it is over.
func bodyOf(q chat.Question) (b body) {
	_ = json.Unmarshal(q.Body, &b)
	return b
}

// Wrap settles questions and passes everything else on. do has the actions by kind. While a
// question waits, answers in between end with a reminder of it.
func (c *Confirmations) Wrap(next chat.Handler, do map[string]Do) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if m.Kind == chat.KindButton {
			if p, ok := pressed(m.Text); ok {
				return c.press(ctx, m, w, p, do)
			}
			return pass(ctx, m, w)
		}
		if m.Kind != chat.KindText && m.Kind != chat.KindCommand {
			return pass(ctx, m, w)
		}
		q, a, over, err := c.meets(ctx, m, w, do)
		if over || err != nil {
			return a, err
		}
		if q == nil {
			return pass(ctx, m, w)
		}
		a, err = pass(ctx, m, w)
		if err != nil || a.Text == "" || a.Private {
			return a, err
		}
		return c.besides(ctx, m, *q, a)
	})
}

// meets settles the question that m answers; over then. Otherwise q is the question that
// waits where m was written; nil for none.
func (c *Confirmations) meets(
	ctx context.Context, m chat.Message, w chat.Reply, do map[string]Do,
) (q *chat.Question, a chat.Answer, over bool, err error) {
	said, ok, err := c.answered(ctx, m)
	if err != nil {
		return nil, a, false, fmt.Errorf("confirm: %w", err)
	}
	if ok {
		if why, err := c.overruled(ctx, m, said.Question, slices.Contains(said.agreed, true)); why != "" || err != nil {
			return nil, ended(why, chat.Refused, chat.NotYours), true, err
		}
		a, err = c.afford(ctx, m, w, said, do)
		return nil, a, true, err
	}
	open, waits, err := c.rows.Question(ctx, m, "")
	if err != nil {
		return nil, a, false, fmt.Errorf("confirm: %w", err)
	}
	if !waits {
		return nil, a, false, nil
	}
	if !c.now().Before(open.Until) { // they talk of something else
		if err := c.rows.EndQuestion(ctx, open.ID, chat.QuestionSettled, ""); err != nil {
			return nil, a, false, fmt.Errorf("confirm: %w", err)
		}
	}
	return &open, a, false, nil
}

type answered struct {
	chat.Question
	agreed []bool
	by     chat.User
	said   chat.Said
	task   bool // the yes is for the rest of the task, too
}

// afford settles a question if the person's budget allows a model call for it; otherwise
// nothing is done about it any more, unless they say no, which costs nothing.
func (c *Confirmations) afford(ctx context.Context, m chat.Message, w chat.Reply, a answered, do map[string]Do) (chat.Answer, error) {
	if c.Budget == nil || len(bodyOf(a.Question).Items) == 0 || a.State == chat.QuestionTaken {
		return c.settle(ctx, m, w, a, do)
	}
	passed := false
	answer, err := c.Budget(chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		passed = true
		return c.settle(ctx, m, w, a, do)
	})).Handle(ctx, m, w)
	if passed || err != nil {
		return answer, err
	}
	if why := c.over(ctx, a.Question); why != "" {
		return ended(why, chat.Refused, chat.Expired), nil
	}
	if bodyOf(a.Question).Form == nil && !slices.Contains(a.agreed, true) {
		return c.declined(ctx, m, a)
	}
	why := c.why(ctx, chat.LapsedQuota)
	c.show(ctx, a, "⌛ "+why)
	return ended(why, chat.Refused, chat.Spent), c.rows.Lapse(ctx, a.ID, chat.LapsedQuota)
}

func (c *Confirmations) settle(ctx context.Context, m chat.Message, w chat.Reply, a answered, do map[string]Do) (chat.Answer, error) {
	if a.State != chat.QuestionTaken { // else it was weighed before
		why, err := c.weigh(ctx, m, a)
		if err != nil {
			return chat.Answer{}, fmt.Errorf("confirm: %w", err)
		}
		if why != "" {
			return ended(why, chat.Refused, chat.Expired), c.rows.EndQuestion(ctx, a.ID, chat.QuestionSettled, "")
		}
	}
	var b body
	if err := json.Unmarshal(a.Body, &b); err != nil {
		return chat.Answer{}, fmt.Errorf("confirm: %w", err)
	}
	f := do[b.Kind]
	if f == nil {
		return chat.Answer{}, fmt.Errorf("confirm: nothing does %q", b.Kind)
	}
	first, again, err := c.rows.TakeQuestion(ctx, a.ID, m)
	if err != nil {
		return chat.Answer{}, fmt.Errorf("confirm: %w", err)
	}
	if !first && !again {
		return ended(catalog.Text(ctx, wordsExpired), chat.Refused, chat.Expired), nil
	}
	yes := slices.Contains(a.agreed, true)
	c.show(ctx, a, shownAs(ctx, a))
	if len(b.Items) > 0 {
		return f(ctx, m, Settled{b.Action, a.ID, a.agreed, a.Asked, a.said, a.allows(b), again}, w)
	}
	answer := ended(catalog.Text(ctx, "All right, nothing was changed."), chat.Declined, "")
	switch {
	case yes && again && !b.Again:
		answer = ended(catalog.Text(ctx, "I was interrupted while doing this and can't tell whether it was done; please check before asking again."), chat.Failed, chat.Fault)
	case yes:
		answer, err = f(ctx, m, Settled{b.Action, a.ID, a.agreed, a.Asked, a.said, nil, again}, w)
	}
	if err != nil { // it stays taken while its answer is not there: the next process must know it
		return answer, err
	}
	return c.settled(ctx, a, answer, yes && b.Again)
}

// settled makes the question end in the transaction that stores its answer: until then the
// same words still answer it in the next process.
func (c *Confirmations) settled(ctx context.Context, a answered, answer chat.Answer, leave bool) (chat.Answer, error) {
	came := firstLine(answer.Text)
	if answer.Private {
		came = ""
	}
	switch rec := answer.Record.(type) {
	case nil:
		answer.Record = chat.Settling{Question: a.ID, Came: came, Leave: leave}
	case chat.End:
		answer.Record = chat.Settling{End: rec, Question: a.ID, Came: came, Leave: leave}
	case *memory.Turn:
		rec.Settles = &memory.Settled{Question: a.ID, Came: came}
	default: // it says by itself how it ends
		return answer, c.rows.EndQuestion(ctx, a.ID, chat.QuestionSettled, came)
	}
	return answer, nil
}

// ended returns an answer that is only text.
func ended(text string, how chat.Outcome, why chat.Reason) chat.Answer {
	return chat.Answer{Text: text, Record: chat.End{Outcome: how, Reason: why}}
}
