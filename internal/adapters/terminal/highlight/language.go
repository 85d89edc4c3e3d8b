package highlight

import (
	"strings"
	"sync"
)

// Language is what a language looks like.
type Language struct {
	lines   []string    // what begins a comment that ends with its line
	spans   [][2]string // what begins and ends a comment or a string over lines
	quotes  string      // what strings stand between that end on their line
	words   map[string]bool
	anyCase bool // small letters and capitals are the same
	keys    bool // a name before a colon is a key
	assigns bool // a name before an equals sign is a key
	dashes  bool // names have dashes
	diff    bool // its lines begin with what became of them
}

// constants are values in any language.
var constants = set("true false null nil none undefined nan")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// kindOf returns what a span is by what closes it.
func (l *Language) kindOf(closing string) Kind {
	switch closing {
	case `"""`, "'''", "`":
		return Text
	}
	return Comment
}

// Of returns a language by a name that people write behind the fence of a block of
// code; nil is one that is not known.
func Of(name string) *Language {
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), " ")
	name = strings.Trim(name, "{}.")
	return languages()[name]
}

var slashStar = [2]string{"/*", "*/"}

// languages by their names.
var languages = sync.OnceValue(func() map[string]*Language {
	all := map[string]*Language{}
	for names, l := range table() {
		for name := range strings.FieldsSeq(names) {
			all[name] = l
		}
	}
	return all
})

const curly = "break case catch class const continue default do else enum extends final finally for goto if " +
	"implements import instanceof interface new package private protected public return static super switch this throw " +
	"throws try void volatile while "

var table = sync.OnceValue(func() map[string]*Language {
	return map[string]*Language{
		"go golang": {lines: []string{"//"}, spans: [][2]string{slashStar, {"`", "`"}}, quotes: `"'`,
			words: set("break case chan const continue default defer else fallthrough for func go goto if import interface map " +
				"package range return select struct switch type var any bool byte error float32 float64 int int8 int16 int32 " +
				"int64 rune string uint uint8 uint16 uint32 uint64 iota")},
		"python py python3 pycon": {lines: []string{"#"}, spans: [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, quotes: `"'`,
			words: set("and as assert async await break case class continue def del elif else except finally for from global " +
				"if import in is lambda match nonlocal not or pass raise return self try while with yield print")},
		"javascript js jsx mjs node typescript ts tsx": {lines: []string{"//"}, spans: [][2]string{slashStar, {"`", "`"}}, quotes: `"'`,
			words: set(curly + "abstract any as async await boolean debugger declare delete export from function in keyof let " +
				"namespace never number of readonly string type typeof unknown var yield")},
		"java kotlin kt scala groovy": {lines: []string{"//"}, spans: [][2]string{slashStar, {`"""`, `"""`}}, quotes: `"'`,
			words: set(curly + "abstract boolean byte char double float int long short assert fun in is object override record " +
				"sealed suspend val var when data companion def trait with yield String")},
		"c h cpp c++ cc cxx hpp objc arduino": {lines: []string{"//"}, spans: [][2]string{slashStar}, quotes: `"'`,
			words: set(curly + "auto bool char constexpr delete double explicit extern float friend inline int long mutable " +
				"namespace nullptr operator override register short signed sizeof struct template typedef typename union unsigned " +
				"using virtual size_t std")},
		"csharp cs c#": {lines: []string{"//"}, spans: [][2]string{slashStar}, quotes: `"'`,
			words: set(curly + "abstract as async await base bool byte char decimal delegate double event foreach get in int " +
				"internal is lock long namespace object out override params partial readonly record ref set short string struct " +
				"using var virtual where yield")},
		"rust rs": {lines: []string{"//"}, spans: [][2]string{slashStar}, quotes: `"`,
			words: set("as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod " +
				"move mut pub ref return self Self static struct super trait type unsafe use where while bool char f32 f64 i8 i16 " +
				"i32 i64 i128 isize str String u8 u16 u32 u64 u128 usize Vec Option Result")},
		"swift": {lines: []string{"//"}, spans: [][2]string{slashStar, {`"""`, `"""`}}, quotes: `"`,
			words: set(curly + "as async await defer extension fileprivate func guard in init inout internal is let mutating " +
				"nil open override protocol rethrows self some struct typealias var where")},
		"php": {lines: []string{"//", "#"}, spans: [][2]string{slashStar}, quotes: `"'`,
			words: set(curly + "abstract array as echo elseif endif foreach fn function global include isset match namespace " +
				"print readonly require trait unset use var yield")},
		"ruby rb": {lines: []string{"#"}, quotes: `"'`,
			words: set("alias and begin break case class def do else elsif end ensure for if in module next not or puts raise " +
				"redo require rescue retry return self super then unless until when while yield")},
		"lua": {lines: []string{"--"}, quotes: `"'`,
			words: set("and break do else elseif end for function goto if in local not or repeat return then until while")},
		"bash sh shell zsh fish console shellsession dockerfile docker": {lines: []string{"#"}, quotes: `"'`, dashes: true, assigns: true,
			words: set("case do done elif else esac exit export fi for function if in local return set source then until while " +
				"cd echo sudo alias FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE USER VOLUME LABEL AS")},
		"powershell ps1 pwsh": {lines: []string{"#"}, quotes: `"'`, dashes: true, anyCase: true, assigns: true,
			words: set("begin break catch continue do else elseif end exit filter finally for foreach function if in param " +
				"process return switch throw trap try until while")},
		"sql sqlite postgres postgresql mysql plsql": {lines: []string{"--"}, spans: [][2]string{slashStar}, quotes: `"'`, anyCase: true,
			words: set("add all alter and as asc begin between by case check column commit constraint create cross database " +
				"default delete desc distinct drop else end exists explain foreign from full group having if in index inner " +
				"insert integer into is join key left like limit not offset on or order outer primary references returning right " +
				"rollback select set table text then transaction union unique update using values varchar view when where with")},
		"json json5 jsonc": {lines: []string{"//"}, spans: [][2]string{slashStar}, quotes: `"`, keys: true},
		"yaml yml":         {lines: []string{"#"}, quotes: `"'`, keys: true, dashes: true},
		"toml ini cfg conf properties env dotenv": {lines: []string{"#", ";"}, quotes: `"'`, assigns: true, dashes: true},
		"css scss less": {spans: [][2]string{slashStar}, quotes: `"'`, keys: true, dashes: true,
			words: set("@media @import @keyframes @font-face @supports @use @include @mixin !important")},
		"html xml svg xhtml vue": {spans: [][2]string{{"<!--", "-->"}}, quotes: `"`, assigns: true, dashes: true,
			words: set("html head body div span p a img ul ol li table tr td th form input button script style link meta title " +
				"h1 h2 h3 section header footer nav main")},
		"diff patch": {diff: true},
	}
})
