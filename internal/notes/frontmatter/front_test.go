package frontmatter

import (
	"strings"
	"testing"
	"time"
)

func TestProperties(t *testing.T) {
	for name, c := range map[string]struct{ head, want string }{
		"values":       {"phone: +49 30 123\nopen: true\nrooms: 3\n", "phone: +49 30 123\nopen: true\nrooms: 3"},
		"lists":        {"status: [open, paid]\nbooks:\n  - A: one\n  - two\n", "status: open, paid\nbooks: two"},
		"nested":       {"address:\n  city: Lyon\n  zip: \"01234\"\n", "address.city: Lyon\naddress.zip: 01234"},
		"links":        {"author: \"[[Ann Lee]]\"\n", "author: [[Ann Lee]]"},
		"taken before": {"title: T\ntags: [a]\naliases: b\nYear: 2026-05-03\n", "year: 2026-05-03"},
		"not YAML":     {"phone: [123\nmail: a@b\n", "phone: [123\nmail: a@b\n"},
		"anchors":      {"a: &x 1\nb: *x\nc: 2\n", "c: 2"},
	} {
		m, rest := Parse("---\n" + c.head + "---\nText.\n")
		if got := m.Text(); got != c.want || rest != "Text.\n" {
			t.Errorf("%s: %q, want %q; %q", name, got, c.want, rest)
		}
	}
	m, _ := Parse("---\n" + strings.Repeat("a: {b: ", 20) + "1" + strings.Repeat("}", 20) + "\n---\n")
	if len(m.Properties) > maxProperties {
		t.Errorf("%d properties", len(m.Properties))
	}
}

func TestDay(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"2026-05-03.md", "", "2026-05-03"},
		{"Journal/2026-05-03 Sunday.md", "date: 2020-01-01", "2026-05-03"},
		{"20260503-call.md", "", "2026-05-03"},
		{"2026_05_03.md", "", "2026-05-03"},
		{"2026.05.03.md", "", "2026-05-03"},
		{"2026-05.md", "", "2026-05-01"},
		{"202605.md", "", ""},
		{"2026-13-40.md", "", ""},
		{"2026-02-31.md", "", ""},
		{"call.md", "created: 2020-01-01\ndate: 2026-05-03T10:00", "2026-05-03"},
		{"call.md", "Datum: 3.5.2026", "2026-05-03"},
		{"call.md", "erstellt: 2026/05/03", "2026-05-03"},
		{"invoice 12026-05-031.md", "", ""},
		{"call.md", "due: 2026-05-03", ""},
	} {
		m, _ := Parse("---\n" + c.head + "\n---\n")
		got := ""
		if day := Day(c.name, m.Properties); day != 0 {
			got = time.Unix(int64(day)*SecondsOfDay, 0).UTC().Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%s, %q: %q, want %q", c.name, c.head, got, c.want)
		}
	}
}
