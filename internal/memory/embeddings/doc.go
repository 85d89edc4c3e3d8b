// Package embeddings is what messages mean: it makes a vector of each beside the
// conversations, the newest first, keeps them, and tells which messages of some
// places are near to a question. Who may read what, and how much nearness
// counts, its callers decide; without an embedding model it does nothing.
package embeddings
