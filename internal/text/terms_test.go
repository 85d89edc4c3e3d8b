package text

import (
	"slices"
	"testing"
)

func TestTerms(t *testing.T) {
	stop := func(w string) bool { return w == "the" }
	for _, c := range []struct {
		in    string
		limit int
		want  []string
	}{
		{"", 5, nil}, {"the THE", 5, nil},
		{"The oven, the Oven & (bread)* 2nd", 5, []string{"oven", "bread", "2nd"}},
		{"Müller's naïve café", 3, []string{"müller", "s", "naïve"}},
		{"a\xffb", 5, []string{"a", "b"}},
	} {
		if got := Terms(c.in, c.limit, stop); !slices.Equal(got, c.want) {
			t.Errorf("Terms(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}
