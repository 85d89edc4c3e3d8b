package tools

import (
	"context"
	"encoding/json"

	"parley/internal/text"
	"parley/internal/text/catalog"
)

// asking makes a Meta.Ask from a function of the arguments.
func asking[A any](ask func(context.Context, Call, A) (string, error)) func(context.Context, Call) (string, error) {
	return func(ctx context.Context, c Call) (string, error) {
		var a A
		if err := json.Unmarshal(c.Args, &a); err != nil {
			return "", err
		}
		return ask(ctx, c, a)
	}
}

// about makes a Meta.Ask from a format and the arguments that fill it, each shown
// as it is.
func about[A any](words string, values func(A) []string) func(context.Context, Call) (string, error) {
	return asking(func(ctx context.Context, _ Call, a A) (string, error) {
		return sentence(ctx, words, values(a)...), nil
	})
}

// withRest adds all arguments of a call to a question that does not say some of them; more
// tells that there are such.
func withRest(say string, c Call, more bool) string {
	if !more {
		return say
	}
	return say + "\n" + Listed(c.Args)
}

// owning makes a Meta.Own from the caller's own words in the arguments.
func owning[A any](words func(A) string) func(context.Context, Call) (string, error) {
	return asking(func(_ context.Context, _ Call, a A) (string, error) { return words(a), nil })
}

// sentence fills a format with the values of a call, each shown as it is.
func sentence(ctx context.Context, words string, values ...string) string {
	shown := make([]any, len(values))
	for i, v := range values {
		shown[i] = text.Exact(v)
	}
	return catalog.Say(ctx, words, shown...)
}
