package vault

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"

	"parley/internal/text"
)

// symbol is a definition. line counts from 1.
type symbol struct {
	name, owner string // owner is the type of a method, "" for the rest
	line        int
}

// codeEndings lists the files of a code folder that are read. Settings files are
// left out because they often hold secrets.
var codeEndings = strings.Fields(".go .py .js .jsx .mjs .ts .tsx .java .kt .scala .c .h .cc .cpp .hpp .cs .rs .rb .php .swift .lua .pl .sh .bash .sql .r .ex .exs .erl .hs .ml .clj .dart .zig .nim .vue .svelte .html .css .proto .graphql .tf .md .markdown")

// window is how many lines of code without a definition make one section.
const window = 60

// maxGoNest is how deep brackets may nest for go/parser, which recurses.
const maxGoNest = 1000

// parseCode parses a file of code. data is valid UTF-8.
func parseCode(name, data string) document {
	if ending := strings.ToLower(path.Ext(name)); ending == ".md" || ending == ".markdown" {
		return parseNote(name, data)
	}
	d := document{title: path.Base(name)}
	lines := strings.Split(data, "\n")
	found := false
	if path.Ext(name) == ".go" && nesting(data) <= maxGoNest {
		d.symbols, found = goSymbols(data)
	}
	if !found {
		d.symbols = symbolsOf(lines)
	}
	d.sections = codeSections(lines, d.symbols)
	return d
}

// nesting returns roughly how deep the brackets of a text nest.
func nesting(data string) (deepest int) {
	open, run := 0, 0
	for i := range len(data) {
		switch data[i] {
		case '(', '[', '{':
			open++
			run++
		case ')', ']', '}':
			open--
		case '*', '&', '!', '-', '+', '^', '<', '~':
			run++ // operators nest too
		case ' ', '\t':
		default:
			run = 0
		}
		deepest = max(deepest, open, run)
	}
	return deepest
}

// goSymbols lists the top-level declarations of a Go file. Of a file with mistakes
// it lists what comes before them; found is false if there is nothing.
func goSymbols(data string) (all []symbol, found bool) {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", data, parser.SkipObjectResolution)
	if file == nil {
		return nil, false
	}
	add := func(id *ast.Ident, owner string) {
		if len(all) < maxSections {
			all = append(all, symbol{id.Name, owner, fset.Position(id.Pos()).Line})
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			add(decl.Name, receiver(decl))
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, "")
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						add(id, "")
					}
				}
			}
		}
	}
	return all, len(all) > 0
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

var (
	definition = text.Pattern(`^\s*(?:(?:export|default|pub(?:\([a-z ]*\))?|public|private|protected|internal|static|async|abstract|final|sealed|unsafe|inline|virtual|override|partial|data|open)\s+)*(?:func|def|defp|defmodule|class|function\*?|fn|fun|struct|interface|type|enum|trait|module|record|object|protocol|namespace|message|service|CREATE TABLE|create table)\s+(?:\([^()]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)`)
	arrow      = text.Pattern(`^(?:export\s+)?(?:const|let|var)\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:\([^()]*\)|[\p{L}_$][\p{L}\p{N}_$]*)\s*(?::[^=]*)?=>`)
	implements = text.Pattern(`^impl(?:<[^<>]*>)?\s+(?:[^{]*\sfor\s+)?([\p{L}_][\p{L}\p{N}_]*)`)
)

// symbolsOf lists definitions as most languages write them.
func symbolsOf(lines []string) (all []symbol) {
	owner := ""
	for i, line := range lines {
		if len(all) == maxSections {
			break
		}
		if len(line) > 1000 { // nobody wrote that
			continue
		}
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if m := implements().FindStringSubmatch(line); m != nil {
			owner = m[1]
			continue
		}
		m := definition().FindStringSubmatch(line)
		if m == nil {
			m = arrow().FindStringSubmatch(line)
		}
		if m == nil {
			continue
		}
		s := symbol{name: m[1], line: i + 1}
		if indented {
			s.owner = owner
		} else {
			owner = m[1]
		}
		all = append(all, s)
	}
	return all
}

// codeSections cuts code at definitions, each with the comment above it, or, without
// definitions, into windows of lines.
func codeSections(lines []string, symbols []symbol) (all []section) {
	add := func(heading, trail string, from, to int) {
		for at := from; at < to; at += window {
			end := to
			if heading == "" {
				end = min(to, at+window)
			}
			for _, p := range cut(lines, at, end) {
				p.heading, p.trail = heading, trail
				all = append(all, p)
			}
			if end == to {
				break
			}
		}
	}
	from, heading, trail := 0, "", ""
	for _, s := range symbols {
		begin := max(from, comment(lines, s.line-1))
		if begin == from && heading != "" {
			continue // more than one in a line
		}
		add(heading, trail, from, begin)
		from, heading, trail = begin, s.name, s.owner
	}
	add(heading, trail, from, len(lines))
	if len(all) == 0 {
		all = append(all, section{line: 1})
	}
	return all
}

// remarks are the beginnings of lines that belong to the definition below.
var remarks = []string{"//", "#", "/*", "*", "--", "@", ";", "\"\"\""}

// comment returns the first line of the comment right above line i.
func comment(lines []string, i int) int {
	for i > 0 {
		above := strings.TrimSpace(lines[i-1])
		if above == "" || !slices.ContainsFunc(remarks, func(r string) bool { return strings.HasPrefix(above, r) }) {
			break
		}
		i--
	}
	return i
}

// words splits a name as people say it: getUserName is "get User Name".
func words(name string) string {
	var b strings.Builder
	var last rune
	runes := []rune(name)
	for i, r := range runes {
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last) || unicode.IsUpper(last) && next) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}
