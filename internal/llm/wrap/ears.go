package wrap

import (
	"context"

	"parley/internal/llm"
)

// Ear writes down what is said in a recording, whose name ends as its format does.
type Ear struct {
	Hear    func(ctx context.Context, name string, audio []byte) (string, error)
	Name    string // of the model, the owner's
	Price   Price
	Breaker *Breaker
}

// Ears are the models that write down recordings: the first that works.
type Ears struct {
	Of    []Ear
	Count Count
}

// Hear asks each, those that rest last. Endpoints do not say what a recording
// took: the tokens of the text are counted.
func (e Ears) Hear(ctx context.Context, name string, audio []byte) (text string, err error) {
	asked := map[string]bool{}
	for _, rested := range []bool{true, false} {
		for _, ear := range e.Of {
			if asked[ear.Name] || rested && !ear.Breaker.enter() {
				continue
			}
			asked[ear.Name] = true
			text, err = ear.Hear(ctx, name, audio)
			ear.Breaker.leave(ctx, err)
			var used llm.Usage
			if err == nil {
				n := llm.EstimateTokens(llm.Message{Content: text})
				used = llm.Usage{Completion: n, Total: n, Attempts: 1}
				used.Cost = ear.Price.Of(used)
			}
			e.Count(ctx, Call{"transcription", ear.Name, outcome(err), used})
			if err == nil || ctx.Err() != nil {
				return text, err
			}
		}
	}
	return "", err
}
