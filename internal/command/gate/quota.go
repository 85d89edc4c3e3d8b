package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// ErrQuota: a day's tokens or money are used up.
var ErrQuota = errors.New("the day's allowance is used up")

// Amount is what model calls cost.
type Amount struct {
	Tokens int64
	Money  float64 // in limits.currency
}

func (a Amount) plus(b Amount) Amount { return Amount{a.Tokens + b.Tokens, a.Money + b.Money} }

// Usage sums the cost of finished calls. usage.Ledger is the real one.
type Usage interface {
	UserSpent(ctx context.Context, user string, since time.Time) (tokens int64, money float64, err error)
	ChannelSpent(ctx context.Context, k chat.Key, since time.Time) (tokens int64, money float64, err error)
	AllSpent(ctx context.Context, since time.Time) (tokens int64, money float64, err error)
}

// Limits of Quotas; 0 is no limit. Days begin at midnight UTC.
type Limits struct {
	PerMinute          int // messages of one person
	User, Channel, All Amount
	// Agents replace User and Channel where an agent has limits of its own, by its
	// memory; 0 is as for all.
	Agents map[string]AgentLimits
	// Pass lets messages through when a limit of tokens or money is reached, for
	// handlers that answer without a model; Reserve still refuses.
	Pass bool
}

// AgentLimits are the limits of one of several agents.
type AgentLimits struct{ User, Channel Amount }

// or returns a, and b where it has no limit.
func (a Amount) or(b Amount) Amount {
	return Amount{cmp.Or(a.Tokens, b.Tokens), cmp.Or(a.Money, b.Money)}
}

// QuotaOptions of NewQuotas.
type QuotaOptions struct {
	Limits // to begin with; SetLimits changes them
	Usage  Usage
	// Exempt messages are not counted by the minute (the owner's own terminal); nil exempts
	// none. Tokens are counted for everybody.
	Exempt func(m chat.Message) bool
	// Free reports a message that is answered for nothing, which passes when a limit of
	// tokens or money is reached; nil reports none.
	Free func(ctx context.Context, m chat.Message) bool
	Now  func() time.Time
	Log  *slog.Logger
}

// Quotas bounds what one person, one channel and everybody may use. People over a limit are
// told once a minute; their other messages end silently.
type Quotas struct {
	o      QuotaOptions
	limits atomic.Pointer[Limits]
	told   *once
	all    everybody

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

// meter counts today's use under one limit, reserved calls included.
type meter struct{ used, open Amount }

// spent reports whether nothing is left of what a limit allows.
func (m *meter) spent(most Amount) bool {
	now := m.used.plus(m.open)
	return most.Tokens > 0 && now.Tokens >= most.Tokens || most.Money > 0 && now.Money >= most.Money
}

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

// SetLimits changes the limits; what was already used counts against them.
func (q *Quotas) SetLimits(l Limits) { q.limits.Store(&l) }

// Rate limits messages a minute, of every kind.
func (q *Quotas) Rate(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		if q.limits.Load().PerMinute > 0 && m.Attempt == 0 && // it was counted then
			(q.o.Exempt == nil || !q.o.Exempt(m)) && !q.take(m.From.ID) {
			return q.notice(m, chat.TooFast, catalog.Text(ctx, "That was a lot of messages at once. Please give me a minute.")), nil
		}
		return pass(chat.PaidBy(ctx, m), m, w)
	})
}

// Budget limits tokens a day; it goes around what calls the model. Reserve
// does the same for each call within.
func (q *Quotas) Budget(next chat.Handler) chat.Handler {
	pass := chat.FuncOf(next)
	return chat.HandlerFunc(func(ctx context.Context, m chat.Message, w chat.Reply) (chat.Answer, error) {
		ctx = chat.PaidBy(ctx, m)
		err := q.refresh(ctx, m)
		if err == nil {
			_, err = q.promise(m, Amount{})
		}
		if errors.Is(err, ErrQuota) && (q.limits.Load().Pass || q.o.Free != nil && q.o.Free(ctx, m)) {
			return pass(ctx, m, w)
		}
		if errors.Is(err, ErrQuota) {
			return q.notice(m, chat.Spent, q.usedUp(ctx)), nil
		}
		if err != nil {
			return chat.Answer{}, err
		}
		return pass(ctx, m, w)
	})
}

// Reserve is asked before each model call with an estimate of its cost, and fails with
// ErrQuota when a limit is reached. Call done with the real cost. Concurrent calls count each
// other's estimates, so a limit is exceeded by one call at most. A ctx without a payer
// (chat.PaidBy) is held to the limit for everybody only.
func (q *Quotas) Reserve(ctx context.Context, estimate Amount) (done func(actual Amount), err error) {
	m := chat.Payer(ctx) // work that nobody asked for is charged to nobody
	if err := q.refresh(ctx, m); err != nil {
		return nil, err
	}
	return q.promise(m, estimate)
}

// limit is one meter that a message counts on.
type limit struct {
	key    string
	of     func(*Left) *Amount
	most   Amount
	stored func(ctx context.Context, since time.Time) (tokens int64, money float64, err error)
}

// bounds returns the limits there are for a message.
func (q *Quotas) bounds(m chat.Message) (all []limit) {
	most := q.limits.Load()
	user, key := m.From.ID, m.Key // m is large, and closures would keep it
	own := most.Agents[m.Agent.ID]
	add := func(l limit) {
		if l.most.Tokens > 0 || l.most.Money > 0 {
			all = append(all, l)
		}
	}
	add(limit{"all", func(l *Left) *Amount { return &l.All }, most.All,
		func(ctx context.Context, since time.Time) (int64, float64, error) { return q.all.spent(ctx, q, since) }})
	if user != "" {
		add(limit{"user " + user, func(l *Left) *Amount { return &l.User }, own.User.or(most.User),
			func(ctx context.Context, since time.Time) (int64, float64, error) {
				return q.o.Usage.UserSpent(ctx, user, since)
			}})
	}
	if key.Channel != "" {
		add(limit{"channel " + chat.PlaceID(key), func(l *Left) *Amount { return &l.Channel }, own.Channel.or(most.Channel),
			func(ctx context.Context, since time.Time) (int64, float64, error) {
				return q.o.Usage.ChannelSpent(ctx, key, since)
			}})
	}
	return all
}

func (q *Quotas) today() time.Time { return q.o.Now().UTC().Truncate(24 * time.Hour) }

// usedUp tells people that nothing is left, and when there will be.
func (q *Quotas) usedUp(ctx context.Context) string {
	left := q.today().AddDate(0, 0, 1).Sub(q.o.Now()).Round(time.Minute)
	return catalog.Say(ctx, "Today's allowance is used up. It renews at midnight UTC, in %s; please come back then.", inHours(ctx, left))
}

// inHours returns a time of less than a day as people say it.
func inHours(ctx context.Context, d time.Duration) string {
	h, m := int(d/time.Hour), int(d%time.Hour/time.Minute)
	switch {
	case h == 0:
		return catalog.Many(ctx, max(m, 1), "minute")
	case h >= 3 || m == 0:
		return catalog.Many(ctx, h, "hour")
	}
	return catalog.Many(ctx, h, "hour") + " " + catalog.Many(ctx, m, "minute")
}

// refresh raises m's meters to the stored values, which include calls of an earlier process
// and calls without a reservation.
func (q *Quotas) refresh(ctx context.Context, m chat.Message) error {
	since := q.today()
	for _, l := range q.bounds(m) {
		tokens, money, err := l.stored(ctx, since)
		if err != nil {
			return fmt.Errorf("quota: %w", err)
		}
		q.mu.Lock()
		mt := q.meter(l.key, since)
		mt.used = Amount{max(mt.used.Tokens, tokens), max(mt.used.Money, money)}
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
		if len(q.meters) >= maxRemembered { // refresh restores the idle ones
			for k, v := range q.meters {
				if v.open == (Amount{}) {
					delete(q.meters, k)
				}
			}
		}
		mt = &meter{}
		q.meters[key] = mt
	}
	return mt
}

// promise reserves an amount on all of m's meters, or on none.
func (q *Quotas) promise(m chat.Message, aside Amount) (done func(actual Amount), err error) {
	day := q.today()
	q.mu.Lock()
	defer q.mu.Unlock()
	var mine []*meter
	for _, l := range q.bounds(m) {
		mt := q.meter(l.key, day)
		if mt.spent(l.most) {
			return nil, fmt.Errorf("%w: %s", ErrQuota, l.key)
		}
		mine = append(mine, mt)
	}
	for _, mt := range mine {
		mt.open = mt.open.plus(aside)
	}
	return func(actual Amount) {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, mt := range mine {
			mt.open = mt.open.plus(Amount{-aside.Tokens, -aside.Money})
			if mt.open.Tokens == 0 {
				mt.open.Money = 0 // what rounding left
			}
			mt.used = mt.used.plus(actual)
		}
	}, nil
}

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

// filled returns a person's bucket as of now; q.mu is held.
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
	Messages           int // this minute
	User, Channel, All Amount
}

// Left reads what remains.
func (q *Quotas) Left(ctx context.Context, m chat.Message) (Left, error) {
	if err := q.refresh(ctx, m); err != nil {
		return Left{}, err
	}
	none := Amount{-1, -1}
	l := Left{-1, none, none, none}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.limits.Load().PerMinute > 0 && (q.o.Exempt == nil || !q.o.Exempt(m)) {
		l.Messages = int(q.filled(m.From.ID).left)
	}
	for _, lim := range q.bounds(m) {
		left := none
		mt := q.meter(lim.key, q.today())
		gone := mt.used.plus(mt.open)
		if lim.most.Tokens > 0 {
			left.Tokens = max(0, lim.most.Tokens-gone.Tokens)
		}
		if lim.most.Money > 0 {
			left.Money = max(0, lim.most.Money-gone.Money)
		}
		*lim.of(&l) = left
	}
	return l, nil
}

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

// maxRemembered bounds how many people a process remembers; beyond it some are forgotten,
// which costs only a repeated notice.
const maxRemembered = 10_000

// once lets something happen once per key and period.
type once struct {
	every time.Duration
	mu    sync.Mutex // guards seen
	seen  map[string]time.Time
}

func newOnce(every time.Duration) *once {
	return &once{every: every, seen: map[string]time.Time{}}
}

// first reports whether this is the first time in its period.
func (o *once) first(key string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if at, ok := o.seen[key]; ok && now.Sub(at) < o.every {
		return false
	}
	makeRoom(o.seen, func(at time.Time) bool { return now.Sub(at) >= o.every })
	o.seen[key] = now
	return true
}

// makeRoom keeps a map below maxRemembered: stale entries leave first, then
// any.
func makeRoom[V any](all map[string]V, stale func(V) bool) {
	if len(all) < maxRemembered {
		return
	}
	for k, v := range all {
		if stale(v) {
			delete(all, k)
		}
	}
	for k := range all {
		if len(all) < maxRemembered*3/4 { // so that the next many inserts are cheap
			return
		}
		delete(all, k)
	}
}
