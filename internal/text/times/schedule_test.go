package times

import (
	"strings"
	"testing"
	"time"
)

func TestNextTime(t *testing.T) {
	t.Parallel()
	at := func(zone, text string) time.Time {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		when, err := time.ParseInLocation("2006-01-02 15:04", text, loc)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, tt := range []struct{ schedule, zone, after, want string }{
		{"0 9 * * 1-5", "UTC", "2026-03-06 10:00", "2026-03-09 09:00"}, // over a weekend
		{"30 2 * * *", "Europe/Berlin", "2026-03-28 12:00", "2026-03-29 03:30"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-24 12:00", "2026-10-25 02:30"},
		{"0 12 29 2 *", "UTC", "2026-03-01 00:00", "2028-02-29 12:00"},
		{"@every 2h0m0s", "UTC", "2026-03-01 10:30", "2026-03-01 12:30"},
		{"@weekly", "UTC", "2026-03-04 10:30", "2026-03-08 00:00"},

		{"0 0 31 2 *", "UTC", "2026-03-01 00:00", "never"},
		{"* * * * *", "UTC", "2026-03-01 00:00", "often"},
		{"@every 1s", "UTC", "2026-03-01 00:00", "often"},
		{"@every 0s", "UTC", "2026-03-01 00:00", "often"},
		{"@every -5h", "UTC", "2026-03-01 00:00", "often"},
		{"*/2 9 * * *", "UTC", "2026-03-01 00:00", "often"},
		{"TZ=UTC", "UTC", "2026-03-01 00:00", "read"},
		{"CRON_TZ=UTC", "UTC", "2026-03-01 00:00", "read"},
		{"@reboot", "UTC", "2026-03-01 00:00", "read"},
		{"99 9 * * *", "UTC", "2026-03-01 00:00", "read"},
		{strings.Repeat("*,", 10000) + "* * * * *", "UTC", "2026-03-01 00:00", "read"},
		{"0 9 * * *", "Mars/Base", "", "time zone"},
	} {
		var after time.Time
		if tt.after != "" {
			after = at(tt.zone, tt.after)
		}
		got, err := Next(tt.schedule, tt.zone, after)
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%.40s: %v, want %q", tt.schedule, err, tt.want)
			}
			continue
		}
		if text := got.Format("2006-01-02 15:04"); text != tt.want {
			t.Errorf("%s after %s in %s: %s, want %s", tt.schedule, tt.after, tt.zone, text, tt.want)
		}
	}
}

// A time that the clocks repeat comes up once that night.
func TestNextTimeIsNotDoubled(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Date(2026, 10, 25, 2, 30, 0, 0, berlin)
	next, err := Next("30 2 * * *", "Europe/Berlin", first)
	if err != nil || next.Sub(first) < 24*time.Hour {
		t.Errorf("after %v comes %v, %v", first, next, err)
	}
}
