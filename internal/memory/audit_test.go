package memory

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestAuditCutsBetweenCharacters: what the audit leaves out begins where a
// character ends.
func TestAuditCutsBetweenCharacters(t *testing.T) {
	for _, s := range []string{"x" + strings.Repeat("ä", maxAuditText), strings.Repeat("x", maxAuditText-5) + "👨‍👩‍👧 and more"} {
		got := strings.TrimSuffix(clip(s), "…")
		if !utf8.ValidString(got) || strings.Contains(got, "\uFFFD") || strings.HasSuffix(got, "\u200D") ||
			strings.HasSuffix(got, "👨") || len(got) > maxAuditText {
			t.Errorf("ends with %q", got[len(got)-10:])
		}
	}
}
