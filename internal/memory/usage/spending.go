// Package usage keeps the usage of model calls as rows, summed by day, person, place and
// model. It sets no limit and knows no price.
package usage

import (
	"context"
	"sync"
	"time"

	"parley/internal/chat"
	"parley/internal/db/engine"
	"parley/internal/llm"
)

// Ledger is the sums. It is safe for many goroutines.
type Ledger struct {
	db  *engine.DB
	now func() time.Time

	mu  sync.Mutex // guards due
	due []*sum     // what the next write adds
}

// NewLedger returns the ledger in a database.
func NewLedger(db *engine.DB, now func() time.Time) *Ledger { return &Ledger{db: db, now: now} }

// Used is the usage of some model calls.
type Used struct {
	Day     string // 2026-01-31, in UTC; "" where days are taken together
	Purpose string // the route; "" where all are
	Model   string // the owner's name for it
	Calls   int
	Failed  int // of Calls
	Usage   llm.Usage
}

// Day returns the day of a moment, in UTC, as limits count days.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Adds ends a statement that inserts into usage: it adds to the row that is there.
const Adds = ` ON CONFLICT (day, platform, channel, user_id, purpose, model) DO UPDATE SET calls = usage.calls + excluded.calls, failed = usage.failed + excluded.failed,
	prompt_tokens = usage.prompt_tokens + excluded.prompt_tokens, cached_tokens = usage.cached_tokens + excluded.cached_tokens,
	completion_tokens = usage.completion_tokens + excluded.completion_tokens, cost = usage.cost + excluded.cost`

// What was spent since a day began. The counters in spent follow usage by triggers.
const (
	sumSpent = "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost), 0) FROM spent WHERE kind = ? AND name = ? AND day >= ?"
	sumAll   = "SELECT coalesce(sum(prompt_tokens + completion_tokens), 0), coalesce(sum(cost), 0) FROM usage WHERE day >= ?"
)

func (l *Ledger) spent(ctx context.Context, sum string, args ...any) (tokens int64, money float64, err error) {
	if err = l.db.Settle(ctx); err == nil {
		err = l.db.QueryRow(sum, args...).Scan(&tokens, &money)
	}
	return tokens, money, engine.During("sum usage", err)
}

// UserSpent sums what a person's calls took since a day began.
func (l *Ledger) UserSpent(ctx context.Context, user string, since time.Time) (tokens int64, money float64, err error) {
	return l.spent(ctx, sumSpent, "user", user, Day(since))
}

// ChannelSpent sums what a channel took, all its threads together.
func (l *Ledger) ChannelSpent(ctx context.Context, k chat.Key, since time.Time) (tokens int64, money float64, err error) {
	return l.spent(ctx, sumSpent, "channel", k.Platform+" "+k.Channel, Day(since))
}

// AllSpent sums what everybody took, and what nobody asked for.
func (l *Ledger) AllSpent(ctx context.Context, since time.Time) (tokens int64, money float64, err error) {
	return l.spent(ctx, sumAll, Day(since))
}

// UsageSince sums by purpose and model since a day began, the dearest first.
func (l *Ledger) UsageSince(ctx context.Context, since time.Time) ([]Used, error) {
	return l.used(ctx, "''", "purpose", "sum(cost) DESC", since)
}

// UsageByDay sums by day and model since a day began, the newest first.
func (l *Ledger) UsageByDay(ctx context.Context, since time.Time) ([]Used, error) {
	return l.used(ctx, "day", "''", "day DESC, sum(cost) DESC", since)
}

func (l *Ledger) used(ctx context.Context, days, purpose, order string, since time.Time) (list []Used, err error) {
	if err := l.db.Settle(ctx); err != nil {
		return nil, engine.During("sum usage", err)
	}
	list, err = engine.Select(l.db, func(r engine.Scanner) (u Used, err error) {
		err = r.Scan(&u.Day, &u.Purpose, &u.Model, &u.Calls, &u.Failed, &u.Usage.Prompt, &u.Usage.Cached, &u.Usage.Completion, &u.Usage.Cost)
		u.Usage.Total = u.Usage.Prompt + u.Usage.Completion
		return u, err
	}, `SELECT `+days+` AS d, `+purpose+
		` AS p, model, sum(calls), sum(failed), sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens), sum(cost)
		FROM usage WHERE day >= ? GROUP BY d, p, model ORDER BY `+order+`, sum(prompt_tokens + completion_tokens) DESC`, Day(since))
	return list, engine.During("sum usage", err)
}
