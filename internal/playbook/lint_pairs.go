package playbook

import (
	"slices"
	"strings"

	"parley/internal/playbook/condition"
)

// pairs compares rules with each other: what they say where both apply, and rules that
// a reply always speaks before.
func (l *linter) pairs() {
	var on, replies []*Guideline
	for i := range l.b.doc.Guidelines {
		g := &l.b.doc.Guidelines[i]
		if !g.IsEnabled() {
			continue
		}
		on = append(on, g)
		if g.reply != "" && len(g.needs) == 0 {
			replies = append(replies, g)
		}
	}
	for i, a := range on {
		for _, b := range on[i+1:] {
			if !overlap(a, b) || bars(a, b) || bars(b, a) {
				continue
			}
			switch same := sameWhen(a, b); {
			case same && contradict(a, b):
				l.add(b.at, b.ID, "contradiction", "has the condition of %s and says otherwise", a.ID)
			case !same && (a.when.Kind == condition.Always || b.when.Kind == condition.Always) && forbids(a, b):
				l.add(b.at, b.ID, "contradiction", "%s and this one cannot both be followed, and one of them always applies", a.ID)
			case same && sameSaying(a, b):
				l.add(b.at, b.ID, "twice", "says what %s says, under the same condition", a.ID)
			}
		}
	}
	for _, g := range on {
		for _, r := range replies {
			if g != r && overlap(r, g) && shadows(r, g) {
				l.add(g.at, g.ID, "shadowed", "whenever it matches, %s answers before it", r.ID)
				break
			}
		}
	}
}

// bars reports whether a keeps b from applying beside it, so that they may differ.
func bars(a, b *Guideline) bool { return slices.Contains(a.Excludes, b.ID) }

// sameWhen reports whether two conditions say the same, in other words perhaps.
func sameWhen(a, b *Guideline) bool {
	if normal(a.Condition) == normal(b.Condition) {
		return true
	}
	if a.when.Kind != condition.Plain || b.when.Kind != condition.Plain {
		return false
	}
	x, y := content(a.when.Text), content(b.when.Text)
	return len(x) > 0 && slices.Equal(x, y)
}

// asking are words that conditions put differently without meaning something else.
var asking = []string{"want", "need", "reque", "wish", "get", "clien", "somet"}

// content returns the words of a text that carry meaning, sorted, with what belongs to
// a prohibition.
func content(s string) []string {
	out := slices.DeleteFunc(words(s), func(w string) bool { return slices.Contains(asking, w) })
	for _, w := range []string{"not", "no", "never"} {
		if slices.Contains(strings.Fields(normal(s)), w) {
			out = append(out, "not")
			break
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// contradict recognizes two different ready-made answers, an action that forbids the
// other one, and actions that differ only in words that exclude each other.
func contradict(a, b *Guideline) bool {
	if a.reply != "" && b.reply != "" {
		return normal(a.reply) != normal(b.reply)
	}
	return forbids(a, b) || opposite(a.Action, b.Action)
}

// forbids reports whether one of two actions forbids what the other one asks for.
func forbids(a, b *Guideline) bool {
	x, notX := forbidden(a.Action)
	y, notY := forbidden(b.Action)
	if notX == notY || x == "" || y == "" {
		return false
	}
	if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
		return true
	}
	if notY {
		x, y = y, x
	}
	no, yes := words(x), words(y) // what is forbidden, what is asked for
	return len(no) > 1 && !slices.ContainsFunc(no, func(w string) bool { return !slices.Contains(yes, w) })
}

// rivals are words of which an answer can only heed one.
var rivals = [][]string{
	{"formal", "informal", "casual"},
	{"brief", "briefly", "short", "concise", "detail", "detailed", "length", "long", "thorough"},
	{"english", "german", "french", "spanish", "italian", "portuguese", "dutch", "polish", "russian", "turkish", "arabic", "chinese", "japanese", "korean"},
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
var alike = map[string]string{"briefly": "brief", "short": "brief", "concise": "brief", "detailed": "detail", "length": "detail", "long": "detail", "thorough": "detail",
	"casual": "informal", "reject": "refuse", "decline": "refuse", "deny": "forbid", "exclude": "omit", "charged": "charge", "paid": "charge"}

// opposite reports whether two actions say the same but for rivals.
func opposite(a, b string) bool {
	x, y := strings.Fields(normal(a)), strings.Fields(normal(b))
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
		return kinds, words(strings.Join(other, " "))
	}
	kindsX, restX := clean(x)
	kindsY, restY := clean(y)
	differ := false
	for i, w := range kindsX {
		differ = differ || kindsY[i] != "" && kindsY[i] != w
	}
	shared := 0
	for _, w := range restX {
		if slices.Contains(restY, w) {
			shared++
		}
	}
	return differ && 2*shared >= min(len(restX), len(restY))
}

// sameSaying reports whether two rules ask for the same.
func sameSaying(a, b *Guideline) bool {
	return a.reply == "" && b.reply == "" && a.Action != "" && slices.Equal(content(a.Action), content(b.Action))
}
