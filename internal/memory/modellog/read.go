package modellog

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
)

// Call is a call of a model, or one attempt.
type Call struct {
	ID      int64
	Row     int64 // of the message in the inbox, 0 for none
	Key     chat.Key
	User    string // author of the message
	Purpose string // answer, summary, …
	Model   string // the owner's name for it
	Began   time.Time
	Took    time.Duration
	Error   string // why there is no answer

	// Only Read fills these; Replies fills the last two. Request and Answer are the exact JSON without secrets and
	// pictures. Reply is the parsed answer, nil if it was none. Form names the JSON schema
	// of the answer, "" for plain text.
	Request, Answer string
	Reply           *llm.Message
	Form            string
}

// Query selects calls for a message, or with Row 0 those of a place without a message.
type Query struct {
	Row      int64
	Key      chat.Key
	From, To time.Time // bounds of Began
}

const columns = "id, row, platform, channel, thread, user_id, purpose, model, began, took, error"

func scan(r interface{ Scan(...any) error }, more ...any) (c Call, err error) {
	var began string
	var took int64
	err = r.Scan(append([]any{&c.ID, &c.Row, &c.Key.Platform, &c.Key.Channel, &c.Key.Thread, &c.User, &c.Purpose, &c.Model,
		&began, &took, &c.Error}, more...)...)
	c.Began, c.Took = engine.ParseStamp(began), time.Duration(took)*time.Millisecond
	return c, err
}

// around is how long before the account of a message its calls can have been made.
const around = 24 * time.Hour

// For lists the calls for a message with an account from time at. Place and time must
// match, because rows of the inbox are reused one day.
func (t *Tape) For(ctx context.Context, row int64, k chat.Key, at time.Time) ([]Call, error) {
	if row == 0 {
		return nil, nil
	}
	return t.List(ctx, messageAt(row, k, at))
}

// maxListed limits what List returns.
const maxListed = 200

// List returns calls in the order in which they began, without request and answer.
func (t *Tape) List(ctx context.Context, q Query) ([]Call, error) {
	return t.list(ctx, q, "", func(r engine.Scanner) (Call, error) { return scan(r) })
}

// list reads calls with more columns, which scan takes.
func (t *Tape) list(ctx context.Context, q Query, more string, scan func(engine.Scanner) (Call, error)) ([]Call, error) {
	if t == nil {
		return nil, nil
	}
	t.catchUp(ctx)
	list, err := engine.Select(t.db, scan,
		"SELECT "+columns+more+` FROM calls WHERE row = :row AND platform = :platform AND channel = :channel AND thread = :thread
		AND began BETWEEN :from AND :to ORDER BY began, id LIMIT :most`,
		engine.Named{"row": q.Row, "platform": q.Key.Platform, "channel": q.Key.Channel, "thread": q.Key.Thread,
			"from": engine.Stamp(q.From), "to": engine.Stamp(q.To), "most": maxListed})
	return list, engine.During("list model calls", err)
}

// Replies lists what For does, with Reply and Form; it reads no request.
func (t *Tape) Replies(ctx context.Context, row int64, k chat.Key, at time.Time) ([]Call, error) {
	if row == 0 {
		return nil, nil
	}
	return t.list(ctx, messageAt(row, k, at), ", body", func(r engine.Scanner) (c Call, err error) {
		var body []byte
		if c, err = scan(r, &body); err != nil {
			return c, err
		}
		form, err := read(body)
		c.Reply, c.Form = form.Reply, form.Form
		return c, err
	})
}

// messageAt asks for the calls for a message.
func messageAt(row int64, k chat.Key, at time.Time) Query {
	return Query{Row: row, Key: k, From: at.Add(-around), To: at}
}

// read returns what the body of a call holds.
func read(body []byte) (form stored, err error) {
	whole, err := inflate(body)
	if err == nil {
		err = json.Unmarshal([]byte(whole), &form)
	}
	return form, err
}

// ErrNone means that a call was never kept, or was deleted.
var ErrNone = errors.New("no such model call")

// Read returns a call with request and answer, or ErrNone.
func (t *Tape) Read(ctx context.Context, id int64) (Call, error) {
	if t == nil {
		return Call{}, ErrNone
	}
	var body []byte
	c, err := scan(t.db.QueryRowContext(ctx, "SELECT "+columns+", body FROM calls WHERE id = ?", id), &body)
	if err != nil {
		return c, engine.NoRow(err, ErrNone)
	}
	form, err := read(body)
	if err != nil {
		return c, err
	}
	var request strings.Builder
	for _, one := range form.Parts {
		part, err := t.part(ctx, one)
		if err != nil {
			return c, err
		}
		request.WriteString(part)
	}
	c.Request, c.Answer, c.Reply, c.Form = request.String(), form.Answer, form.Reply, form.Form
	return c, nil
}

// part returns the text of a stored part.
func (t *Tape) part(ctx context.Context, one any) (string, error) {
	if s, ok := one.(string); ok {
		return s, nil
	}
	id, _ := one.(float64) // of JSON
	var body []byte
	if err := t.db.QueryRowContext(ctx, "SELECT body FROM pieces WHERE id = ?", int64(id)).Scan(&body); err != nil {
		return "", engine.NoRow(err, ErrNone)
	}
	return inflate(body)
}
