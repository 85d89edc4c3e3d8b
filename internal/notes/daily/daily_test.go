package daily

import (
	"strings"
	"testing"
	"time"
)

var day = time.Date(2026, 11, 22, 9, 5, 7, 0, time.UTC) // a Sunday

func TestPath(t *testing.T) {
	for settings, want := range map[string]string{
		``:                                     "2026-11-22.md",
		`{}`:                                   "2026-11-22.md",
		`broken`:                               "2026-11-22.md",
		`{"folder":"Journal/"}`:                "Journal/2026-11-22.md",
		`{"format":"YYYY/MM-MMMM/YYYY-MM-DD"}`: "2026/11-November/2026-11-22.md",
		`{"folder":"D","format":"dddd, Do MMM YY [at] [W]WW"}`: "D/Sunday, 22nd Nov 26 at W47.md",
		`{"format":"gggg-[W]ww-E DDDD"}`:                       "2026-W47-7 326.md",
		`{"folder":"../..","format":"x"}`:                      "../../x.md",
	} {
		if got := Settings(settings).Path(day); got != want {
			t.Errorf("%s: %s, not %s", settings, got, want)
		}
	}
	p := Settings(`{"template":"Templates/Daily","format":"DD.MM.YYYY"}`)
	if got := p.New("# {{title}} {{date}} {{ time }} {{date:dddd}} {{other}} {{", day); p.TemplatePath() != "Templates/Daily.md" ||
		got != "# 22.11.2026 2026-11-22 09:05 Sunday {{other}} {{" {
		t.Errorf("%q", got)
	}
}

func TestWith(t *testing.T) {
	for _, c := range []struct{ note, want string }{
		{"", "## Parley\n\n- x\n"},
		{"# Day\n", "# Day\n\n## Parley\n\n- x\n"},
		{"# Day\r\n\r\na\r\n", "# Day\r\n\r\na\r\n\r\n## Parley\r\n\r\n- x\r\n"},
		{"a", "a\n\n## Parley\n\n- x\n"},
		{"## Parley\n\n- a\n", "## Parley\n\n- a\n- x\n"},
		{"## Parley\n\n- a\n\n## More\nb\n", "## Parley\n\n- a\n- x\n\n## More\nb\n"},
		{"## Parley\n## More\n", "## Parley\n\n- x\n## More\n"},
		{"## Parley", "## Parley\n\n- x\n"},
	} {
		got, ok := With(c.note, "- x")
		if got != c.want || !ok {
			t.Errorf("%q: %q", c.note, got)
		}
		if again, ok := With(got, "- x"); ok || again != got {
			t.Errorf("%q: twice", c.note)
		}
		if more, _ := With(got, "- y"); strings.Count(more, "## Parley") != 1 {
			t.Errorf("%q", more)
		}
	}
}
