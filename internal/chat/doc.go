// Package chat defines the types that all rooms share (who, where, what was
// said) and the Hub, which gives every conversation one lane: strict order within
// a lane, all lanes in parallel, nothing accepted before it is durable, nothing
// answered twice. It is not a platform and knows no model and no SQL.
package chat
