package memory

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestQuirksLastAMonth: what was learned belongs to one model at one endpoint,
// and is forgotten after a month, when servers are others.
func TestQuirksLastAMonth(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, err := openIn(t, filepath.Join(t.TempDir(), "data"), Options{Now: func() time.Time { return now }})
	must(t, err)
	defer func() { _ = s.Close() }()
	for _, q := range []string{"no-tools", "no-system", "no-tools"} {
		must(t, s.LearnQuirk(t.Context(), "http://a/v1", "m", q))
	}
	for _, tt := range []struct {
		endpoint, model string
		later           time.Duration
		want            []string
	}{
		{"http://a/v1", "m", 29 * 24 * time.Hour, []string{"no-system", "no-tools"}},
		{"http://b/v1", "m", 0, nil}, {"http://a/v1", "n", 0, nil},
		{"http://a/v1", "m", 31 * 24 * time.Hour, nil},
	} {
		now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(tt.later)
		if got, err := s.Quirks(t.Context(), tt.endpoint, tt.model); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
}
