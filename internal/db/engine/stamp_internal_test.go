package engine

import (
	"testing"
	"time"
)

// A stamp that is read digit by digit is the time that its layout says; whatever else is left to
// the layout.
func TestPlainStampIsTheLayouts(t *testing.T) {
	for _, s := range []string{"2026-02-28T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "2024-12-01T00:00:07.040Z",
		"2024-02-29T01:02:03.004Z", "2026-02-30T01:02:03.004Z", "2026-13-01T01:02:03.004Z", "2026-00-01T01:02:03.004Z",
		"2026-01-00T01:02:03.004Z", "2026-01-01T24:02:03.004Z", "2026-01-01T01:60:03.004Z", "2026-01-01T01:02:60.004Z",
		"2026-01-01T01:02:03,004Z", "2026-01-01 01:02:03.004Z", "2026-01-01T01:02:03.004+", "2026-01-01T01:02:0x.004Z", ""} {
		want, err := time.Parse(stampLayout, s)
		if err != nil {
			want = time.Time{}
		}
		plain, ok := plainStamp(s)
		if ok && (err != nil || plain != want) || !ParseStamp(s).Equal(want) {
			t.Errorf("%q is %v, %v, not %v, %v", s, plain, ok, want, err)
		}
		if day28 := err == nil && want.Day() <= 28 && s[19] == '.'; ok != day28 {
			t.Errorf("%q is read plainly: %v", s, ok)
		}
	}
}
