package facts

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/internal/memory/facts/kinds"
	"parley/internal/text/waittest"
)

// TestSieveMatchesWhatItsExpressionMatches, and lets no text through to it that lacks what each
// match has.
func TestSieveMatchesWhatItsExpressionMatches(t *testing.T) {
	for _, c := range []struct{ expr, said, through string }{
		{`\bboss\b`, "the boss|bosses|nobody", "the boss|bosses"},
		{`(?:own(?:er)?|admin)s? (?:may|can)`, "admins can|owner may|the owner|it may", "admins can|owner may"},
		{`(?:red|blue)?car|(?:van){2,}`, "redcar|car|vanvan|van|bus", "redcar|car|vanvan|van"},
		{`(?:very )*good|x{0,3}`, "very good|bad", "very good|bad"},
		{`(?i)yes`, "YES|no", "YES|no"},
		{`(?:a|[bc]) dog`, "c dog|a cat", "c dog"},
	} {
		s, direct := newSieve(c.expr), regexp.MustCompile(c.expr)
		compiled := s.expr
		for said := range strings.SplitSeq(c.said, "|") {
			through := false
			s.expr = func() *regexp.Regexp { through = true; return compiled() }
			if got, want := s.match(said), direct.MatchString(said); got != want {
				t.Errorf("%s with %q: %v", c.expr, said, got)
			}
			if want := strings.Contains("|"+c.through+"|", "|"+said+"|"); through != want {
				t.Errorf("%s with %q: got through is %v", c.expr, said, through)
			}
		}
	}
}

// TestClaimsAreSievedWithoutLoss: what the expressions match is the same, and everyday talk
// has few of them compiled, which stay for good.
func TestClaimsAreSievedWithoutLoss(t *testing.T) {
	claims, err := os.ReadFile("testdata/claims.txt")
	waittest.Must(t, err)
	for _, s := range power() {
		direct := s.expr()
		for line := range strings.Lines(string(claims)) {
			if said := kinds.Plain(line[1:]); s.match(said) != direct.MatchString(said) {
				t.Errorf("%s: %q", direct, said)
			}
		}
	}
	talk, err := os.ReadFile("testdata/reworded/en.txt")
	waittest.Must(t, err)
	met := 0
	for _, s := range power() {
		through := false
		s.expr = func() *regexp.Regexp { through = true; return regexp.MustCompile("^$") }
		for line := range strings.Lines(string(talk)) {
			s.match(kinds.Plain(line))
		}
		if through {
			met++
		}
	}
	if most := len(power()) / 5; met > most {
		t.Errorf("%d of %d are compiled, at most %d", met, len(power()), most)
	}
}
