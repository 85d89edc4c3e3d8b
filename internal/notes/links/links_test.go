package links

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// targets lists the decoded targets of a text's links.
func targets(name, text string) (all []string) {
	for _, l := range Parse(name, text) {
		all = append(all, l.Target)
	}
	return all
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"wikilinks": {"see [[Plan]], [[a/Plan#Goals|the goals]] and ![[pic one.png|200]] ![[Plan#^ab12]]",
			[]string{"Plan", "a/Plan", "pic one.png", "Plan"}},
		"same note": {"[[#Heading]] [x](#heading) [[|a]] [[]]", nil},
		"markdown": {"[a](my%20plan.md) [b](<my plan.md#top>) ![c](p(1).png \"title\") [d](x.md 'y')",
			[]string{"my plan.md", "my plan.md", "p(1).png", "x.md"}},
		"no destination": {"[a](my plan.md) [b](https://x.org/a.md) [c](mailto:a@b.c) [d](//h/x)", nil},
		"definition":     {"[one]\n\n[one]: some/note.md \"t\"\n[^1]: footnote\n", []string{"some/note.md"}},
		"code":           {"`[[a]]` ``[[b]] ` `` [[c]]\n\n```md\n[[d]]\n```\n\n~~~\n[[e]]\n```\n[[f]]\n~~~\n\n    [[g]]\n", []string{"c"}},
		"deep in a list": {"- one\n\n    [[a]]\n    - [[b]]\n        - [[c]]\n\n  ```\n  [[d]]\n  ```\n\ntext\n\n    [[e]]\n",
			[]string{"a", "b", "c"}},
		"a fence in a quote": {"> ```\n> [[a]]\n> ```\n> [[b]]\n", []string{"b"}},
		"table":              {"| a |\n|---|\n| [[Plan\\|x]] |\n", []string{"Plan"}},
		"escaped":            {`\[[a]] [b\](c.md) \\[[d]]`, []string{"d"}},
		"frontmatter":        {"---\nup: \"[[Home]]\"\nalso:\n  - '[[Bob''s]]'\n---\n[[End]]", []string{"Home", "Bob's", "End"}},
		"brackets":           {"[[a [[b]] c]] [[x\ny]] [[ spaced |s]]", []string{"b", "spaced"}},
		"unclosed":           {"```\n[[a]]\n", nil},
	} {
		if diff := cmp.Diff(c.want, targets("n.md", c.text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	canvas := `{"nodes":[{"id":"1","type":"file","file":"a\/Plan ü.md","subpath":"#x"},{"type":"text","text":"see [[Home]]\nand [x](y.md)"},{"type":"link","url":"[[no]]"}],"edges":[{"file":"no.md"}]}`
	if diff := cmp.Diff([]string{"a/Plan ü.md", "Home", "y.md"}, targets("x.canvas", canvas)); diff != "" {
		t.Error(diff)
	}
	if got := targets("x.canvas", `{"nodes":[{"file":"a.md"}`); got != nil {
		t.Errorf("of a broken canvas: %q", got)
	}
}

// As in Obsidian 1.13, an exact path comes first, then the note's own folder, then the shortest
// path.
func TestResolve(t *testing.T) {
	s := NewSet([]string{"Note.md", "b/Note.md", "a/b/Note.md", "zz/Note.md", "a/b/Only.md", "a/Pic.PNG", "x/deep/here.md",
		"y/One.md", "a/b/One.md"})
	for _, c := range []struct {
		from, target string
		kind         Kind
		want         string
	}{
		{"a/b/q.md", "Note", Wiki, "Note.md"},
		{"q.md", "only", Wiki, "a/b/Only.md"},
		{"a/b/q.md", "One", Wiki, "a/b/One.md"},
		{"x/q.md", "One", Wiki, "y/One.md"},
		{"x/q.md", "b/Only.md", Wiki, "a/b/Only.md"},
		{"x/q.md", "pic.png", Wiki, "a/Pic.PNG"},
		{"a/b/q.md", "../Pic.png", Wiki, "a/Pic.PNG"},
		{"a/b/q.md", "./Note", Wiki, "a/b/Note.md"},
		{"x/q.md", "/b/Note", Wiki, "b/Note.md"},
		{"b/q.md", "Note.md", Markdown, "b/Note.md"},
		{"b/q.md", "../../etc/passwd", Markdown, ""},
		{"b/q.md", "Nowhere", Wiki, ""},
		{"b/q.md", "Note.md", Node, "Note.md"},
	} {
		if got := s.Resolve(c.from, Link{Kind: c.kind, Target: c.target}); got != c.want {
			t.Errorf("%q from %s leads to %q, not %q", c.target, c.from, got, c.want)
		}
	}
}

func TestKeep(t *testing.T) {
	files := []string{"home.md", "ideas/Old plan.md", "ideas/Other.md", "work/Taken.md", "deep/x/y.md", "board.canvas",
		"deep/Same.md", "ideas/Same.md"}
	for name, c := range map[string]struct {
		from, to   string
		note       string // where the links stand, after the move
		text, want string
		same       bool // nothing changes
	}{
		"name": {"ideas/Old plan.md", "ideas/New.md", "home.md", "[[Old plan]] [[old plan#Why|why]] ![[Old plan#^b1]]",
			"[[New]] [[New#Why|why]] ![[New#^b1]]", false},
		"only moved":      {"ideas/Old plan.md", "work/Old plan.md", "home.md", "[[Old plan]] and [[nobody]]", "", true},
		"path":            {"ideas/Old plan.md", "work/Old plan.md", "home.md", "[[ideas/Old plan|x]]", "[[work/Old plan|x]]", false},
		"name is taken":   {"ideas/Old plan.md", "ideas/Taken.md", "home.md", "[[Old plan]] [[Taken]]", "[[ideas/Taken]] [[Taken]]", false},
		"name goes first": {"ideas/Old plan.md", "Taken.md", "home.md", "[[Old plan]] [[Taken]]", "[[Taken]] [[work/Taken]]", false},
		"markdown": {"ideas/Old plan.md", "work/New plan.md", "deep/x/y.md",
			"[a](../../ideas/Old%20plan.md#why) [b](<../../ideas/Old plan.md> \"t\") ![c](Old%20plan.md)",
			"[a](../../work/New%20plan.md#why) [b](<../../work/New plan.md> \"t\") ![c](New%20plan.md)", false},
		"definition": {"ideas/Old plan.md", "work/é (1).md", "home.md", "[x]\n\n[x]: ideas/Old%20plan.md\n",
			"[x]\n\n[x]: work/é%20%281%29.md\n", false},
		"its own links": {"ideas/Old plan.md", "deep/New.md", "deep/New.md",
			"[o](Other.md) [[Same]] [[Other]] [p](../home.md) [[Old plan]]",
			"[o](../ideas/Other.md) [[ideas/Same]] [[Other]] [p](../home.md) [[New]]", false},
		"frontmatter": {"ideas/Old plan.md", "ideas/Bob's.md", "home.md", "---\na: '[[Old plan]]'\nb: \"[[Old plan]]\"\n---\n",
			"---\na: '[[Bob''s]]'\nb: \"[[Bob's]]\"\n---\n", false},
		"table":    {"ideas/Old plan.md", "ideas/New.md", "home.md", "|a|\n|-|\n|[[Old plan\\|p]]|", "|a|\n|-|\n|[[New\\|p]]|", false},
		"code":     {"ideas/Old plan.md", "ideas/New.md", "home.md", "`[[Old plan]]`", "", true},
		"with .md": {"ideas/Old plan.md", "ideas/New.md", "home.md", "[[Old plan.md]]", "[[New.md]]", false},
		"windows":  {"ideas/Old plan.md", "ideas/New.md", "home.md", "a\r\n\r\n[[Old plan]]\r\n", "a\r\n\r\n[[New]]\r\n", false},
		"canvas": {"ideas/Old plan.md", "work/New.md", "board.canvas",
			`{"nodes": [{"file": "ideas/Old plan.md"}, {"text": "see [[Old plan]] and [b](ideas/Old%20plan.md)"}]}`,
			`{"nodes": [{"file": "work/New.md"}, {"text": "see [[New]] and [b](work/New.md)"}]}`, false},
		"a dot":            {"ideas/Old plan.md", "work/New.md", "ideas/Other.md", "[a](./Old%20plan.md)", "[a](../work/New.md)", false},
		"a slash":          {"ideas/Old plan.md", "done/New.md", "ideas/Other.md", "[[/ideas/Old plan]]", "[[/done/New]]", false},
		"percent as meant": {"ideas/Old plan.md", "work/100% #1.md", "home.md", "[a](ideas/Old%20plan.md)", "[a](work/100%25%20%231.md)", false},
	} {
		m := NewMove(files, map[string]string{c.from: c.to}, false)
		splices, n := m.Keep(c.note, c.text)
		got, ok := Apply(c.text, splices)
		want := c.want
		if c.same {
			want = c.text
		}
		if diff := cmp.Diff(want, got); diff != "" || !ok || c.same != (n == 0) {
			t.Errorf("%s: %d links, %v: %s", name, n, ok, diff)
		}
		if back, ok := Apply(got, Reverse(splices)); !ok || back != c.text {
			t.Errorf("%s: taken back it is %q", name, back)
		}
	}
}

// With Obsidian's default settings a Markdown link may be just a name.
func TestKeepShortest(t *testing.T) {
	files := []string{"a/One.md", "a/Two.md"}
	for shortest, want := range map[bool]string{true: "[x](One.md)", false: "[x](../b/One.md)"} {
		m := NewMove(files, map[string]string{"a/One.md": "b/One.md"}, shortest)
		splices, _ := m.Keep("a/Two.md", "[x](One.md)")
		if got, _ := Apply("[x](One.md)", splices); got != want {
			t.Errorf("shortest %v: %s, not %s", shortest, got, want)
		}
	}
}

func FuzzKeep(f *testing.F) {
	f.Add("[[Old plan]] [a](<ideas/Old plan.md>) `[[x]]`\n\n> - ```\n[[b]]")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"n.md", "n.canvas"} {
			m := NewMove([]string{"ideas/Old plan.md", "home.md", name}, map[string]string{"ideas/Old plan.md": "New.md"}, true)
			splices, _ := m.Keep(name, text)
			next, ok := Apply(text, splices)
			if !ok || !slices.IsSortedFunc(splices, func(a, b Splice) int { return a.At - b.At }) {
				t.Fatalf("%+v cannot be applied to %q", splices, text)
			}
			if back, ok := Apply(next, Reverse(splices)); !ok || back != text {
				t.Fatalf("%q taken back is %q", text, back)
			}
		}
	})
}
