package offline

import (
	"slices"
	"strings"
	"testing"
)

// The words that a pattern needs are in each text that fits it, or there are none.
func TestNeeds(t *testing.T) {
	for pattern, want := range map[string][]string{
		`(?i)^remind me to (.+)$`:      {"remind me to "},
		`(?i)^(?:show|list) my tasks$`: {" my tasks"},
		`(?i)^(?:alpha|beta)(?:x|y)?$`: {"alpha", "beta"},
		`(?i)^(?:alpha|.*)$`:           nil,
		`(?i)^(?:please )?(.*)$`:       nil,
		`(?i)^(?:add milk|加牛奶) now$`:   {"add milk", "加牛奶"},
		`(`:                            nil,
	} {
		got := needs(pattern)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s needs %q, want %q", pattern, got, want)
		}
	}
}

// No phrase is passed over for a sentence that it fits.
func TestNoPhraseIsPassedOver(t *testing.T) {
	for _, one := range understood {
		folded := fold(one.say)
		for _, b := range books() {
			for _, p := range b.phrases {
				if p.pattern().MatchString(folded) && !p.may(folded) {
					t.Errorf("%q fits %s of %s, which needs %q", one.say, p.does, b.tag, strings.Join(p.needs(), ", "))
				}
			}
		}
	}
}
