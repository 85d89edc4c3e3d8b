package vault

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// three are hits 1 to 3.
var three = []Hit{{Path: "1"}, {Path: "2"}, {Path: "3"}}

func TestCite(t *testing.T) {
	for _, c := range []struct {
		in, out, used string
		stripped      int
	}{
		{"Plain.", "Plain.", "", 0},
		{"A [2] and [1], again [2].", "A [2] and [1], again [2].", "12", 0},
		{"Made up [9].", "Made up.", "", 1},
		{"Made up[9] here [1].", "Made up here [1].", "1", 1},
		{"Both [1][7].", "Both [1].", "1", 1},
		{"List [1, 3] and [2;9] and [8, 9].", "List [1, 3] and [2] and.", "123", 3},
		{"Range [1-3] and [2–5].", "Range [1-3] and [2, 3].", "123", 1},
		{"Zero [0] and [00] and [99999999999999999999999].", "Zero and and.", "", 3},
		{"Code `a[9]` and ``b[8] ` c`` stay.", "Code `a[9]` and ``b[8] ` c`` stay.", "", 0},
		{"```\nx[9]\n```\ny [9]\n", "```\nx[9]\n```\ny\n", "", 1},
		{"~~~\n[9]\n```\n[9]\n~~~\n[9]", "~~~\n[9]\n```\n[9]\n~~~\n", "", 1},
		{"```\n[9] to the end", "```\n[9] to the end", "", 0},
		{"not ` code [9]\n\n` here [9]", "not ` code\n\n` here", "", 2},
		{"A [9](https://x.y/z) link and ![9](i.png).", "A [9](https://x.y/z) link and ![9](i.png).", "", 0},
		{"Not a link [9] (see) or [9](see this).", "Not a link (see) or (see this).", "", 2},
		{"Wiki [[9]] and [[1]] and [[Note]].", "Wiki [] and [[1]] and [[Note]].", "1", 1},
		{"Nested [8[9]2] ends.", "Nested ends.", "", 2},
		{"Words [a1] [x] [ ] [^9] [-] stay.", "Words [a1] [x] [ ] [^9] [-] stay.", "", 0},
		{"Indented    [2]\n    code [1]", "Indented    [2]\n    code [1]", "12", 0},
		{"[9]```\nfoo\n```\n[8]\n```\n", "```\nfoo\n```\n\n```\n", "", 2},
	} {
		out, used, stripped := Cite(c.in, three)
		var names string
		for _, h := range used {
			names += h.Path
		}
		if out != c.out || names != c.used || stripped != c.stripped {
			t.Errorf("%q:\n got %q used %s stripped %d\nwant %q used %s stripped %d", c.in, out, names, stripped, c.out, c.used, c.stripped)
		}
	}
}

var anyMark = regexp.MustCompile(`\[[ ,;–-]*\d[\d ,;–-]*\]`)

// unretrieved lists numbers that text cites outside of code and links and that
// were not retrieved.
func unretrieved(text string, retrieved int) (bad []string) {
	code := codeRanges(text)
	for _, at := range anyMark.FindAllStringIndex(text, -1) {
		inCode := false
		for _, c := range code {
			inCode = inCode || at[0] >= c.from && at[0] < c.to
		}
		if inCode || at[1]-at[0] > maxMark || isLink(text[at[1]:]) {
			continue
		}
		for _, n := range regexp.MustCompile(`\d+`).FindAllString(text[at[0]:at[1]], -1) {
			if i, err := strconv.Atoi(n); err != nil || i < 1 || i > retrieved {
				bad = append(bad, text[at[0]:at[1]])
			}
		}
	}
	return bad
}

// A thousand answers as a careless model writes them: no made-up source stays,
// and no real one is lost.
func TestMadeUpCitations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	marks := []string{"[%d]", " [%d]", "[%d][%d]", "[%d, %d]", "[%d;%d]", "[%d-%d]", "[[%d]]", "([%d])", "**[%d]**", "`x[%d]`", "[%d](http://x)", "\n```\n[%d]\n```\n", "[%d [%d]]", "> [%d]\n", "| [%d] |"}
	for range 1000 {
		retrieved := make([]Hit, r.IntN(9))
		for i := range retrieved {
			retrieved[i].Path = strconv.Itoa(i + 1)
		}
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString("Some words. ")
			mark := marks[r.IntN(len(marks))]
			args := []any{r.IntN(14), r.IntN(14)}[:strings.Count(mark, "%d")]
			fmt.Fprintf(&b, mark, args...)
		}
		text, used, _ := Cite(b.String(), retrieved)
		if bad := unretrieved(text, len(retrieved)); len(bad) > 0 {
			t.Fatalf("%d retrieved, %q left in %q from %q", len(retrieved), bad, text, b.String())
		}
		last := 0
		for _, h := range used {
			n, _ := strconv.Atoi(h.Path)
			if n <= last {
				t.Fatalf("used is out of order: %+v", used)
			}
			last = n
		}
	}
}

func TestCiteStaysLinear(t *testing.T) {
	for _, s := range []string{strings.Repeat("[9", 50_000) + strings.Repeat("]", 50_000), strings.Repeat("` `` ", 30_000), strings.Repeat("```\n", 30_000), strings.Repeat("[1](", 30_000), strings.Repeat("[1, 2", 30_000) + "]", strings.Repeat("[9] ", 30_000)} {
		Cite(s, three)
	}
}

func FuzzCite(f *testing.F) {
	for _, s := range []string{"a [1] [9]", "`[9]`", "```\n[9]\n```", "[8[9]2]", "[9]```\n[9]", "[1](x) [9](y z)", "[1-9]", "[2–1]", "~~~\n[9]", "[[9]]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, used, stripped := Cite(s, three)
		if bad := unretrieved(out, len(three)); len(bad) > 0 {
			t.Errorf("%q left in %q of %q", bad, out, s)
		}
		if stripped == 0 && out != s {
			t.Errorf("%q became %q though nothing was stripped", s, out)
		}
		if again, same, n := Cite(out, three); again != out || len(same) != len(used) || n != 0 {
			t.Errorf("%q is not stable: %q", out, again)
		}
	})
}
