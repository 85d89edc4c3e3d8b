package agent

import (
	"context"
	"slices"

	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/memory/transcript"
)

// When a conversation is summarized, and how long its summaries get.
const (
	keepExchanges = 5
	foldAt        = 0.8
	gained        = 0.5 // of the limit, between two folds
	overflowAt    = 1.1
	maxSummary    = 2000 // runes of the rolling summary
	maxClosing    = 500
	maxTitle      = 50
)

func (a *Agent) limit() int { return min(a.o.TokenBudget, a.o.Limits.Window(a.ModelName())) }

// tooLong reports whether a request of this size must be shortened before it is sent.
func (t *turn) tooLong(size int) bool {
	limit := t.a.limit()
	_, busy := t.a.folding.Load(t.context.session.ID) // beside: as long as there is room, it is waited for
	return t.keep && len(t.context.window) > 0 && (size > limit || !busy && nearly(size, limit) && grown(t.context.session, size, limit))
}

func nearly(size, limit int) bool { return float64(size) > foldAt*float64(limit) }

// grown reports whether a conversation gained enough since its last fold for
// another: it would be summed up every few messages near the limit.
func grown(se memory.Session, size, limit int) bool {
	return se.Folded == 0 || float64(size-se.Folded) >= gained*float64(limit)
}

// shouldFold reports whether the conversation should be shortened now that the
// answer is made and noted, and the size of its request, sent: it is close to the
// budget, or the window is full.
func (a *Agent) shouldFold(t *turn, sent []llm.Message) (size int, should bool) {
	size, limit := t.prompt.sizeOf(sent), a.limit()
	full := nearly(size, limit) && grown(t.context.session, size, limit)
	crowded := a.crowded(t.context.window, t.context.added)
	if !full && !crowded {
		return size, false
	}
	all := slices.Concat(t.context.window, t.context.added)
	return size, full && transcript.CutAt(all, 1) > 0 || crowded && transcript.CutAt(all, keepExchanges) > 0
}

// together is how many messages wait to be summed up with one call, as long as there
// is room: a call for every few would cost a sixth more than the answers, and each
// time the provider's cache of what comes before.
const together = 40

// crowded reports whether so many messages are sent that the older ones should go into
// the summary. None may be so old that it is not read any more.
func (a *Agent) crowded(window, added []memory.Entry) bool {
	n := transcript.Count(window) + transcript.Count(added) - a.o.History
	return n > together || n > 0 && len(window)+len(added) > a.o.MaxMessages*4/5
}

// keeping is how many exchanges a fold leaves: most where the request is then no
// more than this share of the limit, fewer until half of it is free, and least at
// any price.
type keeping struct {
	most, least int
	share       float64
}

// halved is where to cut entries of a request of some size. left is the size that
// remains.
func (a *Agent) halved(entries []memory.Entry, size int, k keeping) (cut, left int) {
	for n := k.most; n >= k.least; n-- {
		share := gained
		if n == k.most {
			share = k.share
		}
		if cut = len(entries); n > 0 {
			cut = transcript.CutAt(entries, n)
		}
		left = size + maxSummary/4
		for _, e := range entries[:cut] {
			left -= e.Tokens
		}
		if float64(left) <= share*float64(a.limit()) {
			break
		}
	}
	return cut, max(left, 1)
}

// fold shortens the running turn's conversation before it is sent, with one
// summary at most: the last exchanges stay, as far as half the budget holds
// them. What is still too much then is left to a later tick.
func (a *Agent) fold(ctx context.Context, t *turn) error {
	k := keeping{keepExchanges - 1, 0, foldAt} // the turn itself is one exchange
	if t.context.session.Folded > 0 {
		k.share = gained
	}
	cut, _ := a.halved(t.context.window, t.prompt.size(), k)
	if cut > 0 {
		f, n, err := a.sumUp(ctx, a.part(ctx, t.context.session, t.context.window[:cut]), 1)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		a.shorten(ctx, t, cut, summing{f, n, err})
	}
	if t.prompt.size() > a.limit() && len(t.context.window) > 0 {
		a.shorten(ctx, t, len(t.context.window), summing{err: errPutOff})
	}
	t.context.session.Folded = t.prompt.size()
	return nil
}

func (a *Agent) shorten(ctx context.Context, t *turn, cut int, s summing) {
	entries := t.context.window[:cut]
	t.context.session = a.folded(ctx, a.part(ctx, t.context.session, entries), s)
	t.context.window = t.context.window[cut:]
}
