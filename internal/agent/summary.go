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
	_, busy := t.a.folding.Load(t.context.session.ID) // in the background: wait while there is room
	return t.keep && len(t.context.window) > 0 && (size > limit || !busy && nearly(size, limit) && grown(t.context.session, size, limit))
}

func nearly(size, limit int) bool { return float64(size) > foldAt*float64(limit) }

// grown reports whether a conversation gained enough for another fold: near the limit it
// would be folded every few messages.
func grown(se memory.Session, size, limit int) bool {
	return se.Folded == 0 || float64(size-se.Folded) >= gained*float64(limit)
}

// shouldFold reports whether to shorten the conversation after the answer, because it is
// close to the budget or the window is full, and the size of its request, sent.
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

// together is how many messages one call summarizes, as long as there is room: calls for
// every few would cost a sixth more than the answers, and lose the provider's cache each
// time.
const together = 40

// crowded reports whether so many messages are sent that the older ones should go into the
// summary, before they are too old to be read.
func (a *Agent) crowded(window, added []memory.Entry) bool {
	n := transcript.Count(window) + transcript.Count(added) - a.o.History
	return n > together || n > 0 && len(window)+len(added) > a.o.MaxMessages*4/5
}

// keeping is how many exchanges a fold leaves: most, if the request is then within this
// share of the limit; otherwise fewer until half is free, never below least.
type keeping struct {
	most, least int
	share       float64
}

// halved returns where to cut the entries of a request of some size, and the size that
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

// fold shortens the running turn's conversation before it is sent, with one summary at
// most: the last exchanges stay, as far as half the budget holds them. Summarizing the rest
// is deferred.
func (a *Agent) fold(ctx context.Context, t *turn) error {
	k := keeping{keepExchanges - 1, 0, foldAt} // the turn itself is one exchange
	if t.context.session.Folded > 0 {
		k.share = gained
	}
	cut, _ := a.halved(t.context.window, t.prompt.size(), k)
	if cut > 0 {
		var s summing
		if p := a.part(ctx, t.context.session, withoutOverheard(t.context.window[:cut])); len(p.entries) > 0 {
			s = a.sumUp(ctx, p, 1)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		a.shorten(ctx, t, cut, s)
	}
	if t.prompt.size() > a.limit() && len(t.context.window) > 0 {
		a.shorten(ctx, t, len(t.context.window), summing{err: errPutOff})
	}
	t.context.session.Folded = t.prompt.size()
	return nil
}

func (a *Agent) shorten(ctx context.Context, t *turn, cut int, s summing) {
	entries := withoutOverheard(t.context.window[:cut])
	t.context.session = a.folded(ctx, a.part(ctx, t.context.session, entries), s)
	t.context.window = t.context.window[cut:]
}
