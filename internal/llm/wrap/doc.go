// Package wrap stands around a model: it hides secrets from it (Discreet),
// holds it to limits (Meter), shows where time went (Traced) and remembers
// vectors (Embedder). Nothing in it knows an endpoint or writes a prompt.
package wrap
