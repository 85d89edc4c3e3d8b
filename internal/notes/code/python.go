package code

import (
	"strings"

	"parley/internal/text"
)

var (
	pythonBlock = text.Pattern(`^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([\p{L}_][\p{L}\p{N}_]*)`)
	pythonValue = text.Pattern(`^([ \t]*)([\p{L}_][\p{L}\p{N}_]*)[ \t]*(?::[^=]*)?=[^=]`)
)

// indented is a block of Python that is open.
type indented struct {
	deep  int
	name  string
	class bool
}

// pythonSymbols lists what indents say: methods belong to the class around them.
func pythonSymbols(masked string) (all []Symbol) {
	var open []indented
	brackets := 0
	for i, line := range strings.Split(masked, "\n") {
		if len(line) > maxLine || strings.TrimSpace(line) == "" {
			continue
		}
		inside := brackets > 0
		brackets += strings.Count(line, "(") + strings.Count(line, "[") + strings.Count(line, "{")
		brackets -= strings.Count(line, ")") + strings.Count(line, "]") + strings.Count(line, "}")
		brackets = max(brackets, 0)
		if inside {
			continue
		}
		deep := len(line) - len(strings.TrimLeft(line, " \t"))
		for len(open) > 0 && open[len(open)-1].deep >= deep {
			open = open[:len(open)-1]
		}
		owner, inClass := "", true
		if len(open) > 0 {
			owner, inClass = open[len(open)-1].name, open[len(open)-1].class
		}
		if m := pythonBlock().FindStringSubmatch(line); m != nil {
			all = append(all, Symbol{Name: m[3], Owner: owner, Line: i + 1})
			open = append(open, indented{deep, m[3], m[2] == "class"})
		} else if m := pythonValue().FindStringSubmatch(line); m != nil && inClass {
			all = append(all, Symbol{Name: m[2], Owner: owner, Line: i + 1, Minor: true})
		}
	}
	return all
}
