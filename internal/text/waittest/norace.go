//go:build !race

package waittest

// Racing says that the race detector watches, which takes time and memory of its own.
const Racing = false
