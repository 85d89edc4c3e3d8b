package gate

import (
	"context"
	"sync"
	"time"
)

// everybody is what all people spent together, which is summed over many rows.
type everybody struct {
	mu    sync.Mutex // guards the rest, also while it is summed
	day   time.Time
	until time.Time // for how long the last sum will do
	sum   Amount
}

// How long a sum will do: so long that summing takes a fiftieth of the time at most. What
// this process reserves and spends is counted besides.
const (
	sumRests = time.Second
	sumShare = 50
)

// spent sums what everybody spent since a day began, unless that was just done.
func (e *everybody) spent(ctx context.Context, q *Quotas, since time.Time) (tokens int64, money float64, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now, began := q.o.Now(), time.Now(); !e.day.Equal(since) || !now.Before(e.until) {
		if tokens, money, err = q.o.Usage.AllSpent(ctx, since); err != nil {
			return 0, 0, err
		}
		e.day, e.sum, e.until = since, Amount{tokens, money}, now.Add(max(sumRests, sumShare*time.Since(began)))
	}
	return e.sum.Tokens, e.sum.Money, nil
}
