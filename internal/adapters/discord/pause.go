package discord

import (
	"errors"
	"math/rand/v2"
	"time"

	"parley/internal/chat"
)

// pause is how long a shard rests between two connections.
type pause struct {
	Timing
	next time.Duration // about
}

// after returns how long to rest after a connection ended with err; lived is how long it
// was good for after READY or RESUMED, 0 where it never came to that. Attempts come ever more
// rarely only while none is good: RESUMEs are not counted, and an op 9 asks for 1 to 5 s. A
// session that is refused again and again does count, toward a thousand a day.
func (p *pause) after(err error, lived time.Duration) time.Duration {
	short := 5 * p.RetryMin
	switch {
	case lived > p.Stable:
		p.next = p.RetryMin
	case lived > 0:
		p.next = min(p.next, short)
	}
	rest := p.next/2 + rand.N(p.next/2+1)
	if errors.Is(err, errRefused) || errors.Is(err, errGone) || errors.Is(err, errAgain) {
		rest = max(p.RetryMin+rand.N(short-p.RetryMin+1), rest)
	}
	if errors.Is(err, errGone) || errors.Is(err, errAgain) { // what comes next is another attempt of another kind
		rest = min(rest, short)
	} else {
		p.next = min(2*p.next, p.RetryMax)
	}
	var silence *chat.WaitError
	if errors.As(err, &silence) {
		rest = max(rest, silence.After)
	}
	return rest
}
