package wrap

import (
	"context"
	"errors"
	"unicode/utf8"

	"parley/internal/llm"
)

// Mouth is the endpoint that speaks, held to limits of money and counted. It is safe for
// many goroutines.
type Mouth struct {
	Of      Speaker
	Name    string  // the owner's
	Price   float64 // of a million characters
	Reserve func(context.Context, Amount) (func(Amount), error)
	Count   Count
	Breaker Breaker
}

// Speaker makes recordings; of which voice, "" leaves to it.
type Speaker interface {
	Speak(ctx context.Context, text, voice string) (llm.Recording, error)
}

// ErrResting is returned while an endpoint rests that failed.
var ErrResting = errors.New("the endpoint failed a moment ago, and rests")

// Speak says text. Endpoints do not say what a recording took: the tokens of the text are
// counted, and its characters are paid.
func (m *Mouth) Speak(ctx context.Context, text, voice string) (r llm.Recording, err error) {
	n := llm.EstimateTokens(llm.Message{Content: text})
	used := llm.Usage{Prompt: n, Total: n, Attempts: 1, Cost: m.Price * float64(utf8.RuneCountInString(text)) / 1e6}
	done, err := m.Reserve(ctx, Amount{int64(n), used.Cost})
	if err != nil {
		return r, err
	}
	if !m.Breaker.enter() {
		done(Amount{})
		return r, ErrResting
	}
	r, err = m.Of.Speak(ctx, text, voice)
	m.Breaker.leave(ctx, err)
	if err != nil {
		used = llm.Usage{Attempts: 1}
	}
	done(Amount{int64(used.Total), used.Cost})
	m.Count(ctx, Call{"speech", m.Name, outcome(err), used})
	return r, err
}
