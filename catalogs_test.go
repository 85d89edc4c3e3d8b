package parley_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/leonelquinteros/gotext"

	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

// unspoken are the rooms whose words are for models, logs or machines.
var unspoken = []string{"internal/app/rehearse", "internal/app/metrics", "internal/app/systemd", "internal/adapters/terminal",
	"internal/adapters/terminal/lineedit", "internal/adapters/terminal/highlight", "internal/db/postgres", "internal/text/ranking",
	"internal/playbook", "internal/playbook/judge", "internal/playbook/guard", "internal/tools/rest", "internal/notes/code"}

// forModels are beginnings of what models are told, which is English.
var forModels = regexp.MustCompile(`^(Not done:|What is the capital|Call the tool|\(a picture|\(no answer|\(the conversation goes|Lists |Reads one|` +
	`Fetches |\n\[cut|The arguments are not valid|The text above|Waiting for a yes|\[%s of|Nothing was found in the folders|its server )`)

// maxHelp is how long a description may be on Discord; Telegram takes 256.
const maxHelp = 100

// wordy are the names of parameters, fields and constants that hold words for people.
var wordy = regexp.MustCompile(`^(words|hint|Help|Words|Label|Title|checked|circles|fixes|told)$|^(help|words?|label)[A-Z]|[a-z]Words$`)

// sayers are the functions that say what they are given.
var sayers = []string{".Tell", ".Say", ".Text", ".Fill", ".Words", ".Instead", ".say", ".tell"}

// spokenWords returns the words that people read in a chat, with their places, and the
// things that are counted. Words are found where they are said: as an argument of a
// function of ours that names its parameter so, in a field or a constant of such a name.
func spokenWords(t *testing.T) (words, things map[string]string) {
	words, things = map[string]string{}, map[string]string{}
	collectSheets(t, words, things)
	params := wordyParams(t)
	for _, s := range sources(t) {
		collectStored(s, words)
		if s.isTest() || isFake(s.dir()) || slices.Contains(unspoken, s.dir()) || strings.HasPrefix(s.dir(), "cmd/bot/testdata") {
			continue
		}
		take := func(e ast.Expr, name string) {
			if said, ok := constant(e, s); ok && strings.Contains(said, " ") && !forModels.MatchString(said) {
				words[said] = strings.TrimSpace(fmt.Sprintf("%s:%d %s", s.path, s.line(e.Pos()), name))
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				if said := helpOf(n); said != "" {
					words[said] = fmt.Sprintf("%s:%d", s.path, s.line(n.Pos()))
				}
			case *ast.CallExpr:
				fun := exprName(n.Fun)
				for i, arg := range n.Args {
					if name := path.Ext("." + fun); params[name][i] || slices.Contains(sayers, name) {
						take(arg, "")
					}
				}
				if strings.HasSuffix(fun, ".Many") && len(n.Args) > 1 && (s.dir() != "internal/app/cli" || fun != "text.Many") {
					if said, ok := literal(n.Args[len(n.Args)-1]); ok {
						things[said] = fmt.Sprintf("%s:%d", s.path, s.line(n.Pos()))
					}
				}
			case *ast.KeyValueExpr:
				if key := exprName(n.Key); wordy.MatchString(key) {
					take(n.Value, key)
				}
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if wordy.MatchString(n.Names[i].Name) {
						take(v, n.Names[i].Name)
					}
				}
			case *ast.CompositeLit:
				if exprName(n.Type) == "catalog.Count" {
					if said, ok := literal(n.Elts[len(n.Elts)-1]); ok {
						things[said] = fmt.Sprintf("%s:%d", s.path, s.line(n.Pos()))
					}
				}
			}
			return true
		})
	}
	return words, things
}

// wordyParams returns which parameters of our functions, by name, take words.
func wordyParams(t *testing.T) map[string]map[int]bool {
	params := map[string]map[int]bool{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			if !ok {
				return true
			}
			at := 0
			for _, p := range f.Type.Params.List {
				for _, name := range p.Names {
					if kind := exprName(p.Type); wordy.MatchString(name.Name) && kind == "string" {
						key := "." + f.Name.Name
						if params[key] == nil {
							params[key] = map[int]bool{}
						}
						params[key][at] = true
					}
					at++
				}
			}
			return true
		})
	}
	return params
}

// literals returns every text of the program, and what sums of them make.
func literals(t *testing.T) map[string]bool {
	all := map[string]bool{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if said, ok := constant(e, s); ok {
					all[said] = true
				}
			}
			return true
		})
	}
	return all
}

// helpOf is how the command line explains a flag, an argument or a command.
func helpOf(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
	if _, hidden := tag.Lookup("hidden"); hidden {
		return ""
	}
	return tag.Get("help")
}

// constant returns the value of a string constant made of literals and others of
// its file.
func constant(e ast.Expr, s source) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.BinaryExpr:
		x, ok1 := constant(e.X, s)
		y, ok2 := constant(e.Y, s)
		return x + y, ok1 && ok2
	case *ast.Ident:
		if o := s.file.Scope.Lookup(e.Name); o != nil {
			if v, ok := o.Decl.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				return constant(v.Values[0], s)
			}
		}
	}
	return "", false
}

func literal(e ast.Expr) (string, bool) {
	if kv, ok := e.(*ast.KeyValueExpr); ok {
		e = kv.Value
	}
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		x, ok1 := literal(sum.X)
		y, ok2 := literal(sum.Y)
		return x + y, ok1 && ok2
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	said, err := strconv.Unquote(lit.Value)
	return said, err == nil && said != ""
}

func exprName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return exprName(e.X) + "." + e.Sel.Name
	}
	return ""
}

// fixed are words of package catalog itself and of kong, and names of times.
var fixed = strings.Split(
	"Show context-sensitive help.|Monday, 2 January|just now|%d min ago|%d h "+
		"ago|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December", "|")

// TestCatalogs: a translation says the same as the English. One that is missing is
// owed by nobody, since English is said in its place; PARLEY_TRANSLATIONS lists
// those (make translations).
func TestCatalogs(t *testing.T) {
	missing := t.Errorf
	if os.Getenv("PARLEY_TRANSLATIONS") == "" {
		missing = func(string, ...any) {}
	}
	words, things := spokenWords(t)
	for _, w := range fixed {
		words[w] = "internal/text/catalog"
	}
	for _, thing := range []string{"day ago"} {
		things[thing] = "internal/text/catalog"
	}
	all := literals(t)
	for _, p := range catalog.Printers()[1:] {
		po := gotext.NewPo()
		po.Parse(read(t, "internal/text/catalog/catalogs/"+p.Tag()+".po"))
		entries := po.GetDomain().GetTranslations()
		delete(entries, "") // the head
		for _, id := range slices.Sorted(maps.Keys(entries)) {
			e := entries[id]
			if e.PluralID != "" {
				checkPlural(t, p, e, things)
				continue
			}
			place, used := words[id]
			if !used && !all[id] {
				t.Errorf("%s: nobody says %q any more", p.Tag(), id)
				continue
			}
			checkEntry(t, p.Tag()+", "+place, id, e.Get())
		}
		for _, w := range slices.Sorted(maps.Keys(words)) {
			if strings.ContainsFunc(verb.ReplaceAllString(w, ""), isLetter) && !p.Has(w) {
				missing("%s: %s: not translated: %q", p.Tag(), words[w], w)
			}
		}
		for _, thing := range slices.Sorted(maps.Keys(things)) {
			if many := thingID(thing); !p.Has(many) {
				missing("%s: %s: not translated: %q", p.Tag(), things[thing], many)
			}
		}
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func thingID(thing string) string { return "%d " + thing }

// checkEntry compares what a translation leaves open with what the words do.
func checkEntry(t *testing.T, place, id, said string) {
	t.Helper()
	if want, got := verbs(id), verbs(said); !maps.Equal(want, got) {
		t.Errorf("%s: %q fills in %v, and its translation %q %v", place, id, want, said, got)
	}
	if strings.HasSuffix(place, " Help") && utf8.RuneCountInString(said) > maxHelp {
		t.Errorf("%s: the description %q has more than %d characters", place, said, maxHelp)
	}
	if most := map[string]int{"wordsShort": 120, "wordsGreeting": 512}[place[strings.LastIndex(place, " ")+1:]]; most > 0 &&
		utf8.RuneCountInString(said) > most {
		t.Errorf("%s: Telegram takes %d characters of %q", place, most, said)
	}
	if strings.HasSuffix(id, "\n") != strings.HasSuffix(said, "\n") || strings.HasPrefix(id, " ") != strings.HasPrefix(said, " ") &&
		!strings.HasPrefix(place, "zh") {
		t.Errorf("%s: %q and %q do not begin and end alike", place, id, said)
	}
}

// checkPlural looks at the forms of a thing.
func checkPlural(t *testing.T, p catalog.Printer, e *gotext.Translation, things map[string]string) {
	t.Helper()
	thing := strings.TrimPrefix(e.ID, "%d ")
	if _, used := things[thing]; !used {
		t.Errorf("%s: nobody counts %q any more", p.Tag(), thing)
	}
	if e.PluralID != e.ID+"s" && thing != "day ago" {
		t.Errorf("%s: the plural of %q is %q", p.Tag(), e.ID, e.PluralID)
	}
	forms := map[string]int{"ru": 3, "zh": 1}
	for i := range cmp.Or(forms[p.Tag()], 2) {
		if !strings.Contains(e.Trs[i], "%d") {
			t.Errorf("%s: form %d of %q is %q", p.Tag(), i, e.ID, e.Trs[i])
		}
	}
}

var verb = regexp.MustCompile(`%(\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])`)

// verbs returns what words leave open, by the numbers of their arguments.
func verbs(words string) map[int]string {
	all, at := map[int]string{}, 0
	for _, m := range verb.FindAllStringSubmatch(words, -1) {
		if m[3] == "%" {
			continue
		}
		at++
		if m[2] != "" {
			at, _ = strconv.Atoi(m[2]) // it matched digits
		}
		all[at] = m[3]
	}
	return all
}

// quotation is what stands in the marks of any language, or behind /remind.
var quotation = regexp.MustCompile(`“([^”%]+)”|„([^“%]+)“|«\s?([^»%]+?)\s?»|/remind ([^.,，。]+)`)

// examples returns what is quoted and says a time, for somebody who speaks a language.
func examples(said, tag string) (moments, others []string) {
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	for _, m := range quotation.FindAllStringSubmatch(said, -1) {
		one := strings.Join(m[1:], "")
		_, err := times.Parse(one, now, time.UTC, tag)
		if _, what, _ := times.Split(one, now, tag); what != "" || err == nil {
			moments = append(moments, one)
		} else {
			others = append(others, one)
		}
	}
	return moments, others
}

// TestExamplesOfTimes: where an example of a time is shown, it is one in the reader's
// language, and is understood there.
func TestExamplesOfTimes(t *testing.T) {
	words, _ := spokenWords(t)
	found := 0
	for id, place := range words {
		want, _ := examples(id, catalog.English)
		if len(want) == 0 {
			continue
		}
		found++
		for _, p := range catalog.Printers()[1:] {
			got, others := examples(p.Text(id), p.Tag())
			if len(got) != len(want) {
				t.Errorf("%s, %s: %q says times %q, and its translation %q and %q", p.Tag(), place, id, want, got, others)
			}
			for _, one := range got {
				if slices.Contains(want, one) && regexp.MustCompile(`[a-z]{3}`).MatchString(one) {
					t.Errorf("%s, %s: the example %q is English", p.Tag(), place, one)
				}
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d places show examples of times", found)
	}
}
