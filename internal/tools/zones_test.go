package tools

import (
	"parley/internal/text/times"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/chat"
)

func TestZonesAreThere(t *testing.T) {
	n := 0
	for name := range strings.Lines(times.ZoneNames) {
		n++
		if _, err := time.LoadLocation(strings.TrimSpace(name)); err != nil {
			t.Error(err)
		}
	}
	if n < 400 {
		t.Errorf("%d zones", n)
	}
	for typed, want := range map[string]string{"zur": "Europe/Zurich", "new y": "America/New_York", "america/new_y": "America/New_York",
		"UTC": "UTC", "kolkata": "Asia/Kolkata"} {
		if got := suggestZone(t.Context(), chat.Message{}, typed); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %q", typed, got)
		}
	}
	if got := suggestZone(t.Context(), chat.Message{}, "Europe/"); !slices.Contains(got, "Europe/Paris") {
		t.Errorf("%q", got)
	}
}
