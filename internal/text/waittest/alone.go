package waittest

import "testing"

// Alone leaves a long test to runs without the race detector, which are those that are
// not short: nothing runs at the same time in it.
func Alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing runs at the same time here")
	}
}
