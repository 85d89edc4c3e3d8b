package code

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shown returns symbols as Owner.Name@line, with a tilde before minor ones.
func shown(all []Symbol) string {
	var got []string
	for _, s := range all {
		name := s.Name
		if s.Owner != "" {
			name = s.Owner + "." + name
		}
		if s.Minor {
			name = "~" + name
		}
		got = append(got, fmt.Sprintf("%s@%d", name, s.Line))
	}
	return strings.Join(got, " ")
}

func TestList(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.go", "package a\n\n// T is.\ntype T struct{ f int }\n\nfunc (t *T) Do() {}\nfunc New[A any]() *T { return nil " +
			"}\n\nconst (\n\tX = 1\n\tY\n)\ntype I interface{ M() }\n", "T@4 ~T.f@4 T.Do@6 New@7 X@10 Y@11 I@13 ~I.M@13"},
		{"a.go", "package a\nfunc Good() {}\nfunc broken( {\n", "Good@2 broken@3"},
		{"a.py", "import os\nLIMIT = 3\n\nclass Cat:\n    name = 'x'\n    def purr(self):\n        x = 1\n        def " +
			"inner():\n            pass\n\nasync def main(\n    a=1,\n):\n    \"\"\"\ndef no(): pass\n\"\"\"\n",
			"~LIMIT@2 Cat@4 ~Cat.name@5 Cat.purr@6 purr.inner@8 main@11"},
		{"a.ts", "export interface Shape<T = {}>\n  extends Base {\n  area(): number\n  name?: string;\n}\nexport default " +
			"async function draw(o: {a: 1} = {}) {}\nexport const area = (s: Shape) => 1\ntype Id<\n  T = string,\n> = " +
			"T\nclass A {\n  #x = `${`}`}`\n  async run<T>(a: () => void): Promise<void> { if (a) { b() } }\n}\nenum E { One = 1, Two }\n",
			"Shape@1 Shape.area@3 ~Shape.name@4 draw@6 area@7 Id@8 A@11 ~A.x@12 A.run@13 E@15 ~E.One@15 ~E.Two@15"},
		{"a.rs", "pub struct P { a: u8 }\nimpl<'a, T: Fn() -> u8> Show for P {\n    pub fn show(&self) -> char { '{' " +
			"}\n}\npub(crate) enum E { A(u8), B }\nmacro_rules! m { () => {} }\ntrait Tr { fn f(&self); }\n/* /* fn no() {} */ " +
			"*/\nconst R: &str = r#\"fn no() {\"#;\n", "P@1 ~P.a@1 P.show@3 E@5 ~E.A@5 ~E.B@5 m@6 Tr@7 Tr.f@7 R@9"},
		{"A.java", "package a;\n@Target({TYPE, METHOD})\npublic final class Main<T extends Map<String, ?>> {\n  private int " +
			"n = 3, m;\n  public Main() { this.n = 1; }\n  @Override public <A> A get(List<A> in) throws IOException { return " +
			"new X() { void inner() {} }.get(); }\n  interface In { int one(); }\n}\n@interface Mark { String value() default \"\"; }\n",
			"Main@3 ~Main.n@4 ~Main.m@4 Main.Main@5 Main.get@6 Main.In@7 In.one@7 Mark@9 Mark.value@9"},
		{"a.c", "#include <a.h>\n#define MAX(a, b) \\\n  ((a) > (b))\ntypedef struct node { int x, *y; } node_t;\ntypedef " +
			"int (*cmp)(const void *);\nstatic struct node *make(int a)\n{\n  for (;;) { if (a) {} }\n}\n#ifdef A\nint f(int " +
			"a) {\n#else\nint f(void) {\n#endif\n  return 0;\n}\nint decl(int);\nenum color { RED, BLUE };\nAPI_EXPORT(int) g(void) {}\n",
			"MAX@2 node@4 ~node.x@4 ~node.y@4 node_t@4 cmp@5 make@6 f@11 f@13 color@18 ~color.RED@18 ~color.BLUE@18 g@19"},
		{"a.hpp", "NS_BEGIN\nnamespace a::b {\ntemplate <typename T, class U = X<T>>\nclass EXPORT Foo : public Bar<T> {\n " +
			"public:\n  Foo(int a) : a_{a}, b_(2) {}\n  ~Foo();\n  bool operator==(const Foo& o) const noexcept { return true; " +
			"}\n  int a_ = 1'000;\n};\nusing V = std::vector<int>;\nint Foo::size() const { return R\"x(})x\"[0]; }\n}\n",
			"a.b@2 b.Foo@4 Foo.Foo@6 Foo.operator==@8 ~Foo.a_@9 b.V@11 Foo.size@12"},
		{"a.css", "a { color: red }\n", ""},
		{"a.rb", "class Dog\n  def bark\n  end\nend\n", "Dog@1 Dog.bark@2"},
	} {
		if diff := cmp.Diff(c.want, shown(List(c.name, c.text))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Reading any file takes linear time.
func FuzzList(f *testing.F) {
	f.Add("class A { int f(int x) { return `${x}`; } }")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		for _, name := range []string{"a.c", "a.java", "a.ts", "a.rs", "a.py", "a.go", "a.rb", "a.dart", "a.kt"} {
			lines := strings.Count(text, "\n") + 1
			if got := Mask(name, text); len(got) != len(text) || strings.Count(got, "\n") != lines-1 {
				t.Fatalf("%s: another length or other lines", name)
			}
			for _, s := range List(name, text) {
				if s.Line < 1 || s.Line > lines || s.Name == "" {
					t.Fatalf("%s: %+v of %d lines", name, s, lines)
				}
			}
		}
	})
}

func TestLongFilesTakeLittle(t *testing.T) {
	for _, piece := range []string{"{", "}", "(", "`${", "'", "/*", "#if\n", "a=", "class A{", "f(x){", "<", "\\\n",
		"=>", "@a(", "#define A \\\n"} {
		text := strings.Repeat(piece, 100_000/len(piece))
		for _, name := range []string{"a.c", "a.java", "a.ts", "a.rs", "a.py"} {
			List(name, text)
		}
	}
}

func TestUses(t *testing.T) {
	for line, want := range map[string]bool{"foo(1)": true, "a.foo": true, "food foo": true, "food": false, "_foo": false,
		"foo_": false, "éfoo": false, "": false} {
		if got := Uses(line, "foo"); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestTags needs universal-ctags. Without it, it is skipped.
func TestTags(t *testing.T) {
	if FindTags(t.Context(), "no-such-program") != nil || FindTags(t.Context(), "true") != nil {
		t.Error("found what is not there, or is another program")
	}
	tags := FindTags(t.Context(), "")
	if tags == nil {
		t.Skip("universal-ctags is not installed")
	}
	defer tags.Rest()
	if !strings.HasPrefix(tags.About(), "Universal Ctags") {
		t.Error(tags.About())
	}
	all, err := tags.List(t.Context(), "x/A.java", "class A {\n int n;\n int f(int x) { return x; }\n}\n")
	if got := shown(all); err != nil || got != "A@1 ~A.n@2 A.f@3" {
		t.Errorf("%s, %v", got, err)
	}
	all, err = tags.List(t.Context(), "a.tsx", "interface B {}\n")
	if got := shown(all); err != nil || got != "B@1" {
		t.Errorf("%s, %v", got, err)
	}
	for range 3 { // a process that dies is begun anew
		tags.mu.Lock()
		_ = tags.child.cmd.Process.Kill()
		tags.mu.Unlock()
		if _, err := tags.List(t.Context(), "a.py", strings.Repeat("def f(): pass\n", 100_000)); err == nil {
			continue
		}
		if all, err := tags.List(t.Context(), "a.py", "def f(): pass\n"); err != nil || len(all) != 1 {
			t.Error(all, err)
		}
	}
}

func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string]string{"getUserName": "get User Name", "HTTPServer": "HTTP Server",
		"snake_case": "snake_case", "v2Parser": "v2 Parser"} {
		if got := Words(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
