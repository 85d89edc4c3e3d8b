package citation

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/text/waittest"
)

// three are unknown passages.
var three = []string{"", "", ""}

func TestCite(t *testing.T) {
	for _, c := range []struct {
		in, out, used string
		made          int
	}{
		{"Plain.", "Plain.", "", 0},
		{"A [2] and [1], again [2].", "A [2] and [1], again [2].", "12", 0},
		{"Made up [9].", "Made up.", "", 1},
		{"Made up[9] here [1].", "Made up here [1].", "1", 1},
		{"Both [1][7].", "Both [1].", "1", 1},
		{"Group [1, 3] and [2;9] and [8, 9].", "Group [1, 3] and [2] and.", "123", 3},
		{"Range [1-3] and [2–5].", "Range [1, 2, 3] and [2, 3].", "123", 2},
		{"Zero [0] and [00].", "Zero and.", "", 2},
		{"A year [2031] stays.", "A year [2031] stays.", "", 0},
		// Every form that models write.
		{"A 【1】, b [Source 2], c [1†L3], d ［２］, e [١], f [^3].", "A [1], b [2], c [1], d [2], e [1], f [3].", "123", 0},
		{"A [source: 1], b [Doc 2], c [doc. #3], d [Sources 1, 2].", "A [1], b [2], c [3], d [1, 2].", "123", 0},
		{"A 〔1〕, b [[2]], c [१], d [۲], e 〖3〗, f 【1†source】, g 【2:0†notes.md】.", "A [1], b [2], c [1], d [2], e [3], f [1], g [2].", "123", 0},
		{"A [1, p. 4], b [2, lines 3-9], c [1†L3-L8] and (Source 2) or (see source: 3).", "A [1], b [2], c [1] and [2] or [3].", "123", 0},
		{"The rent is high¹ and the flat small.²˒³", "The rent is high[1] and the flat small.[2, 3]", "123", 0},
		{"So it is. Source: 1\nAnd this. Sources: 2, 3", "So it is. [1]\nAnd this. [2, 3]", "123", 0},
		{"A [1 and 2], b [1 und 3], c [1–3].", "A [1, 2], b [1, 3], c [1, 2, 3].", "123", 0},
		{"[Quelle 1] [fuente 2] [出典3] [来源1]", "[1] [2] [3] [1]", "123", 0},
		{"Wrong 【9】, [Source 8], [7†L3], ［９］, [٩], [^8].", "Wrong,,,,,.", "", 6},
		// What is none.
		{"Code `a[9]` and ``b[8] ` c`` stay.", "Code `a[9]` and ``b[8] ` c`` stay.", "", 0},
		{"```\nx[9]\n```\ny [9]\n", "```\nx[9]\n```\ny\n", "", 1},
		{"~~~\n[9]\n```\n[9]\n~~~\n[9]", "~~~\n[9]\n```\n[9]\n~~~\n", "", 1},
		{"````md\n```\n[9]\n```\n[8]\n````\n[7] x", "````md\n```\n[9]\n```\n[8]\n````\n x", "", 1},
		{"- item\n\n  ```json\n  {\"a\": [9]}\n  ```\n\n> ~~~\n> [9]\n> ~~~\n",
			"- item\n\n  ```json\n  {\"a\": [9]}\n  ```\n\n> ~~~\n> [9]\n> ~~~\n", "", 0},
		{"```\n[9] to the end", "```\n[9] to the end", "", 0},
		{"Text:\n\n    indented [9]\n\tx [8]\n", "Text:\n\n    indented [9]\n\tx [8]\n", "", 0},
		{"Not indented    [2]\n    code [1]", "Not indented    [2]\n    code [1]", "12", 0},
		{"A [9](https://x.y/z) link and ![9](i.png) and <https://x/[9]> and https://x.y/a[9].",
			"A [9](https://x.y/z) link and ![9](i.png) and <https://x/[9]> and https://x.y/a[9].", "", 0},
		{"A link [see [9]](https://x.y).", "A link [see](https://x.y).", "", 1},
		{"Wiki [[Note]] and [[1]].", "Wiki [[Note]] and [1].", "1", 0},
		{"- [ ] one\n- [x] two [1]", "- [ ] one\n- [x] two [1]", "1", 0},
		{"Footnote[^9] here.\n\n[^9]: the note", "Footnote[^9] here.\n\n[^9]: the note", "", 0},
		{"Set x[0] = 5 and a[9], foo.bar[8], my_list[7], items[9], f(x)[9], camelCase[8], m[1][9].",
			"Set x[0] = 5 and a[9], foo.bar[8], my_list[7], items[9], f(x)[9], camelCase[8], m[1][9].", "", 0},
		{`It is {"items": [1, 2, 9]} and x = [4, 9], f([7, 8]) or return [8].`,
			`It is {"items": [1, 2, 9]} and x = [4, 9], f([7, 8]) or return [8].`, "", 0},
		{"The list [4, 5, 6], [0, 1] and [[1, 9], [3, 4]].", "The list [4, 5, 6], [0, 1] and [[1, 9], [3, 4]].", "", 0},
		{"Mathematics $x_{[9]}$, $$[9]$$, \\([8]\\) and \\[ [7] \\] but $5 [1] and $6 [9].",
			"Mathematics $x_{[9]}$, $$[9]$$, \\([8]\\) and \\[ [7] \\] but $5 [1] and $6.", "1", 1},
		{"An area of 5 m² and 3 km², 2³ and feet².", "An area of 5 m² and 3 km², 2³ and feet².", "", 0},
		{"Words [a1] [x] [ ] [-] stay.", "Words [a1] [x] [ ] [-] stay.", "", 0},
	} {
		got := Check(c.in, three)
		if used := strings.Trim(strings.ReplaceAll(fmt.Sprint(got.Numbers), " ", ""), "[]"); got.Text != c.out ||
			used != c.used || got.Made != c.made {
			t.Errorf("%q:\n got %q used %s made %d\nwant %q used %s made %d", c.in, got.Text, used, got.Made, c.out, c.used, c.made)
		}
	}
	for _, s := range []string{`{"items": [1, 2, 3]}`, "x[0] is [9] and 【1】"} {
		if got := Check(s, nil); got.Text != s || got.Made != 0 {
			t.Errorf("nothing was looked up, and %q became %q", s, got.Text)
		}
	}
}

// made matches plain marks in prose, for the fuzz test and the careless model.
var leftMark = regexp.MustCompile(`(?:^|[\s(>|*])\[(\d{1,3})\](?:[\s.,;:!?|)*]|$)`)

// unretrieved lists plain marks in prose that name no passage.
func unretrieved(text string, passages int) (bad []string) {
	for _, p := range proseIn(text) {
		for _, m := range leftMark.FindAllStringSubmatch(text[p.from:p.to], -1) {
			if n, _ := strconv.Atoi(m[1]); n < 1 || n > passages {
				bad = append(bad, m[0])
			}
		}
	}
	return bad
}

// In a thousand answers of a careless model no invented source stays and no real one is lost.
func TestMadeUpCitations(t *testing.T) {
	waittest.Alone(t)
	r := rand.New(rand.NewPCG(5, 6))
	marks := []string{"[%d]", " [%d]", "[%d][%d]", "[%d, %d]", "[%d;%d]", "[%d-%d]", "[[%d]]", "([%d])", "**[%d]**",
		"`x[%d]`", "[%d](http://x)", "\n```\n[%d]\n```\n", "> [%d]\n", "| [%d] |", "【%d】", " [Source %d]", "[%d†L4]"}
	for range 1000 {
		passages := make([]string, 1+r.IntN(8))
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString("Some words. ")
			mark := marks[r.IntN(len(marks))]
			args := []any{1 + r.IntN(13), 14 + r.IntN(3)}[:strings.Count(mark, "%d")]
			fmt.Fprintf(&b, mark, args...)
		}
		c := Check(b.String(), passages)
		if bad := unretrieved(c.Text, len(passages)); len(bad) > 0 {
			t.Fatalf("%d passages, %q left in %q from %q", len(passages), bad, c.Text, b.String())
		}
	}
}

func TestCiteStaysLinear(t *testing.T) {
	waittest.Alone(t)
	for _, s := range []string{
		strings.Repeat("[9", 9_000) + strings.Repeat("]", 9_000), strings.Repeat("` `` ", 4_000), strings.Repeat("```\n", 4_000),
		strings.Repeat("[1](", 4_000),
		strings.Repeat("[1, 2", 4_000) + "]", strings.Repeat("[9] ", 4_000), strings.Repeat("> ", 9_000) + "[9]",
		strings.Repeat("1 [1] ", 3_000), strings.Repeat("$[1", 6_000), strings.Repeat("1 000 ", 3_000) + "[1]",
	} {
		began := waittest.CPU()
		Check(s, []string{strings.Repeat("Three of 1,000 on 3 May 2031. ", 300), "b", "c"})
		if d := waittest.CPU() - began; d > 30*time.Second {
			t.Errorf("%q took %s", s[:20], d)
		}
	}
}

func FuzzCite(f *testing.F) {
	for _, s := range []string{"a [1] [9]", "`[9]`", "```\n[9]\n```", "[8[9]2]", "[9]```\n[9]", "[1](x) [9](y z)",
		"[1-9]", "[2–1]", "~~~\n[9]", "[[9]]", "【1†L3】 3 May 2031 [1]", "x¹ “so” [2]", "1.000,5 % [3]", "[१-३]"} {
		f.Add(s)
	}
	passages := []string{"On 3 May 2031 it was 1,000.5 %.", "so", ""}
	f.Fuzz(func(t *testing.T, s string) {
		c := Check(s, passages)
		if again := Check(c.Text, passages); again.Text != c.Text && c.Made < maxPasses {
			t.Errorf("%q is not stable: %q, then %q", s, c.Text, again.Text)
		}
		if len(marksIn(s)) == 0 && c.Text != s {
			t.Errorf("%q became %q", s, c.Text)
		}
	})
}
