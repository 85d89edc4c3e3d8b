// Package wrap stands around models: it asks them in order until one answers
// (Route), lets one rest that failed (Breaker), holds each to limits of tokens
// and money (Meter), learns how its tokens count (Gauge) and how many it takes
// (Window), hides secrets from it (Discreet), shows where time went (Traced) and
// remembers vectors (Embedder). Nothing in it knows an endpoint or writes a
// prompt.
package wrap
