package memory

import (
	"context"
	"time"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/sqlite"
)

// Used is what model calls took.
type Used struct {
	Purpose string // the route
	Model   string // the owner's name for it
	Calls   int
	Failed  int // of Calls
	Usage   llm.Usage
}

// day is the day of a moment, in UTC, as limits count days.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// AddUsage adds calls to what a person took today in a place. Both are empty
// where nobody asked.
func (s *Store) AddUsage(ctx context.Context, k chat.Key, user string, u Used) error {
	return during("add usage", s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`INSERT INTO usage (day, platform, channel, user_id, purpose, model, calls, failed, prompt_tokens, cached_tokens, completion_tokens, cost)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`+addUsage,
			day(s.now()), k.Platform, k.Channel, user, u.Purpose, u.Model, u.Calls, u.Failed, u.Usage.Prompt, u.Usage.Cached, u.Usage.Completion, u.Usage.Cost)
		return err
	}))
}

// addUsage adds to the row that is there.
const addUsage = ` ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failed = failed + excluded.failed,
	prompt_tokens = prompt_tokens + excluded.prompt_tokens, cached_tokens = cached_tokens + excluded.cached_tokens,
	completion_tokens = completion_tokens + excluded.completion_tokens, cost = cost + excluded.cost`

const sumUsage = "SELECT coalesce(sum(prompt_tokens + completion_tokens), 0), coalesce(sum(cost), 0) FROM usage WHERE day >= ?"

// UserSpent sums what a person's calls took since a day began.
func (s *Store) UserSpent(_ context.Context, user string, since time.Time) (tokens int64, money float64, err error) {
	err = s.db.QueryRow(sumUsage+" AND user_id = ?", day(since), user).Scan(&tokens, &money)
	return tokens, money, during("sum usage", err)
}

// ChannelSpent sums what a channel took, all its threads together.
func (s *Store) ChannelSpent(_ context.Context, k chat.Key, since time.Time) (tokens int64, money float64, err error) {
	err = s.db.QueryRow(sumUsage+" AND platform = ? AND channel = ?", day(since), k.Platform, k.Channel).Scan(&tokens, &money)
	return tokens, money, during("sum usage", err)
}

// AllSpent sums what everybody took, and what nobody asked for.
func (s *Store) AllSpent(_ context.Context, since time.Time) (tokens int64, money float64, err error) {
	err = s.db.QueryRow(sumUsage, day(since)).Scan(&tokens, &money)
	return tokens, money, during("sum usage", err)
}

// DayUsed is what calls of a model took on a day, whatever they were for.
type DayUsed struct {
	Day string // 2026-01-31, in UTC
	Used
}

// UsageByDay sums by day and model since a day began, the newest first.
func (s *Store) UsageByDay(_ context.Context, since time.Time) ([]DayUsed, error) {
	rows, err := s.db.Query(`SELECT day, model, sum(calls), sum(failed), sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens), sum(cost)
		FROM usage WHERE day >= ? GROUP BY day, model ORDER BY day DESC, sum(cost) DESC, sum(prompt_tokens + completion_tokens) DESC, model`, day(since))
	if err != nil {
		return nil, during("sum usage", err)
	}
	defer func() { _ = rows.Close() }()
	var list []DayUsed
	for rows.Next() {
		var u DayUsed
		if err := rows.Scan(&u.Day, &u.Model, &u.Calls, &u.Failed, &u.Usage.Prompt, &u.Usage.Cached, &u.Usage.Completion, &u.Usage.Cost); err != nil {
			return nil, during("sum usage", err)
		}
		u.Usage.Total = u.Usage.Prompt + u.Usage.Completion
		list = append(list, u)
	}
	return list, during("sum usage", rows.Err())
}

// UsageSince sums by purpose and model since a day began, the dearest first.
func (s *Store) UsageSince(_ context.Context, since time.Time) ([]Used, error) {
	rows, err := s.db.Query(`SELECT purpose, model, sum(calls), sum(failed), sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens), sum(cost)
		FROM usage WHERE day >= ? GROUP BY purpose, model ORDER BY sum(cost) DESC, sum(prompt_tokens + completion_tokens) DESC`, day(since))
	if err != nil {
		return nil, during("sum usage", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Used
	for rows.Next() {
		var u Used
		if err := rows.Scan(&u.Purpose, &u.Model, &u.Calls, &u.Failed, &u.Usage.Prompt, &u.Usage.Cached, &u.Usage.Completion, &u.Usage.Cost); err != nil {
			return nil, during("sum usage", err)
		}
		u.Usage.Total = u.Usage.Prompt + u.Usage.Completion
		list = append(list, u)
	}
	return list, during("sum usage", rows.Err())
}
