package times

import (
	"testing"

	"parley/internal/text/catalog"
)

// A schedule is said in words, also one of an older version, which has no anchor.
func TestRhythmsAreSaidInWords(t *testing.T) {
	for schedule, want := range map[string]string{
		"@every 336h0m0s": "every 2 weeks", "@every 24h0m0s": "every 1 day", "@every 1h30m0s": "every 90 minutes", "@every 1h0m0s": "every hour",
		"@every 2h0m0s from 2026-03-04T14:20:00Z": "every 2 hours", "0 9 * * 1": "every week on Monday at 09:00",
		"@every 2w from 2026-03-06T09:00": "every 2 weeks on Friday at 09:00",
	} {
		if got := Rhythm(schedule, catalog.Printer{}); got != want {
			t.Errorf("%s is said as %q, want %q", schedule, got, want)
		}
	}
}
