//go:build race

package waittest

// Racing says that the race detector watches.
const Racing = true
