package resolve

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func ids(list []Candidate) (out []string) {
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}

// read makes candidates from lines such as "10 a needs b excludes c entails d": the
// priority, the id, and the relations with comma-separated ids. "-" before the id
// is a rule that did not match, "*" one that stands.
func read(t *testing.T, text string) (all []Candidate) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		c := Candidate{Relevance: 1, Matched: true}
		if _, err := fmt.Sscan(words[0], &c.Priority); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		c.ID = strings.TrimLeft(words[1], "-*")
		c.Matched, c.Standing = words[1][0] != '-', words[1][0] == '*'
		for i := 2; i+1 < len(words); i += 2 {
			list := strings.Split(words[i+1], ",")
			switch words[i] {
			case "needs":
				c.All = list
			case "needs-one":
				c.Any = list
			case "excludes":
				c.Excludes = list
			case "entails":
				c.Entails = list
			default:
				t.Fatalf("%q: what is %q?", line, words[i])
			}
		}
		all = append(all, c)
	}
	return all
}

func told(r Result) string {
	out := strings.Join(ids(r.Kept), " ")
	for _, d := range r.Dropped {
		out += fmt.Sprintf("; %s: %s", d.ID, d.Detail)
	}
	return out
}

// Relations, and those that went wrong once.
func TestResolve(t *testing.T) {
	for _, test := range []struct {
		name, rules string
		top         int
		want        string
	}{
		{"all met", "1 a needs b,c\n0 b\n0 c", 9, "a b c"},
		{"all unmet", "1 a needs b,c\n0 b", 9, "b; a: needs c, which does not apply"},
		{"one of them met", "1 a needs-one b,c\n0 b", 9, "a b"},
		{"none of them met", "1 a needs-one b,c", 9, "; a: needs one of [b c], none of which applies"},
		{"a chain falls whole", "0 a needs b\n0 b needs c", 9, "; a: needs b, which does not apply; b: needs c, which does not apply"},
		{"two that need each other", "0 a needs b\n0 b needs a", 9, "a b"},
		{"the higher excludes", "1 a excludes b\n0 b", 9, "a; b: excluded by a"},
		{"an equal excludes", "0 a\n0 b excludes a", 9, "b; a: excluded by b"},
		{"the higher stays", "0 a excludes b\n1 b", 9, "b; a: b has a higher priority and the two exclude each other"},
		{"entailed", "0 a entails b\n5 -b", 9, "b a"},
		{"nothing entails it", "5 -b", 9, ""},
		{"the entailed excludes", "0 a entails b\n0 -b excludes c\n0 c", 9, "a b; c: excluded by b"},
		{"a rule that falls excludes nothing", "3 a needs c excludes e\n2 d excludes c\n1 c\n0 e", 9,
			"d e; a: needs c, which does not apply; c: excluded by d"},
		{"only the last cause bars", "3 a excludes b\n2 b excludes c\n1 c", 9, "a c; b: excluded by a"},
		{"a circle of equals: the first by name", "0 a excludes b\n0 b excludes c\n0 c excludes a", 9,
			"a; b: excluded by a; c: a ranks higher and the two exclude each other"},
		{"an entailed rule's own undoing", "0 a entails b\n1 -b excludes a\n0 c", 9, "a c; b: it would undo what it rests on"},

		{"the top", "3 a\n2 b\n1 c", 2, "a b; c: below the top 2"},
		{"entailed by the winner, matched too", "9 a entails b\n5 b\n4 c", 1, "a b; c: below the top 1"},
		{"dependencies come along", "9 offer needs terms\n5 other\n1 terms", 1, "offer terms; other: below the top 1"},
		{"one of the dependencies comes along", "9 a needs-one c,b\n5 o\n2 b\n1 c", 1, "a b; o: below the top 1; c: below the top 1"},
		{"what is cut excludes nothing", "9 a\n5 b excludes c\n5 *c", 1, "a c; b: below the top 1"},
		{"what is cut entails nothing", "9 a\n5 b entails c\n7 -c", 1, "a; b: below the top 1"},
		{"a rule that cannot apply takes no place", "9 a needs x\n5 b\n4 c", 1, "b; a: needs x, which does not apply; c: below the top 1"},
		{"standing rules are not counted", "3 a\n2 b\n1 *never\n0 *always", 1, "a never always; b: below the top 1"},
		{"standing rules exclude", "3 a\n5 *never excludes a\n1 b", 1, "never b; a: excluded by never"},
		{"two bring it, one falls", "9 x excludes a\n5 b entails e\n5 a entails e\n1 -e", 9, "x b e; a: excluded by x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := told(Resolve(read(t, test.rules), test.top)); got != test.want {
				t.Errorf("%s\ngot  %s\nwant %s", test.rules, got, test.want)
			}
		})
	}
}

// TestDocumented plays the examples of docs/rules.md.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for line := range strings.SplitSeq(string(page), "\n") {
		if !strings.Contains(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		top := 9
		if n, err := strconv.Atoi(cells[0]); err == nil {
			top, cells = n, cells[1:]
		}
		rules := strings.ReplaceAll(strings.ReplaceAll(cells[0], "`", ""), " · ", "\n")
		got := strings.Join(ids(Resolve(read(t, rules), top).Kept), " ")
		if want := strings.Trim(strings.TrimSpace(cells[1]), "–"); got != want {
			t.Errorf("%s\napply %q, the page says %q", line, got, want)
		}
		played++
	}
	if played < 15 {
		t.Errorf("only %d examples", played)
	}
}

func TestEveryEntailerIsKept(t *testing.T) {
	r := Resolve(read(t, "5 b entails e\n3 a entails e\n9 -e"), 9)
	if want := map[string][]string{"e": {"b", "a"}}; !reflect.DeepEqual(r.By, want) {
		t.Errorf("by %v, want %v", r.By, want)
	}
}

func randomRules(r *rand.Rand) []Candidate {
	n := 1 + r.IntN(12)
	some := func(p float64) (out []string) {
		for i := range n {
			if r.Float64() < p/float64(n) {
				out = append(out, fmt.Sprint("r", i))
			}
		}
		return out
	}
	all := make([]Candidate, n)
	for i := range all {
		all[i] = Candidate{ID: fmt.Sprint("r", i), Priority: r.IntN(3), Relevance: float64(r.IntN(3)) / 2, Matched: r.IntN(4) > 0,
			Standing: r.IntN(6) == 0,
			All:      some(0.5), Any: some(0.5), Excludes: some(1), Entails: some(0.7)}
	}
	return all
}

// Whatever the relations, the rules that apply stand together, each has its cause,
// and nothing but the relations decides.
func TestResolveProperties(t *testing.T) {
	for seed := range uint64(5_000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		all, top := randomRules(rnd), 1+rnd.IntN(4)
		res := Resolve(all, top)
		p := property{all: all, top: top, res: res, in: map[string]bool{}, at: map[string]Candidate{}, why: map[string]Dropped{}}
		for _, c := range all {
			p.at[c.ID] = c
		}
		for _, c := range res.Kept {
			p.in[c.ID] = true
		}
		for _, d := range res.Dropped {
			p.why[d.ID] = d
		}
		for name, holds := range map[string]func() string{"stand together": p.together, "causes": p.causes,
			"consequences": p.consequences, "top": p.counted} {
			if wrong := holds(); wrong != "" {
				t.Fatalf("seed %d, %s: %s\ntop %d of %+v\n%s", seed, name, wrong, top, all, told(res))
			}
		}
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if again := Resolve(all, top); !reflect.DeepEqual(again, res) {
			t.Fatalf("seed %d: another order of %+v\ngives %s\nnot   %s", seed, all, told(again), told(res))
		}
	}
}

type property struct {
	all []Candidate
	top int
	res Result
	in  map[string]bool
	at  map[string]Candidate
	why map[string]Dropped
}

func (p property) together() string {
	for _, c := range p.res.Kept {
		for _, id := range c.Excludes {
			if p.in[id] && id != c.ID {
				return c.ID + " stands beside " + id + ", which it excludes"
			}
		}
		if lacks := p.lacks(c); lacks {
			return c.ID + " stands without what it depends on"
		}
		by := p.res.By[c.ID]
		if !c.Matched && (len(by) == 0 || slices.ContainsFunc(by, func(id string) bool { return !p.in[id] })) {
			return fmt.Sprintf("%s came in through %v", c.ID, by)
		}
		for _, other := range p.res.Kept {
			if !c.Matched && slices.Contains(other.Entails, c.ID) && !slices.Contains(by, other.ID) {
				return fmt.Sprintf("%s is entailed by %s too, not only by %v", c.ID, other.ID, by)
			}
		}
	}
	return ""
}

func (p property) lacks(c Candidate) bool {
	not := func(id string) bool { return !p.in[id] }
	return slices.ContainsFunc(c.All, not) || len(c.Any) > 0 && !slices.ContainsFunc(c.Any, func(id string) bool { return p.in[id] })
}

// causes: what does not apply is kept out by something that does.
func (p property) causes() string {
	for _, c := range p.all {
		d, told := p.why[c.ID]
		switch {
		case p.in[c.ID] && told:
			return c.ID + " applies and is dropped"
		case c.Matched && !p.in[c.ID] && !told:
			return c.ID + " vanished without a reason"
		case !told:
			continue
		}
		rival := ""
		for _, other := range p.res.Kept {
			if slices.Contains(other.Excludes, c.ID) || slices.Contains(c.Excludes, other.ID) {
				rival = other.ID
			}
		}
		switch d.Reason {
		case Excluded:
			if rival == "" {
				return c.ID + " is excluded by nothing that applies"
			}
		case UnmetDependency:
			if !p.lacks(c) && !strings.Contains(d.Detail, "undo what it rests on") {
				return c.ID + " lacks nothing"
			}
		case Outranked:
			if rival == "" && len(p.res.Cut) == 0 {
				return c.ID + " is outranked by nothing that applies"
			}
		}
	}
	return ""
}

// consequences: what a rule that applies entails applies, unless something that
// applies keeps it out.
func (p property) consequences() string {
	for _, c := range p.res.Kept {
		for _, id := range c.Entails {
			if _, known := p.at[id]; known && !p.in[id] && p.why[id].Reason == "" {
				return fmt.Sprintf("%s applies without %s, which it entails", c.ID, id)
			}
			if strings.HasPrefix(p.why[id].Detail, "below") {
				return fmt.Sprintf("%s is entailed by %s and cut", id, c.ID)
			}
		}
	}
	return ""
}

// counted: places are left only when nobody waits for one, and a rule below the top
// has no effect.
func (p property) counted() string {
	if len(p.res.Cut) == 0 {
		return ""
	}
	brought := map[string]bool{}
	for _, c := range p.res.Kept {
		for _, id := range slices.Concat(c.Entails, c.All, c.Any) {
			brought[id] = brought[id] || id != c.ID
		}
	}
	most, least := 0, 0
	for _, c := range p.res.Kept {
		if c.Matched && !c.Standing {
			most++
			if !brought[c.ID] {
				least++
			}
		}
	}
	alone := slices.ContainsFunc(p.res.Cut, func(c Candidate) bool {
		return !slices.ContainsFunc(p.all, func(other Candidate) bool {
			tied := slices.Concat(other.All, other.Any, other.Entails, other.Excludes)
			return other.ID == c.ID && len(tied) > 0 || slices.Contains(tied, c.ID)
		})
	})
	if alone && most < p.top || least > p.top {
		return fmt.Sprintf("%d to %d are counted, and %v are cut", least, most, ids(p.res.Cut))
	}
	var rest []Candidate
	for _, c := range p.all {
		tied := slices.ContainsFunc(p.all, func(other Candidate) bool {
			return slices.Contains(slices.Concat(other.Entails, other.All, other.Any), c.ID)
		})
		if tied || !slices.ContainsFunc(p.res.Cut, func(cut Candidate) bool { return cut.ID == c.ID }) {
			rest = append(rest, c)
		}
	}
	if again := Resolve(rest, p.top); !slices.Equal(ids(again.Kept), ids(p.res.Kept)) {
		return fmt.Sprintf("without %v, which are cut, %v apply", ids(p.res.Cut), ids(again.Kept))
	}
	return ""
}

// Hundreds of rules that always apply, and thousands of literal ones, settle at once.
func BenchmarkResolve(b *testing.B) {
	all := make([]Candidate, 2000)
	for i := range all {
		all[i] = Candidate{ID: fmt.Sprint("r", i), Matched: true, Standing: i%5 == 0, Relevance: 1}
		if i%10 == 0 {
			all[i].Excludes = []string{fmt.Sprint("r", i+1)}
		}
	}
	for b.Loop() {
		Resolve(all, 3)
	}
}
