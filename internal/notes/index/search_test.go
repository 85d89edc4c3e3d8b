package index

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// kitchen returns a small vault.
func kitchen(t testing.TB) *folder {
	f := newFolder(t)
	f.put("Sourdough.md", "---\ntitle: Sourdough\ntags: [bread, baking/slow]\n---\n# Sourdough\n\nFeed the "+
		"starter.\n\n## Hydration\n\nUse 75 % water. Café style crème.\n\n## Oven\n\nBake hot with steam, see [[Steam]].\n")
	f.put("tools/Steam.md", "# Steam\n\nA tray of water in the oven.\n")
	f.put("tools/Knife.md", "# Knife\n\nKeep it sharp. Never in the dishwasher. #sharp\n")
	f.put("daily/2024-05-01.md", "Baked sourdough today, the crust was fine.\n\nRan 5 km, felt fine.\n")
	f.put("日記.md", "# 日記\n\n今日は東京で寿司を食べました。\n")
	f.put("lists/Outline.md", "# Outline\n## Milk\n## Marzipan\n")
	putFile(t, filepath.Join(f.code, "pkg", "user.go"),
		"package pkg\n\n// getUserName reads it.\nfunc getUserName() string { return \"\" }\n\ntype Store struct{}\n\nfunc (s *Store) Open() {}\n")
	putFile(t, filepath.Join(f.code, "app.py"), "class Store:\n    def open(self):\n        pass\n\ndef bake_bread():\n    pass\n")
	f.refresh()
	return f
}

func TestSearchFinds(t *testing.T) {
	f := kitchen(t)
	for _, c := range []struct {
		name string
		q    Query
		want string // the first hit as path#heading:line
	}{
		{"title", Query{Text: "sourdough"}, "Sourdough.md#Sourdough:7"},
		{"a section", Query{Text: "What is the hydration of my sourdough?"}, "Sourdough.md#Hydration:11"},
		{"another form", Query{Text: "knives sharpened dishwashers"}, "tools/Knife.md#Knife:3"},
		{"no accents", Query{Text: "cafe creme"}, "Sourdough.md#Hydration:11"},
		{"a slip", Query{Text: "hydartion"}, "Sourdough.md#Hydration:11"},
		{"two slips", Query{Text: "dishwahser"}, "tools/Knife.md#Knife:3"},
		{"a part", Query{Text: "dishwa"}, "tools/Knife.md#Knife:3"},
		{"a compound", Query{Text: "Steamtraywater"}, "nothing"},
		{"a compound of two words", Query{Text: "Dishwashersknife"}, "tools/Knife.md#Knife:3"},
		{"the middle", Query{Text: "arzipa"}, "lists/Outline.md#Marzipan:3"},
		{"a tag as word", Query{Text: "baking slow"}, "Sourdough.md#Oven:15"},
		{"no spaces between words", Query{Text: "東京で寿司"}, "日記.md#日記:3"},
		{"tag", Query{Text: "sourdough knife", Tags: []string{"#Sharp"}}, "tools/Knife.md#Knife:3"},
		{"tag above", Query{Text: "oven", Tags: []string{"baking"}}, "Sourdough.md#Oven:15"},
		{"folder", Query{Text: "oven water", Folder: "tools/"}, "tools/Steam.md#Steam:3"},
		{"only small words", Query{Text: "of the"}, "tools/Steam.md#Steam:3"},
		{"code", Query{Text: "user name", Kind: KindCode}, "pkg/user.go#getUserName:3"},
		{"code in one word", Query{Text: "getUserName", Kind: KindCode}, "pkg/user.go#getUserName:3"},
		{"part of a name", Query{Text: "username", Kind: KindCode}, "pkg/user.go#getUserName:3"},
		{"snake", Query{Text: "bake bread", Kind: KindCode}, "app.py#bake_bread:5"},
	} {
		hits, err := f.Search(t.Context(), c.q)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := "nothing"
		if len(hits) > 0 {
			got = fmt.Sprintf("%s#%s:%d", hits[0].Path, hits[0].Heading, hits[0].Line)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		for _, h := range hits {
			if h.Score <= 0 || h.Score > 1 || h.Title == "" || h.Source == "" {
				t.Errorf("%s: %+v", c.name, h)
			}
		}
	}
	for _, q := range []Query{{Text: "zeppelin"}, {Text: "sourdough", Tags: []string{"sharp"}}, {Text: "sourdough", Folder: "tool"},
		{Text: "getUserName"}, {Text: "knife", Kind: KindCode}, {Text: ""}, {Text: " .,! "}} {
		if got := f.ask(q); got != "" {
			t.Errorf("%+v found %s", q, got)
		}
	}
	if _, err := f.Search(t.Context(), Query{Text: "x", Kind: "music"}); err == nil {
		t.Error("an unknown kind is accepted")
	}
}

func TestScoreTellsHowMuchOfTheQuestionIsThere(t *testing.T) {
	f := kitchen(t)
	all, err := f.Search(t.Context(), Query{Text: "sourdough hydration"})
	must(t, err)
	some, err := f.Search(t.Context(), Query{Text: "hydration zeppelin maintenance"})
	must(t, err)
	if len(all) == 0 || len(some) == 0 || all[0].Score < 0.6 || some[0].Score > 0.5 {
		t.Errorf("%+v\n%+v", all, some)
	}
}

func TestAnyQueryIsSafe(t *testing.T) {
	f := kitchen(t)
	for _, text := range []string{
		`"`, `""`, `'`, `*`, `a*`, `sourdough" OR "x`, `NOT`, `AND OR NOT NEAR`, `NEAR(a b, 5)`, `title:sourdough`,
		`{title}: x`, `^a`, `a + b`, `(`, `)))`, `-x`,
		"a\x00b", "\x00", "\xff\xfe", "%", "_", "; DROP TABLE docs; --", strings.Repeat("(", 1000), strings.Repeat("sourdough ", 5000),
		strings.Repeat("x", 50_000), strings.Repeat("\"a ", 17_000), strings.Repeat("日", 17_000), "👨‍👩‍👧‍👦", "\u202Eabc", "٣ ½ ①",
	} {
		for _, kind := range []string{KindNotes, KindCode} {
			if _, err := f.Search(t.Context(), Query{Text: text, Kind: kind, Tags: []string{""}, Folder: ""}); err != nil {
				t.Errorf("%.40q: %v", text, err)
			}
		}
		if _, err := f.Search(t.Context(), Query{Text: "bread", Tags: []string{text}, Folder: text}); err != nil {
			t.Errorf("filter %.40q: %v", text, err)
		}
		if _, err := f.Definition(t.Context(), text); err != nil {
			t.Errorf("definition %.40q: %v", text, err)
		}
		if _, err := f.Titles(t.Context(), text, Hidden{}, 5); err != nil {
			t.Errorf("titles %.40q: %v", text, err)
		}
		if _, err := f.Read(t.Context(), Part{Path: text, Heading: text}); !errors.Is(err, ErrNotFound) {
			t.Errorf("read %.40q: %v", text, err)
		}
	}
}

func TestFewSectionsOfOneFile(t *testing.T) {
	f := newFolder(t)
	f.put("big.md", strings.Repeat("## Sourdough\n\nsourdough sourdough\n\n", 20))
	f.put("small.md", "one word about sourdough among many other words")
	f.refresh()
	if got := f.paths("sourdough"); !strings.HasPrefix(got, "big.md big.md big.md") || strings.Count(got, "big.md") < 4 ||
		!strings.Contains(got, "small.md") {
		t.Error(got)
	}
	if hits, err := f.Search(t.Context(), Query{Text: "sourdough", Limit: 2}); err != nil || len(hits) != 2 {
		t.Error(len(hits), err)
	}
}

func TestLinkedNotesComeFirst(t *testing.T) {
	f := newFolder(t)
	f.put("a.md", "sourdough alone")
	f.put("b.md", "sourdough alone")
	f.put("sub/c.md", "sourdough [[b]]")
	f.refresh()
	if got := strings.Fields(f.paths("sourdough")); got[len(got)-1] != "a.md" {
		t.Error(got)
	}
}

func TestNamesAreFoundByTheirWords(t *testing.T) {
	f := newFolder(t)
	for i := range 5 {
		putFile(t, filepath.Join(f.code, fmt.Sprintf("a%d.go", i)),
			"package a\n\n// the profile of somebody\nvar x = 1\n\n// a picture of it\nvar y = 2\n")
	}
	putFile(t, filepath.Join(f.code, "z.go"), "package a\n\nfunc loadProfilePicture() {}\n")
	f.refresh()
	if got := strings.Fields(f.ask(Query{Text: "profile picture", Kind: KindCode})); len(got) == 0 || got[0] != "z.go" {
		t.Error(got)
	}
}

func TestSnippets(t *testing.T) {
	f := newFolder(t)
	f.put("long.md", "# Long\n\n"+strings.Repeat("filler Straße ", 70)+"the steam oven stands here "+strings.Repeat("other wörds ", 60))
	f.refresh()
	hits, err := f.Search(t.Context(), Query{Text: "steam ovens"})
	if err != nil || len(hits) == 0 {
		t.Fatal(hits, err)
	}
	s := hits[0].Snippet
	if n := utf8.RuneCountInString(s); n > 500 || n < 250 || !strings.Contains(s, "steam oven") || !strings.HasPrefix(s, "…") ||
		!strings.HasSuffix(s, "…") {
		t.Errorf("%d characters: %s", n, s)
	}
}

func TestRead(t *testing.T) {
	f := kitchen(t)
	for _, c := range []struct {
		p    Part
		want string
		line int
	}{
		{Part{Path: "tools/Steam.md"}, "# Steam\n\nA tray of water in the oven.\n", 1},
		{Part{Path: "Sourdough.md", Heading: "hydration"}, "## Hydration\n\nUse 75 % water. Café style crème.\n", 9},
		{Part{Path: "Sourdough.md", Heading: "## Oven "}, "## Oven\n\nBake hot with steam, see [[Steam]].\n", 13},
		{Part{Path: "Sourdough.md", From: 1, To: 2}, "---\ntitle: Sourdough", 1},
		{Part{Path: "Sourdough.md", From: 15}, "Bake hot with steam, see [[Steam]].\n", 15},
		{Part{Path: "Sourdough.md", From: 900, To: 901}, "", 900},
		{Part{Path: "Sourdough.md", From: 5, To: 2}, "", 5},
		{Part{Source: "code", Path: "pkg/user.go", Heading: "getUserName"},
			"// getUserName reads it.\nfunc getUserName() string { return \"\" }\n", 3},
		{Part{Path: "app.py", From: 2, To: 2}, "    def open(self):", 2},
	} {
		d, err := f.Read(t.Context(), c.p)
		if err != nil || d.Text != c.want || d.Line != c.line {
			t.Errorf("%+v: %q at %d, %v", c.p, d.Text, d.Line, err)
		}
	}
	_, err := f.Read(t.Context(), Part{Path: "Sourdough.md", Heading: "nope"})
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "Hydration | Oven") {
		t.Error(err)
	}
	if _, err := f.Read(t.Context(), Part{Source: "code", Path: "Sourdough.md"}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	d, err := f.Read(t.Context(), Part{Path: "Sourdough.md"})
	if diff := cmp.Diff([]string{"Sourdough", "Hydration", "Oven"}, d.Headings); err != nil || diff != "" ||
		d.Title != "Sourdough" || len(d.Tags) != 2 || d.Lines != 16 {
		t.Errorf("%s %+v %v", diff, d, err)
	}
}

func TestLists(t *testing.T) {
	f := newFolder(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for i, name := range []string{"a.md", "sub/b.md", "sub/deep/c.md", "subway.md"} {
		f.put(name, "# Note "+name)
		putTime(t, filepath.Join(f.dir, name), now.Add(time.Duration(i)*time.Hour))
	}
	putFile(t, filepath.Join(f.code, "x.go"), "package x")
	f.refresh()
	names := func(list []Entry, err error) string {
		t.Helper()
		must(t, err)
		return pathsOf(list)
	}
	ctx := t.Context()
	for _, c := range []struct{ got, want string }{
		{names(f.List(ctx, "", Hidden{}, 10)), "subway.md sub/deep/c.md sub/b.md a.md"},
		{names(f.List(ctx, "/sub/", Hidden{}, 10)), "sub/deep/c.md sub/b.md"},
		{names(f.List(ctx, "", Hidden{}, 1)), "subway.md"},
		{names(f.List(ctx, "nope", Hidden{}, 10)), ""},
		{names(f.Recent(ctx, now.Add(2*time.Hour), 10)), "subway.md sub/deep/c.md"},
		{names(f.Titles(ctx, "NOTE sub/", Hidden{}, 10)), "sub/deep/c.md sub/b.md"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestDefinition(t *testing.T) {
	f := kitchen(t)
	for name, want := range map[string]string{
		"getUserName": "pkg/user.go:4", "getusername": "pkg/user.go:4", "Store": "app.py:1 pkg/user.go:6", "Store.Open": "pkg/user.go:8 app.py:2",
		"(*Store).Open()": "pkg/user.go:8 app.py:2", "pkg.Store.open": "app.py:2 pkg/user.go:8", "bake_bread": "app.py:5", "nothing": "", "": "",
	} {
		hits, err := f.Definition(t.Context(), name)
		var got []string
		for _, h := range hits {
			got = append(got, fmt.Sprintf("%s:%d", h.Path, h.Line))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v %v, want %s", name, got, err, want)
		}
	}
}

func TestSearchFindsOtherWords(t *testing.T) {
	f := newFolder(t)
	f.put("arrows.md", "# Arrows\n\nDisable them in the menu.\n")
	f.put("off.md", "# Holidays\n\nThe office is off in May.\n")
	f.put("bin.md", "# Papierkorb\n\nHier liegt alles.\n")
	f.refresh()
	for question, want := range map[string]string{
		"how do I turn off arrows?":           "arrows.md off.md",
		"turn off":                            "off.md arrows.md", // the word itself first
		"was wird gelöscht und wo ist es hin": "bin.md",
	} {
		if got := f.paths(question); got != want {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// TestALongBorrowedWordIsOneWord: its many pairs of letters do not outweigh three words.
func TestALongBorrowedWordIsOneWord(t *testing.T) {
	f := newFolder(t)
	f.put("a.md", "# 一\n\nライセンス。\n")
	f.put("b.md", "# 二\n\n予約、変更、手順。\n")
	f.refresh()
	if got := f.ask(Query{Text: "ライセンス 予約 変更 手順"}); !strings.HasPrefix(got, "b.md") {
		t.Errorf("found %s", got)
	}
}
