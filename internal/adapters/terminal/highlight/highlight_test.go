package highlight

import (
	"strings"
	"testing"
)

// marked shows the pieces of code: every special one as kind‹text›.
func marked(language, code string) string {
	names := map[Kind]string{Comment: "c", Text: "s", Number: "n", Word: "w", Name: "k", Added: "+", Removed: "-"}
	var lines []string
	var state State
	l := Of(language)
	for line := range strings.SplitSeq(code, "\n") {
		var b strings.Builder
		var pieces []Piece
		pieces, state = l.Line(line, state)
		for _, p := range pieces {
			if p.Kind == Plain {
				b.WriteString(p.Text)
			} else {
				b.WriteString(names[p.Kind] + "‹" + p.Text + "›")
			}
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}

func TestCodeIsToldApart(t *testing.T) {
	for _, tt := range []struct{ language, code, want string }{
		{"go", "func f(n int) { return n + 0x1F // it's \"so\"", "w‹func› f(n w‹int›) { w‹return› n + n‹0x1F› c‹// it's \"so\"›"},
		{"Go", "s := `a\nb` + \"c\\\"d\" + 'e' /* x\ny */ z", "s := s‹`a›\ns‹b`› + s‹\"c\\\"d\"› + s‹'e'› c‹/* x›\nc‹y */› z"},
		{"python", "def f(x=None):\n    \"\"\"says\n    return\"\"\"\n    return f'{x}' # done",
			"w‹def› f(x=n‹None›):\n    s‹\"\"\"says›\ns‹    return\"\"\"›\n    w‹return› fs‹'{x}'› c‹# done›"},
		{"js", "const a = `x ${b}`; // y", "w‹const› a = s‹`x ${b}`›; c‹// y›"},
		{"rust", "fn f<'a>(s: &'a str) -> bool { true }", "w‹fn› f<'a>(s: &'a w‹str›) -> w‹bool› { n‹true› }"},
		{"json", `{"a": [1.5, "b", null]}`, `{k‹"a"›: [n‹1.5›, s‹"b"›, n‹null›]}`},
		{"yaml", "key-name: \"v\" # c\nurl: http://x#y", "k‹key-name›: s‹\"v\"› c‹# c›\nk‹url›: http://x#y"},
		{"bash", "A=1 go-x --flag \"$HOME\" # c", "k‹A›=n‹1› go-x --flag s‹\"$HOME\"› c‹# c›"},
		{"SQL", "SELECT a FROM t -- x", "w‹SELECT› a w‹FROM› t c‹-- x›"},
		{"diff", "--- a\n+++ b\n@@ -1 @@\n-x\n+y\n z", "c‹--- a›\nc‹+++ b›\nk‹@@ -1 @@›\n-‹-x›\n+‹+y›\n z"},
		{"brainfuck", "+[,.]", "+[,.]"},
		{"", "it's \"x\"", "it's \"x\""},
		{"go title=\"main.go\"", "go", "w‹go›"},
	} {
		if got := marked(tt.language, tt.code); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.code, got, tt.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a 'b \"c` /* */ \"\"\" # // \\", "*/")
	f.Fuzz(func(t *testing.T, line, before string) {
		for _, l := range table() {
			pieces, _ := l.Line(line, State(before))
			var b strings.Builder
			for _, p := range pieces {
				b.WriteString(p.Text)
			}
			if b.String() != line {
				t.Fatalf("%q became %q", line, b.String())
			}
		}
	})
}
