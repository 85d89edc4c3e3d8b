// Package chat is the words people and rooms share — who, where, what was
// said — and the Hub that gives every conversation one lane: strict order
// inside, all of them side by side, nothing accepted before it is durable,
// nothing answered twice. It is not a platform, knows no model and no SQL.
package chat
