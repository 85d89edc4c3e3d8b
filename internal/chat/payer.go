package chat

import "context"

type payerKey struct{}

// PaidBy names the message for which model calls within ctx are made: its
// author and its place pay for them.
func PaidBy(ctx context.Context, m Message) context.Context {
	return context.WithValue(ctx, payerKey{}, m)
}

// Payer is the message that PaidBy named; the zero Message where nobody asked.
func Payer(ctx context.Context) Message {
	m, _ := ctx.Value(payerKey{}).(Message)
	return m
}
