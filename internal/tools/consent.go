package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/text"
)

// asking makes a Meta.Ask of a function of the arguments.
func asking[A any](ask func(context.Context, Call, A) (string, error)) func(context.Context, Call) (string, error) {
	return func(ctx context.Context, c Call) (string, error) {
		var a A
		if err := json.Unmarshal(c.Args, &a); err != nil {
			return "", err
		}
		return ask(ctx, c, a)
	}
}

// about makes a Meta.Ask of words and what of the arguments stands in them, each
// shown as it is.
func about[A any](words string, values func(A) []string) func(context.Context, Call) (string, error) {
	return asking(func(_ context.Context, _ Call, a A) (string, error) {
		return sentence(words, values(a)...), nil
	})
}

// owning makes a Meta.Own of the words that are the caller's own in arguments.
func owning[A any](words func(A) string) func(context.Context, Call) (string, error) {
	return asking(func(_ context.Context, _ Call, a A) (string, error) { return words(a), nil })
}

// sentence is words with the values of a call in them, each shown as it is.
func sentence(words string, values ...string) string {
	shown := make([]any, len(values))
	for i, v := range values {
		shown[i] = text.Literal(v)
	}
	return fmt.Sprintf(words, shown...)
}
