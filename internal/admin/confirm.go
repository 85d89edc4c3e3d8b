package admin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"parley/internal/chat"
)

// confirmLife is how long a question waits.
const confirmLife = 5 * time.Minute

// Pending keeps the one question that waits for a person in a place: m's
// author and Key. memory.Store is the real one.
type Pending interface {
	PutPending(ctx context.Context, m chat.Message, id string, body []byte, until time.Time) error
	HasPending(ctx context.Context, m chat.Message) (bool, error)
	// TakePending removes it; id "" is whichever there is, nil none.
	TakePending(ctx context.Context, m chat.Message, id string) (body []byte, until time.Time, err error)
	// Secret returns the secret of this name, storing fresh when there is none.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
}

// Action is what a yes does. Args are the exact arguments that were shown.
type Action struct {
	Kind string          `json:"kind"`
	Args json.RawMessage `json:"args"`
}

// Do carries out an action of one kind. m is the yes; its author is the one
// who was asked. It is called at most once per question: when the process dies
// in between, the action is not repeated.
type Do func(ctx context.Context, m chat.Message, a Action) (chat.Answer, error)

// Confirmations asks before something is done that cannot be undone. A
// question belongs to one person in one place, waits five minutes, survives a
// restart and is answered once, by its button or by yes or no in plain text.
type Confirmations struct {
	rows   Pending
	secret []byte
	now    func() time.Time
}

// NewConfirmations reads, or makes, the secret that signs buttons. now may be
// nil.
func NewConfirmations(ctx context.Context, rows Pending, now func() time.Time) (*Confirmations, error) {
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	secret, err := rows.Secret(ctx, "buttons", fresh)
	if err != nil {
		return nil, fmt.Errorf("confirmations: %w", err)
	}
	if now == nil {
		now = time.Now
	}
	return &Confirmations{rows: rows, secret: secret, now: now}, nil
}

// question is the stored form of what waits. Nonce makes its hash, the id,
// differ from any other.
type question struct {
	Action
	Nonce string `json:"nonce"`
}

// Ask puts a question to m's author in m's place, instead of any that waits
// there, and returns it as an answer. It must not be made Private: where
// private answers go elsewhere, so would the yes.
func (c *Confirmations) Ask(ctx context.Context, m chat.Message, text string, a Action) (chat.Answer, error) {
	body, err := json.Marshal(question{a, rand.Text()})
	if err != nil {
		return chat.Answer{}, fmt.Errorf("ask: %w", err)
	}
	id := questionID(body)
	if err := c.rows.PutPending(ctx, m, id, body, c.now().Add(confirmLife)); err != nil {
		return chat.Answer{}, fmt.Errorf("ask: %w", err)
	}
	return chat.Answer{Text: text + "\n" + wordAsk, Record: chat.End{Outcome: chat.Asked, Reason: chat.NeedsYes}, Buttons: [][]chat.Button{{
		{Label: wordYes, Data: c.token("yes", id, m)},
		{Label: wordNo, Data: c.token("no", id, m)},
	}}}, nil
}

// token is a button's Data: the verdict, the question and a signature over
// both, the person and the place. 4+17+16 bytes at most.
func (c *Confirmations) token(verdict, id string, m chat.Message) string {
	mac := hmac.New(sha256.New, c.secret)
	fmt.Fprintf(mac, "%s\n%s\n%s\n%s", verdict, id, m.From.ID, m.Key)
	return verdict + ":" + id + ":" + short(mac.Sum(nil))
}

// questionID is the hash of all that was asked, arguments included.
func questionID(body []byte) string {
	sum := sha256.Sum256(body)
	return short(sum[:])
}

// short is 80 bits of a hash.
func short(sum []byte) string { return base32.StdEncoding.EncodeToString(sum[:10]) }

// Waits tells whether m, in plain text, answers a question its author was
// asked here.
func (c *Confirmations) Waits(ctx context.Context, m chat.Message) (bool, error) {
	if verdict(m) == "" {
		return false, nil
	}
	return c.rows.HasPending(ctx, m)
}

// Wrap answers yes and no, and hands everything else on. Anything else that
// the person writes here takes the question back. do has the actions by kind.
func (c *Confirmations) Wrap(next chat.Handler, do map[string]Do) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		switch m.Kind {
		case chat.KindButton:
			v, rest, _ := strings.Cut(m.Text, ":")
			id, _, ok := strings.Cut(rest, ":")
			if !ok || v != "yes" && v != "no" {
				return next.Handle(ctx, m, w)
			}
			if !hmac.Equal([]byte(m.Text), []byte(c.token(v, id, m))) {
				return ended(wordNotYours, chat.Refused, chat.NotYours), nil
			}
			return c.settle(ctx, m, id, v, do)
		case chat.KindText, chat.KindCommand:
			waits, err := c.rows.HasPending(ctx, m)
			if err != nil {
				return chat.Answer{}, fmt.Errorf("confirm: %w", err)
			}
			if !waits {
				return next.Handle(ctx, m, w)
			}
			if v := verdict(m); v != "" {
				return c.settle(ctx, m, "", v, do)
			}
			if _, _, err := c.rows.TakePending(ctx, m, ""); err != nil {
				return chat.Answer{}, fmt.Errorf("confirm: %w", err)
			}
		}
		return next.Handle(ctx, m, w)
	})
}

// settle uses the question up, whatever the verdict.
func (c *Confirmations) settle(ctx context.Context, m chat.Message, id, verdict string, do map[string]Do) (chat.Answer, error) {
	body, until, err := c.rows.TakePending(ctx, m, id)
	if err != nil {
		return chat.Answer{}, fmt.Errorf("confirm: %w", err)
	}
	if body == nil || !c.now().Before(until) || id != "" && id != questionID(body) {
		return ended(wordExpired, chat.Refused, chat.Expired), nil
	}
	if verdict == "no" {
		return ended(wordKept, chat.Declined, ""), nil
	}
	var q question
	if err := json.Unmarshal(body, &q); err != nil {
		return chat.Answer{}, fmt.Errorf("confirm: %w", err)
	}
	f := do[q.Kind]
	if f == nil {
		return chat.Answer{}, fmt.Errorf("confirm: nothing does %q", q.Kind)
	}
	return f(ctx, m, q.Action)
}

// ended is an answer that is no more than its words.
func ended(text string, how chat.Outcome, why chat.Reason) chat.Answer {
	return chat.Answer{Text: text, Record: chat.End{Outcome: how, Reason: why}}
}

// verdict reads m as "yes" or "no"; "" when it is neither, or somebody else's
// words.
func verdict(m chat.Message) string {
	if m.Kind != chat.KindText || m.Forwarded || len(m.Text) > 40 {
		return ""
	}
	return answers[strings.ToLower(strings.TrimFunc(clean(m.Text), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r)
	}))]
}
