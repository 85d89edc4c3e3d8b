package code

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// room is what a pair of braces holds.
type room int

const (
	inFile room = iota
	inType      // also a namespace, a module, an object
	inEnum
	inBody // of a function, or anything else without definitions
)

// scope is an open pair of braces.
type scope struct {
	room   room
	name   string // of the type, "" for none
	parens int    // open before it
	begin  int    // of the statement that continues after it, if it is inside parentheses
	first  int    // line of that statement's first word
	alias  bool   // typedef struct { … } Name: the name follows
}

// reader reads a language with braces, statement by statement outside bodies.
type reader struct {
	lang   language
	text   []byte
	all    []Symbol
	stack  []scope
	forks  [][]scope // the stack at each open #if
	begin  int       // of the current statement
	line   int       // of the current byte
	first  int       // of the statement's first word
	parens int
	alias  bool // the statement ends a typedef
}

// braced lists the symbols of a file in a language with braces.
func braced(lang language, masked string) []Symbol {
	r := &reader{lang: lang, text: []byte(masked), line: 1}
	for i := 0; i < len(r.text) && len(r.all) < maxSymbols; i++ {
		c := r.text[i]
		if c == '#' && lang == cFamily {
			if line := bytes.LastIndexByte(r.text[:i], '\n') + 1; len(bytes.TrimSpace(r.text[line:i])) == 0 {
				i = r.directive(i)
				continue
			}
		}
		if r.first == 0 && c > ' ' {
			r.first = r.line
		}
		r.take(i, c)
	}
	return r.all
}

// take reads one byte of code.
func (r *reader) take(i int, c byte) {
	top := r.top()
	switch c {
	case '\n':
		if r.lang == script && r.parens == top.parens && r.endsHere(i) {
			r.statement(i)
		}
		r.line++
	case '(', '[':
		r.parens++
	case ')', ']':
		r.parens = max(r.parens-1, top.parens)
	case '{':
		r.open(i)
	case '}':
		r.close(i)
	case ';':
		if r.parens == top.parens {
			r.statement(i)
		}
	case ',':
		if r.parens == top.parens && (top.room == inEnum || top.room == inType && (r.lang == rust || r.lang == script)) {
			r.statement(i)
		}
	case ':':
		if label := strings.TrimSpace(string(r.text[r.begin:i])); r.lang == cFamily && (label == "public" || label == "private" ||
			label == "protected") {
			r.next(i)
		}
	}
}

func (r *reader) top() scope {
	if len(r.stack) == 0 {
		return scope{}
	}
	return r.stack[len(r.stack)-1]
}

// next begins another statement after i.
func (r *reader) next(i int) { r.begin, r.first, r.alias = i+1, 0, false }

// endsHere reports whether a statement without a semicolon ends with this line.
func (r *reader) endsHere(i int) bool {
	head := bytes.TrimSpace(r.text[r.begin:i])
	rest := bytes.TrimLeft(r.text[i:], " \t\r\n")
	if len(head) == 0 || head[0] == '@' && !bytes.ContainsAny(head, " \n") {
		return false
	}
	if bytes.HasPrefix(rest, []byte("extends ")) || bytes.HasPrefix(rest, []byte("implements ")) {
		return false
	}
	return bytes.IndexByte([]byte(",=([{&|+-*/<?:.@"), head[len(head)-1]) < 0 && (len(rest) == 0 ||
		bytes.IndexByte([]byte("{.?:&|+-*/=<>),"), rest[0]) < 0)
}

// open enters a pair of braces. The text before it says what it holds.
func (r *reader) open(i int) {
	head, top := r.head(i), r.top()
	s := scope{room: inBody, parens: r.parens}
	inside := r.parens > top.parens || r.lang == script && unclosed(head)
	if top.room != inBody && !inside {
		s.room, s.name = r.opened(head, top)
		s.alias = strings.HasPrefix(head, "typedef")
	} else if r.lang == script && top.room == inBody && !inside { // types and functions in functions
		s.room, s.name = r.local(head)
	}
	if inside {
		s.begin, s.first = r.begin, r.first
	}
	r.stack = append(r.stack, s)
	r.next(i)
}

// unclosed reports whether a statement about a type ends inside angle brackets.
func unclosed(head string) bool {
	if !strings.Contains(head, "<") || strings.ContainsAny(head, "(;") {
		return false
	}
	head = strings.ReplaceAll(head, "=>", "")
	return strings.Count(head, "<") > strings.Count(head, ">")
}

// local reads the head of a brace in a JavaScript body: types and named functions.
func (r *reader) local(head string) (room, string) {
	own := r.bare(head)
	if m := typed().FindStringSubmatch(own); m != nil && !equals(own) {
		return r.opened(head, scope{})
	}
	if m := scriptFn().FindStringSubmatch(own); m != nil && strings.HasPrefix(strings.TrimPrefix(own, "async "), "function") {
		r.add(m[1], "", false)
	}
	return inBody, ""
}

func (r *reader) close(i int) {
	top := r.top()
	if top.room == inEnum || top.room == inType && (r.lang == rust || r.lang == script) {
		r.statement(i)
	}
	if len(r.stack) > 0 {
		r.stack = r.stack[:len(r.stack)-1]
	}
	r.parens = top.parens
	r.next(i)
	r.alias = top.alias
	if top.first > 0 {
		r.begin, r.first = top.begin, top.first
	}
}

// head returns the statement up to i, on one line.
func (r *reader) head(i int) string {
	whole := bytes.TrimSpace(r.text[r.begin:i])
	head := strings.Join(strings.Fields(string(whole[:min(len(whole), maxHead)])), " ")
	switch {
	case r.lang == java:
		head = strings.ReplaceAll(head, "@interface ", "interface ")
	case r.lang == cFamily && strings.Contains(head, "__attribute__"):
		head = attribute().ReplaceAllString(head, "")
	}
	return head
}

// maxHead limits the bytes of a statement that are read.
const maxHead = 4000

// add adds a symbol that the current statement defines. In Type::name the type is the
// owner.
func (r *reader) add(name, owner string, minor bool) {
	if i := strings.LastIndex(name, "::"); i >= 0 {
		owner, name = name[:i], name[i+2:]
		owner = owner[strings.LastIndex(owner, ":")+1:]
		owner, _, _ = strings.Cut(owner, "<")
	}
	if name != "" && !keywords[r.lang][name] {
		r.all = append(r.all, Symbol{strings.TrimSpace(name), strings.TrimSpace(owner), r.nameLine(name), minor})
	}
}

// nameLine returns the first line of the current statement that has a name.
func (r *reader) nameLine(name string) int {
	statement := bytes.TrimLeftFunc(r.text[r.begin:min(len(r.text), r.begin+maxSpace)], unicode.IsSpace)
	line := r.first
	for l := range bytes.SplitSeq(statement[:min(len(statement), maxHead)], []byte("\n")) {
		if Uses(string(l), strings.TrimPrefix(name, "~")) {
			return line
		}
		line++
	}
	return r.first
}

// maxSpace limits the bytes of a statement that nameLine searches, with space before it.
const maxSpace = 20 * maxHead

// directive reads a preprocessor line with its continuation lines and returns where it
// ends. Each branch of an #if begins with the stack before it.
func (r *reader) directive(i int) int {
	end := i
	for end < len(r.text) && (r.text[end] != '\n' || r.text[end-1] == '\\') {
		if r.text[end] == '\n' {
			r.line++
		}
		end++
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(r.text[i:end]), "#")), " ")
	switch {
	case word == "define":
		name := strings.TrimSpace(rest)
		if n := strings.IndexFunc(name, func(c rune) bool { return !wordRune(c) }); n >= 0 {
			name = name[:n]
		}
		if name != "" {
			r.all = append(r.all, Symbol{Name: name, Line: r.line - strings.Count(string(r.text[i:end]), "\n")})
		}
	case strings.HasPrefix(word, "if"):
		r.forks = append(r.forks, slices.Clone(r.stack))
	case strings.HasPrefix(word, "el") && len(r.forks) > 0:
		r.stack = slices.Clone(r.forks[len(r.forks)-1])
		r.parens = r.top().parens
	case word == "endif" && len(r.forks) > 0:
		r.forks = r.forks[:len(r.forks)-1]
	}
	for j := i; j < end; j++ { // no part of a statement
		if r.text[j] != '\n' {
			r.text[j] = ' '
		}
	}
	return end - 1
}

func wordRune(c rune) bool { return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// keywords are words of a language that can stand in the place of a function's name.
var keywords = map[language]map[string]bool{
	cFamily: set("if for while switch catch return sizeof else do try throw case default new delete using alignas " +
		"alignof decltype noexcept defined static const void __attribute__ __declspec static_assert requires"),
	java: set("if for while switch catch return else do try throw case default new synchronized super this assert using lock"),
	script: set("if for while switch catch return else do try throw case default new delete function await typeof super " +
		"this with var let const void"),
	rust: set("if for while match return else loop"),
}

// Uses reports whether a line of code names something, as a whole word.
func Uses(line, name string) bool {
	for at := 0; name != ""; {
		i := strings.Index(line[at:], name)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(name):])
		if !wordRune(before) && !wordRune(after) {
			return true
		}
		at += len(name)
	}
	return false
}
