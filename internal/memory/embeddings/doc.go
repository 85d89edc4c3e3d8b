// Package embeddings makes and stores a vector of each message, the newest first, and finds
// the messages of some places that are nearest to a question. Its callers decide who may
// read what, and how much nearness counts. Without an embedding model it does nothing.
package embeddings
