package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/chat"
)

// ErrQuota says that a day's tokens are used up.
var ErrQuota = errors.New("the day's tokens are used up")

// Usage sums the tokens of finished turns. memory.Store is the real one.
type Usage interface {
	UserTokens(ctx context.Context, user string, since time.Time) (int64, error)
	ChannelTokens(ctx context.Context, k chat.Key, since time.Time) (int64, error)
	AllTokens(ctx context.Context, since time.Time) (int64, error)
}

// Limits of Quotas; 0 is no limit. Days begin at midnight UTC.
type Limits struct {
	PerMinute     int // messages of one person
	UserTokens    int64
	ChannelTokens int64
	AllTokens     int64
	// Pass lets messages past a limit of tokens on, for whoever answers
	// without a model; Reserve refuses all the same.
	Pass bool
}

// QuotaOptions of NewQuotas.
type QuotaOptions struct {
	Limits // to begin with; SetLimits changes them
	Usage  Usage
	// Exempt messages are not counted by the minute (the owner's own
	// terminal); nil exempts none. Tokens are counted for everybody.
	Exempt func(m chat.Message) bool
	Now    func() time.Time
	Log    *slog.Logger
}

// Quotas bounds what one person, one channel and everybody may use. Whoever
// is over a limit is told once a minute and then finished silently.
type Quotas struct {
	o      QuotaOptions
	limits atomic.Pointer[Limits]
	told   *once

	mu      sync.Mutex // guards what follows
	buckets map[string]bucket
	day     time.Time
	meters  map[string]*meter
}

// bucket holds the messages a person may still send, refilled steadily.
type bucket struct {
	left float64
	at   time.Time
}

// meter is what was used today under one limit, promised calls included.
type meter struct{ used, open int64 }

// NewQuotas is ready at once. Usage may be nil when no tokens are limited.
func NewQuotas(o QuotaOptions) *Quotas {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	q := &Quotas{o: o, told: newOnce(time.Minute), buckets: map[string]bucket{}, meters: map[string]*meter{}}
	q.SetLimits(o.Limits)
	return q
}

// SetLimits puts other limits in force; what was used counts against them.
func (q *Quotas) SetLimits(l Limits) { q.limits.Store(&l) }

// Rate limits messages a minute, of every kind.
func (q *Quotas) Rate(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if q.limits.Load().PerMinute > 0 && (q.o.Exempt == nil || !q.o.Exempt(m)) && !q.take(m.From.ID) {
			return q.notice(m, chat.TooFast, wordTooFast), nil
		}
		return next.Handle(context.WithValue(ctx, payer{}, m), m, w)
	})
}

// Budget limits tokens a day; it goes around what calls the model. Reserve
// does the same for each call within.
func (q *Quotas) Budget(next chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		ctx = context.WithValue(ctx, payer{}, m)
		err := q.refresh(ctx, m)
		if err == nil {
			_, err = q.promise(m, 0)
		}
		if errors.Is(err, ErrQuota) && q.limits.Load().Pass {
			return next.Handle(ctx, m, w)
		}
		if errors.Is(err, ErrQuota) {
			return q.notice(m, chat.Spent, wordUsedUp), nil
		}
		if err != nil {
			return chat.Answer{}, err
		}
		return next.Handle(ctx, m, w)
	})
}

// payer is the context key of the message whose author pays for model calls.
type payer struct{}

// Reserve is asked before each model call with an estimate of its tokens, and
// fails with ErrQuota when a limit is reached. done must be called with what
// the call really took. Calls side by side count each other's estimates, so a
// limit is passed by one call at most. A ctx that came neither through Rate nor
// through Budget is only held to the limit for everybody.
func (q *Quotas) Reserve(ctx context.Context, estimate int64) (done func(actual int64), err error) {
	m, _ := ctx.Value(payer{}).(chat.Message) // nobody pays for what nobody asked
	if err := q.refresh(ctx, m); err != nil {
		return nil, err
	}
	return q.promise(m, estimate)
}

// limit is one meter that a message counts on.
type limit struct {
	key    string
	most   int64
	stored func(ctx context.Context, since time.Time) (int64, error)
}

func (q *Quotas) bounds(m chat.Message) []limit {
	most := q.limits.Load()
	all := []limit{{"all", most.AllTokens, func(ctx context.Context, since time.Time) (int64, error) {
		return q.o.Usage.AllTokens(ctx, since)
	}}}
	if m.From.ID != "" {
		all = append(all, limit{"user " + m.From.ID, most.UserTokens, func(ctx context.Context, since time.Time) (int64, error) {
			return q.o.Usage.UserTokens(ctx, m.From.ID, since)
		}}, limit{"channel " + placeOf(m.Key), most.ChannelTokens, func(ctx context.Context, since time.Time) (int64, error) {
			return q.o.Usage.ChannelTokens(ctx, m.Key, since)
		}})
	}
	return all
}

// refresh raises m's meters to what is stored: turns of an earlier process,
// and calls that nobody reserved.
func (q *Quotas) refresh(ctx context.Context, m chat.Message) error {
	since := q.o.Now().UTC().Truncate(24 * time.Hour)
	for _, l := range q.bounds(m) {
		if l.most <= 0 {
			continue
		}
		n, err := l.stored(ctx, since)
		if err != nil {
			return fmt.Errorf("quota: %w", err)
		}
		q.mu.Lock()
		mt := q.meter(l.key, since)
		mt.used = max(mt.used, n)
		q.mu.Unlock()
	}
	return nil
}

// meter returns a meter of the day; q.mu is held.
func (q *Quotas) meter(key string, day time.Time) *meter {
	if !q.day.Equal(day) {
		q.day, q.meters = day, map[string]*meter{}
	}
	mt := q.meters[key]
	if mt == nil {
		if len(q.meters) >= maxRemembered { // refresh knows the idle ones again
			for k, v := range q.meters {
				if v.open == 0 {
					delete(q.meters, k)
				}
			}
		}
		mt = &meter{}
		q.meters[key] = mt
	}
	return mt
}

// promise sets tokens aside on all of m's meters, or on none.
func (q *Quotas) promise(m chat.Message, tokens int64) (done func(actual int64), err error) {
	day := q.o.Now().UTC().Truncate(24 * time.Hour)
	q.mu.Lock()
	defer q.mu.Unlock()
	var mine []*meter
	for _, l := range q.bounds(m) {
		if l.most <= 0 {
			continue
		}
		mt := q.meter(l.key, day)
		if mt.used+mt.open >= l.most {
			return nil, fmt.Errorf("%w: %s has %d a day", ErrQuota, l.key, l.most)
		}
		mine = append(mine, mt)
	}
	for _, mt := range mine {
		mt.open += tokens
	}
	return func(actual int64) {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, mt := range mine {
			mt.open -= tokens
			mt.used += actual
		}
	}, nil
}

// take uses one message of a person's minute.
func (q *Quotas) take(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	b := q.filled(id)
	ok := b.left >= 1
	if ok {
		b.left--
	}
	now := b.at
	makeRoom(q.buckets, func(b bucket) bool { return now.Sub(b.at) >= time.Minute })
	q.buckets[id] = b
	return ok
}

// filled is a person's bucket as of now; q.mu is held.
func (q *Quotas) filled(id string) bucket {
	now, full := q.o.Now(), float64(q.limits.Load().PerMinute)
	b, ok := q.buckets[id]
	if !ok {
		return bucket{full, now}
	}
	passed := max(0, now.Sub(b.at).Minutes())
	return bucket{min(full, b.left+passed*full), now}
}

// notice tells a person once a minute that a limit is reached.
func (q *Quotas) notice(m chat.Message, why chat.Reason, text string) chat.Answer {
	a := ended("", chat.Refused, why)
	if q.told.first(string(why)+":"+m.From.ID, q.o.Now()) {
		q.o.Log.Warn("limited", "code", codeLimited, "person", m.From.ID, "place", m.Key.String())
		a.Text = text
	}
	return a
}

// Left is what remains to a message's author, for /status; -1 is no limit.
type Left struct {
	Messages                             int // this minute
	UserTokens, ChannelTokens, AllTokens int64
}

// Left reads what remains.
func (q *Quotas) Left(ctx context.Context, m chat.Message) (Left, error) {
	if err := q.refresh(ctx, m); err != nil {
		return Left{}, err
	}
	l := Left{-1, -1, -1, -1}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.limits.Load().PerMinute > 0 && (q.o.Exempt == nil || !q.o.Exempt(m)) {
		l.Messages = int(q.filled(m.From.ID).left)
	}
	places := []*int64{&l.AllTokens, &l.UserTokens, &l.ChannelTokens}
	for i, lim := range q.bounds(m) {
		if lim.most > 0 {
			mt := q.meter(lim.key, q.o.Now().UTC().Truncate(24*time.Hour))
			*places[i] = max(0, lim.most-mt.used-mt.open)
		}
	}
	return l, nil
}
