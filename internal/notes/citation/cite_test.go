package citation

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/text/waittest"
)

// three are unknown passages.
var three = bare("", "", "")

func TestCite(t *testing.T) {
	for _, c := range []struct {
		in, out, used string
		made          int
	}{
		{"Plain.", "Plain.", "", 0},
		{"A [2] and [1], again [2].", "A [2] and [1], again [2].", "12", 0},
		{"Made up [9].", "Made up.", "", 1},
		{"Made up[9] here [1].", "Made up[9] here [1].", "1", 0},
		{"Both [1][7].", "Both [1].", "1", 1},
		{"Group [1, 3] and [2;9] and [8, 9].", "Group [1, 3] and [2] and.", "123", 3},
		{"Range [1-3] and [2–5].", "Range [1, 2, 3] and [2, 3].", "123", 2},
		{"Zero [0] and [00].", "Zero [0] and [00].", "", 0},
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
		{"Wrong 【9】, [Source 8], [7†L3], ［９］, [٩], [^8].", "Wrong,,, ［９］, [٩],.", "", 4},
		// What is none.
		{"Code `a[9]` and ``b[8] ` c`` stay.", "Code `a[9]` and ``b[8] ` c`` stay.", "", 0},
		{"```\nx[9]\n```\nSo they say [9]\n", "```\nx[9]\n```\nSo they say\n", "", 1},
		{"~~~\n[9]\n```\n[9]\n~~~\nAll that [9]", "~~~\n[9]\n```\n[9]\n~~~\nAll that", "", 1},
		{"````md\n```\n[9]\n```\n[8]\n````\nOr so [7]", "````md\n```\n[9]\n```\n[8]\n````\nOr so", "", 1},
		{"- item\n\n  ```json\n  {\"a\": [9]}\n  ```\n\n> ~~~\n> [9]\n> ~~~\n",
			"- item\n\n  ```json\n  {\"a\": [9]}\n  ```\n\n> ~~~\n> [9]\n> ~~~\n", "", 0},
		{"```\n[9] to the end", "```\n[9] to the end", "", 0},
		{"Text:\n\n    indented [9]\n\tx [8]\n", "Text:\n\n    indented [9]\n\tx [8]\n", "", 0},
		{"Not indented    [2]\n    code [1]", "Not indented    [2]\n    code [1]", "12", 0},
		{"A [9](https://x.y/z) link and ![9](i.png) and <https://x/[9]> and https://x.y/a[9].",
			"A [9](https://x.y/z) link and ![9](i.png) and <https://x/[9]> and https://x.y/a[9].", "", 0},
		{"A link [see [9]](https://x.y).", "A link [see [9]](https://x.y).", "", 0},
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

// What may be words of the answer stays, and is told; what the passages themselves have in
// brackets is neither.
func TestUnsureMarksStay(t *testing.T) {
	for in, want := range map[string]string{
		"Press [9] for the porch.": "[9]", "Score [7] of [8], at the end [9].": "[7] [8] [9]",
		"[7] Blue\n[8] Red": "[7] [8]", "Dated with carbon¹⁴ then.": "¹⁴", "It takes [5] hours, they say [6].": "[5] [6]",
		"In the range [5, 9].": "[5, 9]", "So they say [9].": "", "It rains.[9] It pours [2].": "", "Hot[9] [1].": "",
		"See [[Garden]] and [[prices]].": "[[Garden]]", "So [1](https://x.y/made-up).": "[1](https://x.y/made-up)",
		"Press [4] at the gate, wait [12] minutes, or carbon¹³.": "",
	} {
		list := bare("Press [4] at the gate. Wait [12] minutes. Carbon¹³.", "b", "c")
		list[1].Document = "notes/prices.md"
		if got := Check(in, list); strings.Join(got.Unsure, " ") != want {
			t.Errorf("%q: unsure of %q, want %q; it became %q", in, got.Unsure, want, got.Text)
		} else if want != "" && got.Text != in {
			t.Errorf("%q became %q", in, got.Text)
		}
	}
}

// Sources that the model names in other ways than by numbers count as marks; a list of its
// own gives way to the real one, and what no passage is is marked in it.
func TestNamedSources(t *testing.T) {
	list := []Passage{{Document: "notes/prices.md", Title: "Prices", Text: "Rent 900."}, {Document: "lease.pdf#page 2", Title: "Lease"},
		{URL: "https://example.org/a_(b)", Title: "A page"}, {}, {}, {}, {Document: "seven.md"}}
	for _, c := range []struct{ in, out, used string }{
		{"High<sup>7</sup> and so<sup>[1]</sup>.", "High[7] and so[1].", "17"},
		{"The rent is high⁷, then.", "The rent is high[7], then.", "7"},
		{"Rent is 900[^2].\n\n[^2]: prices.md", "Rent is 900[1].", "1"},
		{"Rent is 900[^a].\n\n[^a]: Somebody told me.", "Rent is 900[^a].\n\n[^a]: Somebody told me.", ""},
		{"Rent is 900[^a].\n\n[^a]: https://x.y/z", "Rent is 900[^a].\n\n[^a]: https://x.y/z (not checked)", ""},
		{"See [[prices]] and [[Seven|that]].", "See [[prices]] and [[Seven|that]].", "17"},
		{"So it is [1](https://example.org/a_(b)).", "So it is [3].", "3"},
		{"Rent is 900 [1].\n\nSources:\n[1] Prices — notes/prices.md", "Rent is 900 [1].", "1"},
		{"Rent is 900.\n\n**Sources:**\n- [Prices](notes/prices.md)\n- A page", "Rent is 900.", "13"},
		{"Rent is 900.\n\nQuellen: prices.md; seven.md", "Rent is 900.", "17"},
		{"Rent.\n\n## References\n1. prices.md\n2. made-up.md", "Rent.\n\n## References\n2. made-up.md (not checked)", "1"},
		{"Rent.\n\nSources:\n[8] The Book", "Rent.\n\nSources:\n[8] The Book (not checked)", ""},
		{"Sources:\n- of joy\n- of rain", "Sources:\n- of joy\n- of rain", ""},
		{"```\nSources:\n- prices.md\n```", "```\nSources:\n- prices.md\n```", ""},
		{"Sources: 1, 7", "[1, 7]", "17"},
	} {
		got := Check(c.in, list)
		if used := strings.Trim(strings.ReplaceAll(fmt.Sprint(got.Numbers), " ", ""), "[]"); got.Text != c.out || used != c.used {
			t.Errorf("%q:\n got %q used %s\nwant %q used %s", c.in, got.Text, used, c.out, c.used)
		}
		if again := Check(got.Text, list); again.Text != got.Text {
			t.Errorf("%q is not stable: %q", got.Text, again.Text)
		}
	}
	made := "So it is.\n\nSources:\n- https://made.up/page\n- a friend"
	if got := Check(made, nil); got.Text != "So it is.\n\nSources:\n- https://made.up/page (not checked)\n- a friend" {
		t.Errorf("nothing was looked up: %q", got.Text)
	}
}

// made matches plain marks in prose, for the fuzz test and the careless model.
var leftMark = regexp.MustCompile(`(?:^|[\s(>|*])\[(\d{1,3})\](?:[\s.,;:!?|)*]|$)`)

// unretrieved lists plain marks in prose that name no passage and are not told of.
func unretrieved(c Cited, passages int) (bad []string) {
	for _, p := range proseIn(c.Text) {
		for _, m := range leftMark.FindAllStringSubmatch(c.Text[p.from:p.to], -1) {
			n, _ := strconv.Atoi(m[1])
			if told := slices.Contains(c.Unsure, "["+m[1]+"]"); !told && (n < 1 || n > passages) {
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
		passages := make([]Passage, 1+r.IntN(8))
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString("Some words. ")
			mark := marks[r.IntN(len(marks))]
			args := []any{1 + r.IntN(13), 14 + r.IntN(3)}[:strings.Count(mark, "%d")]
			fmt.Fprintf(&b, mark, args...)
		}
		c := Check(b.String(), passages)
		if bad := unretrieved(c, len(passages)); len(bad) > 0 {
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
		Check(s, bare(strings.Repeat("Three of 1,000 on 3 May 2031. ", 300), "b", "c"))
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
	passages := bare("On 3 May 2031 it was 1,000.5 %.", "so", "")
	f.Fuzz(func(t *testing.T, s string) {
		c := Check(s, passages)
		if again := Check(c.Text, passages); again.Text != c.Text && c.Made < maxPasses {
			t.Errorf("%q is not stable: %q, then %q", s, c.Text, again.Text)
		}
		if !strings.ContainsAny(s, "[【［〔〖⟦(⁰¹²³⁴⁵⁶⁷⁸⁹:<") && c.Text != s {
			t.Errorf("%q became %q", s, c.Text)
		}
	})
}
