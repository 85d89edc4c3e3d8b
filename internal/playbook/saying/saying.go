// Package saying compares what the sentences of rules say, by their words: whether
// they are about the same, and whether one forbids what another asks for. It knows
// no rules, and English best.
package saying

import (
	"slices"
	"strings"

	"parley/internal/text"
)

// Normal returns a text in small letters with single spaces, to be compared.
func Normal(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// stop words say nothing about the subject.
var stop = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(
		`a an and any are as at be been by can could customer did do does for from had has have he her him his how i if
		in into is it its me mention mentions message my no not of on or our out person s she should so someone t that the their them then
		there they this to up us user user's was we were what when where which who why will with would you your asks ask says say about
		extract usually like`) {
		m[w] = true
	}
	return m
}()

// Words lists the distinct words of a text that carry meaning, cut to a crude
// stem, in order.
func Words(s string) []string {
	var out []string
	for w := range text.Words(s) {
		if stop[w] {
			continue
		}
		if r := []rune(w); len(r) > 5 {
			w = string(r[:5])
		} else if len(r) > 3 {
			w = strings.TrimSuffix(w, "s")
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Forbidden returns what an action forbids, without the words that do.
func Forbidden(action string) (rest string, forbids bool) {
	s := Normal(action)
	for _, no := range []string{"never ", "do not ", "don't ", "avoid ", "refuse to ", "under no circumstances "} {
		if rest, ok := strings.CutPrefix(s, no); ok {
			return rest, true
		}
	}
	return strings.TrimPrefix(s, "always "), false
}

// asking are words that conditions put differently without meaning something else.
var asking = []string{"want", "need", "reque", "wish", "get", "clien", "somet"}

// Content returns the words of a text that carry meaning, sorted, with what belongs to
// a prohibition.
func Content(s string) []string {
	out := slices.DeleteFunc(Words(s), func(w string) bool { return slices.Contains(asking, w) })
	for _, w := range []string{"not", "no", "never"} {
		if slices.Contains(strings.Fields(Normal(s)), w) {
			out = append(out, "not")
			break
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Forbids reports whether one of two actions forbids what the other one asks for.
func Forbids(a, b string) bool {
	x, notX := Forbidden(a)
	y, notY := Forbidden(b)
	if notX == notY || x == "" || y == "" {
		return false
	}
	if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
		return true
	}
	if notY {
		x, y = y, x
	}
	no, yes := Words(x), Words(y) // what is forbidden, what is asked for
	return len(no) > 1 && !slices.ContainsFunc(no, func(w string) bool { return !slices.Contains(yes, w) })
}

// rivals are groups of words that contradict each other.
var rivals = [][]string{
	{"formal", "informal", "casual"},
	{"brief", "briefly", "short", "concise", "detail", "detailed", "length", "long", "thorough"},
	{"english", "german", "french", "spanish", "italian", "portuguese", "dutch", "polish", "russian", "turkish", "arabic",
		"chinese", "japanese", "korean"},
	{"once", "twice"},
	{"accept", "refuse", "reject", "decline"},
	{"allow", "forbid", "deny"},
	{"always", "never"},
	{"with", "without"},
	{"before", "after"},
	{"include", "omit", "exclude"},
	{"free", "charge", "charged", "paid"},
}

// alike are rivals that mean the same.
var alike = map[string]string{"briefly": "brief", "short": "brief", "concise": "brief", "detailed": "detail",
	"length": "detail", "long": "detail", "thorough": "detail",
	"casual": "informal", "reject": "refuse", "decline": "refuse", "deny": "forbid", "exclude": "omit", "charged": "charge", "paid": "charge"}

// Opposite reports whether two actions say the same but for rivals.
func Opposite(a, b string) bool {
	x, y := strings.Fields(Normal(a)), strings.Fields(Normal(b))
	clean := func(list []string) (kinds map[int]string, rest []string) {
		kinds = map[int]string{}
		var other []string
		for _, w := range list {
			w = strings.Trim(w, ".,;:!?()")
			i := slices.IndexFunc(rivals, func(group []string) bool { return slices.Contains(group, w) })
			if i < 0 {
				other = append(other, w)
				continue
			}
			if same := alike[w]; same != "" {
				w = same
			}
			kinds[i] = w
		}
		return kinds, Words(strings.Join(other, " "))
	}
	kindsX, restX := clean(x)
	kindsY, restY := clean(y)
	differ := false
	for i, w := range kindsX {
		differ = differ || kindsY[i] != "" && kindsY[i] != w
	}
	return differ && 2*Shared(restX, restY) >= min(len(restX), len(restY))
}

// Shared counts the words of x that are among y.
func Shared(x, y []string) (n int) {
	for _, w := range x {
		if slices.Contains(y, w) {
			n++
		}
	}
	return n
}
