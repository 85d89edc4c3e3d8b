package code

import (
	"strings"

	"parley/internal/text"
)

var (
	modifiers = text.Pattern(
		`^(?:(?:export|default|declare|abstract|public|private|protected|static|final|sealed|strictfp|non-sealed|unsafe|typedef|inline|constexpr|partial|internal|readonly|accessor|async|override|const|extern|volatile|pub(?:\s?\([^()]*\))?)\s+)+`)
	marked = text.Pattern(
		`^(?:@[\w.]+(?:\s?\([^()]*(?:\([^()]*\)[^()]*)*\))?|#!?\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]|\[\[[^\[\]]*\]\]|__attribute__\s?\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)|__declspec\s?\([^()]*\)|alignas\s?\([^()]*\))\s*`)
	typed = text.Pattern(
		`^(class|struct|union|enum class|enum struct|enum|namespace|interface|@interface|record|trait|mixin|mod|module|object)\s+(?:(?:[A-Z][A-Z0-9_]{2,}(?:\([^()]*\))?|alignas\([^()]*\)|\[\[[^\]]*\]\])\s+)*([\p{L}_$][\p{L}\p{N}_$:]*)`)
	nameless = text.Pattern(`^(struct|union|enum|enum class|namespace|extern)\b[^()=]*$`)
	impl     = text.Pattern(
		`^impl\b\s*(?:<.*?>\s*)?(?:.*?\bfor\s+)?(?:&\s*)?(?:'\w+\s+)?(?:mut\s+|dyn\s+)?(?:[\p{L}_][\p{L}\p{N}_]*::)*([\p{L}_][\p{L}\p{N}_]*)`)
	rustFn   = text.Pattern(`\bfn\s+([\p{L}_][\p{L}\p{N}_]*)`)
	rustWord = text.Pattern(
		`^(?:(?:unsafe|auto)\s+)?(struct|enum|union|trait|type|static(?:\s+mut)?|const|mod|macro_rules!)\s+([\p{L}_][\p{L}\p{N}_]*)`)
	scriptFn  = text.Pattern(`(?:^|[\s(=])(?:async\s+)?function\s*\*?\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*[(<]`)
	scriptVar = text.Pattern(
		`^(?:const|let|var)?\s*(?:[\p{L}_$][\p{L}\p{N}_$]*\.)*#?([\p{L}_$][\p{L}\p{N}_$]*)\s*[?!]?\s*(?::[^=]*(?:=>[^=]*)*)?=\s*`)
	scriptFun = text.Pattern(`^(?:async\s*)?(?:function\b|(?:<[^=]*>\s*)?\(.*\)\s*(?::.*)?=>|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)`)
	method    = text.Pattern(`^(?:(?:get|set|async|static)\s+)*\*?\s*(#?[\p{L}_$][\p{L}\p{N}_$]*)\s*\??\s*(?:<[^()]*>\s*)?\(`)
	property  = text.Pattern(`^#?([\p{L}_$][\p{L}\p{N}_$]*)\s*[?!]?\s*[:=]`)
	alias     = text.Pattern(`^(?:type|using)\s+([\p{L}_$][\p{L}\p{N}_$]*)\s*[<=]`)
	called    = text.Pattern(
		`((?:[\p{L}_][\p{L}\p{N}_]*\s?(?:<[^()]*>)?\s?::\s?)*(?:~\s?)?(?:operator\s?(?:\(\)|[^\s(]+|\s?\w+)|[\p{L}_$][\p{L}\p{N}_$]*))\s?\(`)
	pointer   = text.Pattern(`\(\s?\*?\s?([\p{L}_][\p{L}\p{N}_]*)\s?\)\s?\(`)
	attribute = text.Pattern(`__attribute__\s?\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)\s?`)
	macro     = text.Pattern(`^[A-Z][A-Z0-9_]{3,}(?:\s?\([^()]*\))?\s+`)
	rustMods  = text.Pattern(`^(?:(?:pub(?:\s?\([^()]*\))?|default|unsafe|async|extern)\s+)+`)
	declares  = text.Pattern(`^(?:(?:export|declare|default)\s+)*(?:const|let|var)\s`)
	lastName  = text.Pattern(`([\p{L}_$][\p{L}\p{N}_$]*)\s?(?:\[[^\]]*\]\s?)*(?::\s?\w+\s?)?(?:=.*)?$`)
)

// bare returns a statement without leading annotations, attributes, templates and
// modifiers.
func (r *reader) bare(head string) string {
	for {
		was := head
		head = strings.TrimLeft(marked().ReplaceAllString(head, ""), " ")
		if strings.HasPrefix(head, "template") {
			head = strings.TrimLeft(head[len("template"):], " ")
			head = strings.TrimLeft(head[bracketed(head, '<', '>'):], " ")
		}
		if r.lang == rust {
			head = rustMods().ReplaceAllString(head, "")
		} else {
			head = modifiers().ReplaceAllString(head, "")
		}
		if r.lang == cFamily {
			head = macro().ReplaceAllString(head, "")
		}
		if head == was {
			return head
		}
	}
}

// bracketed returns the length of a pair of brackets at the beginning of s, with
// everything inside; all of s if it stays open, 0 if s does not begin with one.
func bracketed(s string, open, shut byte) int {
	if s == "" || s[0] != open {
		return 0
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// opened adds the symbol that the text before a brace defines, and returns what the
// brace holds.
func (r *reader) opened(head string, top scope) (room, string) {
	own := r.bare(head)
	if r.lang == rust {
		return r.openedRust(own, top)
	}
	if r.lang == script {
		if in, name, ok := r.assigned(own, top); ok {
			return in, name
		}
	}
	name, isFunction := r.function(own, top)
	if m := typed().FindStringSubmatch(own); m != nil && (!isFunction || r.lang != cFamily || m[1] == "class") && !equals(own) {
		r.add(m[2], top.name, false)
		if strings.HasPrefix(m[1], "enum") && r.lang != java {
			return inEnum, m[2]
		}
		return inType, m[2][strings.LastIndexByte(m[2], ':')+1:]
	}
	switch {
	case strings.HasPrefix(own, ","): // members of a constructor
	case isFunction && !equals(own):
		r.add(name, top.name, false)
		return inBody, ""
	case nameless().MatchString(own) || strings.HasPrefix(own, `extern`) || head == "extern":
		if strings.HasPrefix(own, "enum") {
			return inEnum, ""
		}
		return inType, top.name
	case top.room == inFile || top.room == inType:
		if m := lastName().FindStringSubmatch(own); m != nil && strings.Contains(own, " ") {
			r.add(m[1], top.name, true) // a variable that is set
		}
	}
	return inBody, ""
}

func (r *reader) openedRust(own string, top scope) (room, string) {
	if m := rustFn().FindStringSubmatch(own); m != nil {
		r.add(m[1], top.name, false)
		return inBody, ""
	}
	if m := impl().FindStringSubmatch(own); m != nil {
		return inType, m[1]
	}
	if m := rustWord().FindStringSubmatch(own); m != nil {
		r.add(m[2], top.name, false)
		switch m[1] {
		case "struct", "union", "trait", "mod":
			return inType, m[2]
		case "enum":
			return inEnum, m[2]
		}
	}
	return inBody, ""
}

// assigned reads a JavaScript variable whose value begins with a brace.
func (r *reader) assigned(own string, top scope) (in room, name string, ok bool) {
	m := scriptVar().FindStringSubmatchIndex(own)
	if m == nil {
		return 0, "", false
	}
	name, value := own[m[2]:m[3]], own[m[1]:]
	switch {
	case scriptFun().MatchString(value):
		r.add(name, top.name, false)
		return inBody, "", true
	case value == "" || strings.HasPrefix(value, "class"):
		r.add(name, top.name, value == "")
		return inType, name, true
	}
	r.add(name, top.name, true)
	return inBody, "", true
}

// function returns the name of the function that a statement declares; ok is false if it
// declares none.
func (r *reader) function(own string, top scope) (name string, ok bool) {
	if r.lang == script {
		if m := scriptFn().FindStringSubmatch(own); m != nil {
			return m[1], true
		}
		if m := method().FindStringSubmatch(own); m != nil && top.room == inType && !keywords[r.lang][m[1]] {
			return strings.TrimPrefix(m[1], "#"), true
		}
		return "", false
	}
	for _, m := range called().FindAllStringSubmatchIndex(own, 8) {
		name = strings.ReplaceAll(own[m[2]:m[3]], " ", "")
		if keywords[r.lang][name] {
			continue
		}
		behind := strings.TrimSpace(own[m[1]-1+bracketed(own[m[1]-1:], '(', ')'):])
		if next := called().FindStringIndex(behind); next != nil && next[0] == 0 && !strings.HasPrefix(behind, "noexcept") &&
			!strings.HasPrefix(behind, "throw") && !strings.HasPrefix(behind, "__") {
			continue // a macro stands before
		}
		return name, r.lang != java || top.room == inType
	}
	return "", false
}

// equals reports whether a statement has an = outside brackets.
func equals(s string) bool {
	depth := 0
	s = strings.NewReplacer("=>", "  ", "->", "  ").Replace(s)
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '<':
			depth++
		case ')', ']', '>':
			depth--
		case '=':
			if depth <= 0 && !strings.Contains(s[max(0, i-9):i], "operator") {
				return true
			}
		}
	}
	return false
}

// statement adds the symbols of a statement without braces, and begins another.
func (r *reader) statement(i int) {
	head, top := r.head(i), r.top()
	own := r.bare(head)
	switch {
	case r.lang == script && top.room == inBody && alias().MatchString(own):
		r.add(alias().FindStringSubmatch(own)[1], "", false)
	case own == "" || own[0] == '.' || top.room == inBody:
	case top.room == inEnum:
		if m := method().FindStringSubmatch(own + "("); m != nil {
			r.add(m[1], top.name, true)
		} else if m := property().FindStringSubmatch(own + "="); m != nil {
			r.add(m[1], top.name, true)
		}
	case r.alias || strings.HasPrefix(head, "typedef "):
		r.typedef(own)
	case alias().MatchString(own):
		r.add(alias().FindStringSubmatch(own)[1], top.name, false)
	case r.lang == rust:
		r.rustStatement(own, top)
	case r.lang == script:
		r.scriptStatement(head, own, top)
	case r.lang == java && top.room == inType:
		if name, ok := r.function(own, top); ok && !equals(own) {
			r.add(name, top.name, false)
			break
		}
		r.field(own, top)
	case r.lang == cFamily && strings.Contains(own, "=>"): // in Dart
		before, _, _ := strings.Cut(own, "=>")
		if name, ok := r.function(before, top); ok && !equals(before) {
			r.add(name, top.name, false)
		}
	case r.lang == cFamily && !strings.Contains(own, "("):
		r.field(own, top)
	}
	r.next(i)
}

func (r *reader) typedef(own string) {
	if m := pointer().FindStringSubmatch(own); m != nil {
		r.add(m[1], "", false)
	} else if m := called().FindStringSubmatch(own); m != nil {
		r.add(m[1], "", false)
	} else if m := lastName().FindStringSubmatch(strings.TrimRight(own, ") ")); m != nil {
		r.add(m[1], "", false)
	}
}

func (r *reader) rustStatement(own string, top scope) {
	if m := rustFn().FindStringSubmatch(own); m != nil {
		r.add(m[1], top.name, false)
	} else if m := rustWord().FindStringSubmatch(own); m != nil {
		r.add(m[2], top.name, false)
	} else if m := property().FindStringSubmatch(own); m != nil && top.room == inType {
		r.add(m[1], top.name, true)
	}
}

func (r *reader) scriptStatement(head, own string, top scope) {
	if m := scriptVar().FindStringSubmatchIndex(own); m != nil && (top.room == inType || declares().MatchString(head)) {
		r.add(own[m[2]:m[3]], top.name, !scriptFun().MatchString(own[m[1]:]))
	} else if name, ok := r.function(own, top); ok {
		r.add(name, top.name, false)
	} else if m := property().FindStringSubmatch(own); m != nil && top.room == inType {
		r.add(m[1], top.name, true)
	}
}

// field adds the variables of a declaration.
func (r *reader) field(own string, top scope) {
	if strings.HasPrefix(own, "using ") || strings.HasPrefix(own, "friend ") {
		return
	}
	before, _, _ := strings.Cut(own, "=")
	if !strings.Contains(strings.TrimSpace(before), " ") {
		return
	}
	parts := strings.Split(own, ",")
	if strings.ContainsAny(own, "<({") {
		parts = []string{before}
	}
	for _, p := range parts {
		before, _, _ := strings.Cut(p, "=")
		m := lastName().FindStringSubmatch(strings.TrimSpace(before))
		if m == nil {
			continue
		}
		if t := typed().FindStringSubmatch(own); t == nil || t[2] != m[1] { // not only declared
			r.add(m[1], top.name, true)
		}
	}
}
