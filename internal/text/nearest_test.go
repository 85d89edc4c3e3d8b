package text

import "testing"

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		most int
		want int
	}{
		{"", "", 3, 0}, {"a", "", 3, 1}, {"", "abc", 3, 3}, {"abc", "abc", 0, 0},
		{"kitten", "sitting", 5, 3}, {"reaosn", "reason", 5, 1}, {"ca", "abc", 5, 3},
		{"müller", "muller", 5, 1}, {"straße", "strasse", 5, 2}, {"ab", "ba", 1, 1},
		{"kitten", "sitting", 2, 3}, {"a", "abcdefgh", 2, 3}, {"abcd", "wxyz", 1, 2},
		{"oven", "ovn", 1, 1}, {"oven", "oevn", 1, 1}, {"oven", "ove", 0, 1}, {"hydration", "hydartoin", 2, 2}, {"hydration", "hydartoin", 1, 2},
	} {
		if got := Edits(c.a, c.b, c.most); got != c.want {
			t.Errorf("Edits(%q, %q, %d) = %d, want %d", c.a, c.b, c.most, got, c.want)
		}
		if got := Edits(c.b, c.a, c.most); got != c.want {
			t.Errorf("Edits(%q, %q, %d) = %d, want %d", c.b, c.a, c.most, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"condition", "action", "excludes", "export-all", "id", "x"}
	for word, want := range map[string]string{
		"conditon": "condition", "CONDITION": "condition", "cnoditoin": "condition", "aktoin": "action",
		"export_al": "export-all", "weather": "", "": "", "i": "", "x": "x", "ib": "id", "excluded": "excludes",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Nearest("bat", []string{"cat", "rat"}); got != "cat" {
		t.Errorf("of equally near names: %q", got)
	}
}
