package code

import (
	"path"
	"strings"
)

// Symbol is a definition.
type Symbol struct {
	Name, Owner string // Owner is the type or module around it, "" for none
	Line        int    // from 1
	// Minor marks fields, enumeration values and variables. They are found by name but
	// do not cut a file into parts.
	Minor bool
}

// maxSymbols limits the symbols of one file.
const maxSymbols = 4000

// maxLine is the longest line, in bytes, that is taken for handwritten.
const maxLine = 1000

// List lists the symbols of a file in the order of its lines; its name tells the
// language. data is valid UTF-8.
func List(name, data string) []Symbol {
	lang := languageOf(name)
	if lang == golang {
		if all, ok := goSymbols(data); ok {
			return all
		}
	}
	masked := Mask(name, data)
	var all []Symbol
	switch lang {
	case python:
		all = pythonSymbols(masked)
	case cFamily, java, script, rust:
		all = braced(lang, masked)
	default:
		all = lineSymbols(strings.Split(data, "\n"))
	}
	return all[:min(len(all), maxSymbols)]
}

// language is a family of languages that write definitions alike.
type language int

const (
	other language = iota
	golang
	python
	cFamily
	java
	script // JavaScript and TypeScript
	rust
	shell // comments begin with #
	lisp  // comments are not known
)

var languages = map[string]language{
	".go": golang, ".py": python, ".c": cFamily, ".h": cFamily, ".cc": cFamily, ".cpp": cFamily, ".hpp": cFamily,
	".java": java, ".cs": java, ".dart": cFamily, ".js": script, ".jsx": script, ".mjs": script, ".ts": script, ".tsx": script, ".rs": rust,
	".sh": shell, ".bash": shell, ".rb": shell, ".pl": shell, ".r": shell, ".ex": shell, ".exs": shell, ".tf": shell,
	".nim": shell, ".graphql": shell,
	".sql": lisp, ".lua": lisp, ".clj": lisp, ".hs": lisp, ".ml": lisp, ".erl": lisp, ".html": lisp, ".css": lisp,
	".vue": lisp, ".svelte": lisp,
}

func languageOf(name string) language { return languages[strings.ToLower(path.Ext(name))] }
