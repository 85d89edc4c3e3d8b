package value

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	for pattern, want := range map[string]Filter{
		`(?i)\b(refund|money back)\b`: {{"refund", "money bac"}},
		`(?i)\border\s+#?(\d+)`:       {{"order"}},
		`Order|x`:                     {{"order", "x"}},
		`a*b?`:                        nil,
		`(ab)+c{2,}`:                  {{"ab"}, {"c"}},
		`.*`:                          nil,
		`(?i)straße`:                  {{"tra"}, {"e"}},
	} {
		if got := NewFilter(regexp.MustCompile(pattern)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

// The filter never refuses what the pattern takes.
func FuzzFilter(f *testing.F) {
	for _, p := range []string{`(?i)kelvin|ſet`, `(?i)STRASSE`, `a|b+c`, `x{0,2}y`, `(?i)ΣΑΣ`, `É`, `(?s)a.b`, `[Oo]rder`, `(a|)b`} {
		f.Add(p, "The \u212Aelvin ſtraſſe \u0130 σας é order abbc yy")
	}
	f.Fuzz(func(t *testing.T, p, text string) {
		re, err := Compile(p)
		if err == nil && re.MatchString(text) && !NewFilter(re).Admits(strings.ToLower(text)) {
			t.Errorf("%q matches %q but the filter %q does not admit it", p, text, NewFilter(re))
		}
	})
}
