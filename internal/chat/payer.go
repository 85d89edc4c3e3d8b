package chat

import "context"

type payerKey struct{}

// PaidBy returns a context whose model calls are charged to the author and the
// place of a message.
func PaidBy(ctx context.Context, m Message) context.Context {
	return context.WithValue(ctx, payerKey{}, m)
}

// Payer returns the message that PaidBy named, or the zero Message.
func Payer(ctx context.Context) Message {
	m, _ := ctx.Value(payerKey{}).(Message)
	return m
}
