package discord

import (
	"errors"
	"testing"
	"time"

	"parley/internal/chat"
)

// TestRestAfterAStorm: op 9 is followed by 1 to 5 s, however many came before and whatever
// connection was good for a moment; only sessions that are refused one after the other begin
// ever more rarely, and what gets nowhere.
func TestRestAfterAStorm(t *testing.T) {
	t.Parallel()
	rested := func(storm, last error, lived, least, most time.Duration) {
		t.Helper()
		for range 200 {
			p := pause{Timing: Timing{}.defaults(), next: time.Second}
			for range 20 {
				p.after(storm, 0)
			}
			if got := p.after(last, lived); got < least || got > most {
				t.Fatalf("%v after %v and %v: rested for %v", last, storm, lived, got)
			}
		}
	}
	const s = time.Second
	rested(errRefused, errRefused, 0, 30*s, 60*s)
	rested(errLost, errLost, 0, 30*s, 60*s)
	rested(errRefused, errLost, time.Millisecond, 2500*time.Millisecond, 5*s) // a RESUME is next
	rested(errRefused, errLost, time.Hour, s/2, s)
	rested(errRefused, errGone, 0, s, 5*s)
	rested(errRefused, errAgain, 0, s, 5*s)
	rested(errRefused, errAgain, time.Millisecond, s, 5*s)
	rested(errLost, errors.Join(errAgain, &chat.WaitError{After: time.Hour}), 0, time.Hour, time.Hour)
	p := pause{Timing: Timing{}.defaults(), next: s}
	if got := p.after(errRefused, 0); got < s || got > 5*s {
		t.Errorf("the first one: %v", got)
	}
}
